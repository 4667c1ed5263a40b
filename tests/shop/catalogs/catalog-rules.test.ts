import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusal } from '../../builders/people/members.ts'
import { makeCatalog, makePricebook, makeRule, ruleBody, rules } from '../../builders/shop/catalogs.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let catalog: string
beforeAll(async () => {
  world = await openWorld()
  catalog = await makeCatalog(world.admin)
})
afterAll(() => world.close())

const create = (attributes: object) =>
  world.admin.post(rules, ruleBody({ catalog_id: catalog, ...attributes }))
const put = (id: string, attributes: object) =>
  world.admin.put(`${rules}/${id}`, { data: { type: 'catalog_rule', id, attributes } })
const attributesOf = async (id: string) => (await world.admin.get(`${rules}/${id}`)).body.data.attributes

test('a rule is shown as in the public contract: absent criteria are left out', async () => {
  const account = randomUUID()
  const { status, body } = await create({
    name: 'VIPs on the web',
    channels: ['web'],
    account_ids: [account],
    tags: [],
  })
  const { id } = body.data
  expect([status, body]).toEqual([
    201,
    {
      data: {
        type: 'catalog_rule',
        id,
        attributes: {
          created_at: expect.stringMatching(/Z$/),
          updated_at: expect.stringMatching(/Z$/),
          name: 'VIPs on the web',
          catalog_id: catalog,
          channels: ['web'],
          account_ids: [account],
        },
        meta: { in_effect: true },
      },
      links: { self: `${world.url}/catalogs/rules/${id}` },
    },
  ])
  expect((await world.admin.get(`/pcm/catalogs/rules/${id}`)).body).toEqual(body)
})

test('an unknown criterion is refused, as the rule would match everyone without it', async () => {
  const misspelled = await create({ name: 'Web', channel: ['web'] })
  expect(refusal(misspelled)).toEqual([422, 'unprocessable', 'data.attributes.channel'])
  const { body } = await create({ name: 'Web', channels: ['web'] })
  const { id, attributes } = body.data
  expect((await put(id, { account_tags: [randomUUID()] })).status).toBe(422)
  const back = await put(id, attributes)
  expect([back.status, back.body.data.attributes.channels]).toEqual([200, ['web']])
})

test('null and an empty list remove a criterion; criteria that are not sent stay', async () => {
  const id = await makeRule(world.admin, catalog, {
    description: 'for now',
    channels: ['web'],
    tags: ['vip'],
    schedules: [{ valid_from: '2026-01-01T00:00:00Z' }],
  })
  await put(id, { channels: null })
  expect(await attributesOf(id)).toMatchObject({ description: 'for now', tags: ['vip'] })
  expect(await attributesOf(id)).not.toHaveProperty('channels')
  await put(id, { tags: [], schedules: null, description: null })
  expect(Object.keys(await attributesOf(id)).sort()).toEqual([
    'catalog_id',
    'created_at',
    'name',
    'updated_at',
  ])
})

test('the catalog and the price books of a rule must exist', async () => {
  const nowhere = randomUUID()
  expect(refusal(await create({ catalog_id: nowhere }))).toEqual([
    422,
    'unprocessable',
    'data.attributes.catalog_id',
  ])
  expect(refusal(await create({ catalog_id: 'legacy' }))).toEqual([
    422,
    'unprocessable',
    'data.attributes.catalog_id',
  ])
  expect((await create({ catalog_id: await makeCatalog(world.other) })).status).toBe(422)
  expect(refusal(await create({ pricebook_ids: [{ id: nowhere, priority: 1 }] }))).toEqual([
    422,
    'unprocessable',
    'data.attributes.pricebook_ids',
  ])
  const twice = await makePricebook(world.admin)
  const both = [1, 2].map((priority) => ({ id: twice, priority }))
  for (const [pricebook_ids, detail] of [
    [[{ id: nowhere, priority: 1 }], `No price book has the id ${nowhere}.`],
    [both, `The price book ${twice} is in the list twice, at 0 and at 1. List it once.`],
  ] as const) {
    expect((await create({ pricebook_ids })).body.errors[0].detail).toBe(detail)
  }
  const id = await makeRule(world.admin, catalog)
  expect((await put(id, { catalog_id: nowhere })).status).toBe(422)
  expect((await put(id, { catalog_id: catalog.toUpperCase() })).body.data.attributes.catalog_id).toBe(catalog)
})

