import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { json } from '../../../server/kernel/shape/answer.ts'
import type { Ctx } from '../../../server/kernel/work/context.ts'
import { callOut } from '../../../server/kernel/work/outside-calls.ts'
import { add } from '../../../server/kernel/write/by-rules.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { shipment } from '../../workshop/ship-crate.ts'
import { things } from '../../workshop/things.ts'

/** A dry run answers as the real one would, and leaves nothing. */

let world: World
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
})
afterAll(() => world.close())

const ofLists = "list IN ('paper_carts', 'things') AND store_id = $1"
const traceQueries = [
  'SELECT count(*) FROM paper_carts WHERE store_id = $1',
  'SELECT count(*) FROM things WHERE store_id = $1',
  "SELECT count(*) FROM changes WHERE source IN ('paper_carts', 'things') AND store_id = $1",
  `SELECT count(*) FROM list_deltas WHERE ${ofLists}`,
  `SELECT coalesce(sum(n), 0) FROM list_totals WHERE ${ofLists}`,
  `SELECT count(*) FROM list_moves WHERE ${ofLists}`,
  `SELECT coalesce(sum(n), 0) FROM list_blocks WHERE ${ofLists}`,
  "SELECT count(*) FROM graphile_worker._private_jobs WHERE payload->>'store' = $1",
]
const traces = async () => {
  const counted = []
  for (const text of traceQueries) {
    const { rows } = await world.feed(text, [world.storeId])
    counted.push(Number(Object.values(rows[0])[0]))
  }
  return counted
}
const checkOut = (key: string, isDry: boolean) =>
  world.admin.post(
    `/v2/paper-carts/${key}/checkout`,
    { data: { type: 'paper-checkout' } },
    isDry ? { prefer: 'dry-run' } : {},
  )
const withoutTimes = ({ body: { data } }: { body: { data: object } }) => ({ ...data, meta: undefined })

test('a rehearsed checkout is answered as a real one, and leaves no row, no change, no counter and no job', async () => {
  const key = randomUUID()
  const before = await traces()
  const unborn = await world.admin.get(`/v2/paper-carts/${key}`)
  const rehearsed = await checkOut(key, true)
  expect([rehearsed.status, rehearsed.body.data.notes]).toEqual([201, { ordered: 'yes' }])
  expect(await traces()).toEqual(before)
  expect((await world.admin.get(`/v2/paper-carts/${key}`)).body).toEqual(unborn.body)
  const real = await checkOut(key, false)
  expect([real.status, withoutTimes(real)]).toEqual([201, withoutTimes(rehearsed)])
  const after = await traces()
  expect(
    after.slice(0, 3).map((n, i) => n > (before[i] as number)),
    'carts, things and changes after a real checkout',
  ).toEqual([true, true, true])
})

test('a refusal of a rehearsal is the refusal of the real call', async () => {
  await world.admin.put('/v2/paper-carts/nothing-in-it', { data: { type: 'paper-cart', name: 'empty' } })
  const [rehearsed, real] = [await checkOut('nothing-in-it', true), await checkOut('nothing-in-it', false)]
  expect([rehearsed.status, rehearsed.body]).toEqual([422, real.body])
})

const titled = async (title: string) =>
  (await world.admin.get(`/v2/things?filter=eq(title,${title})`)).body.meta.results.total

test('writes around a rehearsal are kept, also when attempts inside it have failed', async () => {
  await world.work.transaction(async (work) => {
    await add(work, things, [], { title: 'before' })
    await work.rehearse(async (inside) => {
      await add(inside, things, [], { title: 'inside' })
      await inside.store
        .attempt(() => add(inside, things, [], { title: 'x'.repeat(3), mood: 1 as never }))
        .catch(() => {})
      await inside.store
        .attempt(async () => {
          await add(inside, things, [], { title: 'inside' })
          throw new Error('refused')
        })
        .catch(() => {})
      expect(
        await inside.rehearse(async (inner) => (await add(inner, things, [], { title: 'inner' })).doc.title),
      ).toBe('inner')
      expect(inside.isRehearsal).toBe(true)
    })
    await add(work, things, [], { title: 'after' })
  })
  expect([
    await titled('before'),
    await titled('inside'),
    await titled('inner'),
    await titled('after'),
  ]).toEqual([1, 0, 0, 1])
})

test('a rehearsal that fails leaves the transaction around it to its caller', async () => {
  await world.work.transaction(async (work) => {
    const failed = work.rehearse(async (inside) => {
      await add(inside, things, [], { title: 'failed' })
      throw new Error('refused')
    })
    await expect(failed).rejects.toThrow('refused')
    await add(work, things, [], { title: 'caught' })
  })
  expect([await titled('failed'), await titled('caught')]).toEqual([0, 1])
})

test('a rehearsal calls no other server, and leaves no errand', async () => {
  const ctx = world.work as Ctx
  const errands = async () => (await world.sql('SELECT count(*)::int AS n FROM errands')).rows[0].n
  const before = await errands()
  const answer = await ctx.rehearse((inside) =>
    callOut(
      inside,
      {
        ...shipment,
        send: () => {
          throw new Error('asked')
        },
      },
      async () => ({ id: randomUUID(), note: '' }),
      (_inside, { count }) => json(200, count),
    ),
  )
  expect([answer.body, await errands()]).toEqual(['0', before])
})

test('a rehearsal cannot begin a snapshot', async () => {
  await expect(world.work.rehearse((inside) => inside.snapshot(async () => {}))).rejects.toThrow('snapshot')
})

test('all transactions of work in rehearsal are undone', async () => {
  const rehearsal = world.work.inRehearsal()
  await rehearsal.transaction((inside) => add(inside, things, [], { title: 'one' }))
  await add(rehearsal, things, [], { title: 'two' })
  expect([await titled('one'), await titled('two')]).toEqual([0, 0])
})
