import { afterAll, beforeAll, expect, test } from 'vitest'
import { app } from '../../server/app.ts'
import { ChangeableLists } from '../../server/bulk-changes/targets.ts'
import { mayDo } from '../../server/kernel/auth/access.ts'
import { rightFor } from '../../server/kernel/declare/operation.ts'
import { module } from '../../server/kernel/module.ts'
import type { LongJob } from '../../server/kernel/work/job.ts'
import { access } from '../../server/people/index.ts'
import { newProduct, put } from '../builders/assortment/products.ts'
import { makeApi } from '../builders/fields/custom-apis.ts'
import { order, wrap } from '../builders/orders/buying.ts'
import { addColleague, signInAs } from '../builders/people/colleagues.ts'
import { type Any, body, idOf, times } from '../support/requests.ts'
import { type Client, openWorld, type World } from '../support/world.ts'

/** Holds up the long jobs of the store that are behind it. */
const gates: (() => void)[] = []
const gate: LongJob<string> = {
  name: 'tests:gate',
  long: true,
  run: () => new Promise<void>((open) => gates.push(open)),
  wait: async () => {},
  giveUp: async () => {},
}

let world: World
let admin: Client
beforeAll(async () => {
  const tests = module({ name: 'tests', about: 'Jobs of the tests.', jobs: [gate] })
  world = await openWorld({ modules: [...app, tests], alone: true })
  admin = world.admin
})
afterAll(() => world.close())

const bulk = (fields: object, headers: Record<string, string> = {}, client = admin) =>
  client.post('/v2/bulk-changes', body('bulk_change', fields), headers)
const rehearsal = { prefer: 'dry-run' }

async function ended(id: string): Promise<Any> {
  const read = async () => (await admin.get(`/v2/bulk-changes/${id}`)).body.data
  await expect
    .poll(async () => (await read()).status, { timeout: 30_000 })
    .toMatch(/success|failed|cancelled/)
  return read()
}
const run = async (fields: object, client = admin) => ended(await idOf(bulk(fields, {}, client)))
const undo = async (id: string) => ended(await idOf(admin.post(`/v2/bulk-changes/${id}/undo`, {})))
const refusalsOf = async (id: string) => (await admin.get(`/v2/bulk-changes/${id}/refusals`)).body.data
const attributesOf = async (ids: readonly string[]) => {
  const replies = await Promise.all(ids.map((id) => admin.get(`/pcm/products/${id}`)))
  return replies.map(({ body }) => body.data.attributes)
}
const withoutTimes = (all: readonly Any[]) =>
  all.map(({ updated_at: _, created_at: _2, ...others }) => others)

/** Two equal sets of products, and which of a set match the filter of its tests. */
async function products(sku: string, count: number): Promise<string[]> {
  const made = []
  for (const i of times(count, (n) => n)) {
    const tags = i % 3 ? {} : { tags: ['old'] }
    made.push(await newProduct(admin, { name: `Loaf ${i}`, sku: `${sku}-${i}`, status: 'draft', ...tags }))
  }
  return made.map(({ id }) => id)
}