describe('schedules', () => {
  const schedulesOf = async (...schedules: object[]) => {
    const { status, body } = await create({ schedules })
    expect(status).toBe(201)
    return body.data.attributes.schedules
  }

  test('are stored in UTC, with open ends, in whichever notation they are sent', async () => {
    expect(
      await schedulesOf(
        { valid_from: '2026-06-01T05:00:00.000-05:00', valid_to: '2026-06-15T23:50:00-08:00' },
        { valid_from: '2026-09-22T09:00:00' },
        { valid_to: '2026-12-24', valid_from: null },
        { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' },
      ),
    ).toEqual([
      { valid_from: '2026-06-01T10:00:00.000Z', valid_to: '2026-06-16T07:50:00.000Z' },
      { valid_from: '2026-09-22T09:00:00.000Z' },
      { valid_to: '2026-12-24T00:00:00.000Z' },
      { valid_from: '2026-01-01T00:00:00.000Z', valid_to: '2026-02-01T00:00:00.000Z' },
    ])
  })

  test('must begin before they end, and be instants', async () => {
    const at = 'data.attributes.schedules'
    for (const [schedule, source] of [
      [{ valid_from: '2026-02-01', valid_to: '2026-02-01' }, `${at}.1.valid_to`],
      [{ valid_from: 'soon' }, `${at}.1.valid_from`],
      [{ valid_from: '2026-02-30' }, `${at}.1.valid_from`],
    ] as const) {
      const reply = await create({ schedules: [{ valid_to: '2026-01-01' }, schedule] })
      expect(refusal(reply)).toEqual([422, 'unprocessable', source])
    }
  })
})

describe('rules are filtered', () => {
  const idsOf = async (filter: string) => {
    const { status, body } = await world.admin.get(`${rules}?filter=${encodeURIComponent(filter)}`)
    expect([status, body.meta?.results.total]).toEqual([200, body.data?.length])
    return body.data.map(({ id }: { id: string }) => id).sort()
  }

  test('by any value of a criterion', async () => {
    const [one, two, account, tag, customer] = Array.from({ length: 5 }, () => randomUUID())
    const book = await makePricebook(world.admin)
    const a = await makeRule(world.admin, catalog, {
      account_ids: [one, account],
      account_tag_ids: [tag],
      tags: ['gold, silver'],
      pricebook_ids: [{ id: book, priority: 1 }],
    })
    const b = await makeRule(world.admin, catalog, {
      account_ids: [two],
      customer_ids: [customer],
      channels: [tag],
    })
    for (const [filter, ids] of [
      [`eq(account_ids,${account?.toUpperCase()})`, [a]],
      [`in(account_ids,${one},${two})`, [a, b]],
      [`eq(account_tag_ids,${tag})`, [a]],
      [`eq(customer_ids,${customer})`, [b]],
      [`eq(channels,${tag})`, [b]],
      [`eq(tags,"gold, silver")`, [a]],
      [`eq(pricebook_ids,${book})`, [a]],
      [`in(account_ids,${one},${two}):eq(channels,${tag})`, [b]],
      [`eq(customer_ids,${account})`, []],
      [`in(id,${a},${b})`, [a, b]],
    ] as const) {
      expect([filter, await idsOf(filter)]).toEqual([filter, [...ids].sort()])
    }
  })

  test('only within the store', async () => {
    const id = await makeRule(world.other, await makeCatalog(world.other), { channels: ['next door'] })
    expect(await idsOf('eq(channels,next door)')).toEqual([])
    const { body } = await world.other.get(`${rules}?filter=eq(channels,next door)`)
    expect(body.data.map((rule: { id: string }) => rule.id)).toEqual([id])
  })
})