test('each object changes as by its own update, and changes back, unless someone else has changed it since', async () => {
  const [bulky, single] = [await products('bulk', 24), await products('one', 24)]
  const patch = { attributes: { status: 'live', description: 'Fresh', tags: ['new'] } }
  const before = await attributesOf(bulky)

  const dry = await bulk({ list: '/pcm/products', filter: 'like(sku,bulk-*)', patch }, rehearsal)
  expect([dry.status, dry.body.data.counts]).toEqual([
    201,
    { chosen: 24, changed: 0, unchanged: 0, refused: 0 },
  ])
  // A loaded machine tries fewer.
  const { tried } = dry.body.sample
  expect(tried).toBeGreaterThan(0)
  expect(dry.body.sample).toMatchObject({ changed: tried, refused: 0, refusals: [] })
  expect(dry.body.sample.changes).toHaveLength(Math.min(tried, 10))
  expect(dry.body.sample.changes[0]).toMatchObject({
    before: { attributes: { status: 'draft' } },
    after: { attributes: { status: 'live', description: 'Fresh' } },
  })
  expect(await attributesOf(bulky)).toEqual(before)
  expect((await admin.get('/v2/bulk-changes')).body.meta.results.total).toBe(0)

  // Someone else writes between the choice and the change.
  await world.work.later(gate, '')
  const id = await idOf(bulk({ list: '/pcm/products', filter: 'like(sku,bulk-*)', patch }))
  await put(admin, bulky[7] as string, { name: 'Sold' })
  await admin.delete(`/pcm/products/${bulky[8]}`)
  await expect.poll(() => gates.length, { timeout: 10_000 }).toBeGreaterThan(0)
  for (const open of gates.splice(0)) open()
  const done = await ended(id)
  expect([done.status, done.counts]).toEqual([
    'success',
    { chosen: 24, changed: 22, unchanged: 0, refused: 2 },
  ])
  const refusals = (await refusalsOf(id)).map((one: Any) => [one.object_id, one.code])
  expect(refusals.sort()).toEqual(
    [
      [bulky[7], 'precondition_failed'],
      [bulky[8], 'not_found'],
    ].sort(),
  )

  for (const one of single) expect((await put(admin, one, patch.attributes)).status).toBe(200)
  const others = (ids: readonly string[]) => ids.filter((_, i) => i !== 7 && i !== 8)
  const ofOne = withoutTimes(await attributesOf(others(single)))
  expect(withoutTimes(await attributesOf(others(bulky)))).toEqual(
    ofOne.map((one) => ({ ...one, sku: one.sku.replace('one', 'bulk') })),
  )
  const audit = (await admin.get(`/v2/audit?filter=eq(id,${bulky[0]})`)).body.data[0]
  expect([audit.event, audit.initiator['access-token-id']]).toEqual([
    'updated',
    (await admin.get(`/v2/audit?filter=eq(id,${single[0]})`)).body.data[0].initiator['access-token-id'],
  ])

  await put(admin, bulky[3] as string, { description: 'Fresher' })
  const undone = await undo(id)
  expect([undone.undo_of, undone.counts]).toEqual([id, { chosen: 22, changed: 21, unchanged: 0, refused: 1 }])
  expect((await refusalsOf(undone.id))[0]).toMatchObject({
    object_id: bulky[3],
    code: 'precondition_failed',
  })
  const untouched = (all: readonly Any[]) => withoutTimes(all).filter((_, i) => ![3, 7, 8].includes(i))
  const now = await attributesOf(others(bulky))
  expect(untouched([...now.slice(0, 7), {}, {}, ...now.slice(7)])).toEqual(untouched(before))

  const redone = await undo(undone.id)
  expect(redone.counts).toMatchObject({ chosen: 21, changed: 21, refused: 0 })
  expect((await attributesOf([bulky[0] as string]))[0]).toMatchObject({ status: 'live', tags: ['new'] })
}, 120_000)

test('amounts change in proportion, and back to the last unit', async () => {
  const book = await idOf(
    admin.post('/pcm/pricebooks', { data: { type: 'pricebook', attributes: { name: 'B' } } }),
  )
  const list = `/pcm/pricebooks/${book}/prices`
  const price = (sku: string, currencies: object) =>
    admin.post(list, { data: { type: 'product-price', attributes: { sku, currencies } } })
  const usd = (amount: number, more: object = {}) => ({ USD: { amount, includes_tax: false, ...more } })
  const tiers = { bulk: { minimum_quantity: 10, amount: 80 } }
  await idOf(price('a', usd(99, { tiers })))
  await idOf(price('b', { ...usd(105), EUR: { amount: 1, includes_tax: true } }))
  await idOf(price('c', { EUR: { amount: 1, includes_tax: true } }))
  const read = async () =>
    Object.fromEntries(
      (await admin.get(list)).body.data.map(({ attributes }: Any) => [attributes.sku, attributes.currencies]),
    )
  const before = await read()
  const adjust = [{ field: 'attributes.currencies.USD.amount', times: 1.1, round_to: 5 }]
  const done = await run({ list, adjust })
  expect(done.counts).toEqual({ chosen: 3, changed: 2, unchanged: 0, refused: 1 })
  const after = await read()
  // 99 × 1.1 = 108.9, and 105 × 1.1 = 115.5.
  expect(after).toEqual({
    ...before,
    a: { USD: { ...before.a.USD, amount: 110 } },
    b: { ...before.b, USD: { ...before.b.USD, amount: 115 } },
  })
  expect((await undo(done.id)).counts).toMatchObject({ changed: 2, refused: 0 })
  expect(await read()).toEqual(before)
})

test('orders change at once, and back to what they did not have', async () => {
  const { id } = await order(admin, wrap())
  const read = async () => (await admin.get(`/v2/orders/${id}`)).body.data
  const before = await read()
  const done = await run({ list: '/v2/orders', ids: [id], patch: { external_ref: 'erp-1' } })
  expect([done.counts.changed, (await read()).external_ref]).toEqual([1, 'erp-1'])
  expect((await undo(done.id)).counts.changed).toBe(1)
  expect({ ...(await read()), meta: before.meta }).toEqual(before)
})

test('killed connections do no object twice, and two at once put back only their own', async () => {
  const { id, entries, type } = await makeApi(admin, { points: ['integer'], who: ['string'] })
  const values = times(150, (i) => ({ type, points: i + 1 }))
  for (let i = 0; i < values.length; i += 50)
    await Promise.all(values.slice(i, i + 50).map((data) => idOf(admin.post(entries, { data }))))
  const points = async () =>
    (
      await world.sql(`SELECT (doc->>'points')::int AS n FROM entries WHERE custom_api_id = $1 ORDER BY 1`, [
        id,
      ])
    ).rows.map(({ n }) => n as number)

  const doubling = await idOf(bulk({ list: entries, adjust: [{ field: 'points', times: 2 }] }))
  let kills = 0
  await expect
    .poll(
      async () => {
        const { status, counts } = (await admin.get(`/v2/bulk-changes/${doubling}`)).body.data
        if (status === 'started' && kills < 2 && counts.changed >= kills * 50) {
          kills++
          await world.sql(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid() AND state LIKE '%transaction%'`,
          )
        }
        return status
      },
      { timeout: 90_000, interval: 30 },
    )
    .toBe('success')
  expect(kills).toBeGreaterThan(0)
  expect(await points()).toEqual(times(150, (i) => 2 * (i + 1)))

  const [low, high] = await Promise.all([
    run({ list: entries, filter: 'le(points,150)', patch: { who: 'Ada' } }),
    run({ list: entries, filter: 'gt(points,100)', patch: { who: 'Bob' } }),
  ])
  // Both have chosen those between 101 and 150; the one that came first has changed them.
  const both = [low, high].map(({ counts }) => counts.changed + counts.refused)
  expect(both).toEqual([75, 100])
  expect(low.counts.refused + high.counts.refused).toBe(25)
  await undo(low.counts.refused ? high.id : low.id)
  const left = await admin.get(`${entries}?filter=is_null(who)`)
  expect(left.body.meta.results.total).toBe(low.counts.refused ? 100 : 75)
}, 180_000)

test('what cannot be changed at once is refused before anything is written', async () => {
  const patch = { attributes: { status: 'live' } }
  const cases: readonly [fields: object, status: number, source: string | undefined][] = [
    [{ list: '/v2/application-keys', patch }, 400, 'data.list'],
    [{ list: '/v2/no-such-list', patch }, 400, 'data.list'],
    [{ list: '/pcm/products?filter=eq(sku,a)', patch }, 400, 'data.list'],
    [{ list: '/pcm/products' }, 422, 'data.patch'],
    [{ list: '/pcm/products', filter: 'eq(weather,fine)', patch }, 400, 'filter'],
    [{ list: '/pcm/products', patch: { attributes: { name: 'x'.repeat(20_000) } } }, 400, 'data.patch'],
    [{ list: '/v2/customers', patch: { password: 'a new one for all' } }, 422, 'data.patch'],
    [{ list: `/pcm/pricebooks/${crypto.randomUUID()}/prices`, patch }, 404, undefined],
  ]
  for (const [fields, status, source] of cases) {
    const reply = await bulk(fields)
    expect([fields, reply.status, reply.body.errors[0].source]).toEqual([fields, status, source])
  }
  const lost = crypto.randomUUID()
  const done = await run({ list: '/pcm/products', ids: [lost], patch })
  expect(done.counts).toEqual({ chosen: 1, changed: 0, unchanged: 0, refused: 1 })
  expect(await refusalsOf(done.id)).toMatchObject([{ object_id: lost, code: 'not_found' }])
  expect((await admin.post(`/v2/bulk-changes/${done.id}/cancel`, {})).status).toBe(422)
})

test('nobody changes many objects who may not change one, and whoever may read bulk changes may read their objects', async () => {
  const targets = new ChangeableLists(() => app).all
  expect(targets.length).toBeGreaterThan(15)
  const readers = Object.keys(access['bulk-changes'])
  for (const { list } of targets)
    for (const kind of readers)
      expect([kind, list.area, mayDo(access, kind, list.area, 'read')]).toEqual([kind, list.area, true])

  const { email } = await addColleague(admin, 'Promotions Manager')
  const ada = world.clientWith((await signInAs(world, email)).body.data.token)
  const patch = { attributes: { status: 'live' } }
  for (const { list, update } of targets.filter(({ list: { path } }) => !path.includes(':'))) {
    const may = mayDo(access, 'promotions-manager', update.area, rightFor(update) as 'update' | 'write')
    const { status } = await bulk({ list: list.path, patch }, rehearsal, ada)
    expect([list.path, status === 403]).toEqual([list.path, !may])
  }
  const done = await run({ list: '/pcm/products', ids: [crypto.randomUUID()], patch })
  expect((await ada.post(`/v2/bulk-changes/${done.id}/undo`, {})).status).toBe(403)
  expect((await bulk({ list: '/pcm/products', patch }, {}, world.shopper)).status).toBe(403)
}, 30_000)
