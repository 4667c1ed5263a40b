import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listKey } from '../../server/kernel/query/sql.ts'
import { orderOf } from '../../server/kernel/resource.ts'
import { Samples } from '../support/samples.ts'
import { openWorld, type World } from '../support/world.ts'
import { appAndWorkshop } from '../workshop/index.ts'
import { expected, fill, idsOf, isOwn, type Listing, listings, makeIn, roomIn } from './listings.ts'
import { shownId } from './shown-ids.ts'

let world: World
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
})
afterAll(() => world.close())

const own = listings.filter(isOwn)
const totalOf = async (path: string): Promise<number> =>
  (await world.admin.get(`${path}?page[limit]=1`)).body.meta.results.total

async function merge(): Promise<void> {
  for (let merged = 1; merged > 0; ) {
    const results = (await world.sql(
      'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT merge_list_deltas(100) AS merged; COMMIT',
    )) as unknown as { rows: { merged: number }[] }[]
    merged = results[1]?.rows[0]?.merged ?? 0
  }
}

/** Each block of the list says how many rows lie between its start and the next one's. */
async function expectTrueBlocks({ specimen: { resource } }: Listing): Promise<number> {
  const scope = resource.scopeColumns.at(-1) ?? 'store_id'
  const { rows } = await world.sql(
    `SELECT b.n::int AS said, count(r.id)::int AS counted FROM (
       SELECT *, lead((at, id)) OVER w AS next_start, lead(at) OVER w AS next_at, lead(id) OVER w AS next_id
       FROM list_blocks WHERE list = $1 AND store_id = $2
       WINDOW w AS (PARTITION BY scope ORDER BY at, id)) b
     LEFT JOIN ${resource.table} r ON r.store_id = b.store_id AND r.${scope} = b.scope
       AND (r.created_at, r.id) >= (b.at, b.id)
       AND (b.next_at IS NULL OR (r.created_at, r.id) < (b.next_at, b.next_id))
     GROUP BY b.scope, b.at, b.id, b.n`,
    [listKey(resource), world.storeId],
  )
  for (const { said, counted } of rows)
    expect(said, `what a block of ${resource.table} says it holds`).toBe(counted)
  return rows.length
}

describe.each(own.filter(({ specimen }) => specimen.operations.create))('$id', (listing) => {
  test('counts right while many write, and after the counters were merged', async () => {
    const samples = new Samples(world.admin, world.work)
    const path = await samples.path(listing.path)
    const room = await roomIn(samples, listing, path, 11)
    expect(room, 'how many may be made').toBeGreaterThan(3)
    const first = await makeIn(samples, listing, path)
    const made = await Promise.all(Array.from({ length: room - 3 }, () => makeIn(samples, listing, path)))
    const deletes = listing.specimen.operations.delete ? made.slice(0, 3) : []
    await Promise.all([
      ...deletes.map((one) => world.admin.delete(one.path)),
      merge(),
      makeIn(samples, listing, path),
      makeIn(samples, listing, path),
    ])
    const total = (await expected(world, listing, first.id, 'id')).length
    expect(total, 'how many rows there are').toBeGreaterThanOrEqual(room - deletes.length)
    expect(await totalOf(path), 'the total before merging').toBe(total)
    await merge()
    expect(await totalOf(path), 'the total after merging').toBe(total)
  })
})

describe.each(own)('$id', (listing) => {
  test('finds deep pages right, before and after its blocks are made and rows move', async () => {
    const samples = new Samples(world.admin, world.work)
    const path = await samples.path(listing.path)
    // They stay: the key that this test calls with may be one of them.
    const there = idsOf(await world.admin.get(path))
    await fill(world, samples, listing, path, 5_000)
    const anId = idsOf(await world.admin.get(path))[0] as string
    const expectRight = async (when: string) => {
      const order = await expected(world, listing, anId, orderOf(listing.specimen.resource))
      expect(await totalOf(path), `the total ${when}`).toBe(order.length)
      const offsets = [0, 1, 201, 2048, 4095, 4096, order.length - 3, order.length, order.length + 50]
      for (const offset of offsets.filter((one) => one >= 0)) {
        const reply = await world.admin.get(`${path}?page[limit]=5&page[offset]=${offset}`)
        expect(idsOf(reply), `from ${offset}, ${when}`).toEqual(order.slice(offset, offset + 5))
      }
      if (listing.specimen.resource.sort?.includes('created_at')) {
        const reply = await world.admin.get(`${path}?sort=created_at&page[limit]=5&page[offset]=4000`)
        const oldest = await expected(world, listing, anId, 'created_at')
        expect(idsOf(reply), `from 4000, the oldest first, ${when}`).toEqual(oldest.slice(4000, 4005))
      }
      return order
    }
    await expectRight('before merging')
    await merge()
    const order = await expectRight('after merging')
    const blocks = await expectTrueBlocks(listing)
    expect(blocks > 1, `that there are blocks of ${order.length} rows`).toBe(order.length > 4096)
    const { resource } = listing.specimen
    const victims = order
      .filter((id, i) => id !== anId && !there.includes(id) && i % 7 === 3)
      .slice(0, order.length > 100 ? undefined : 0)
    await world.sql(
      `DELETE FROM ${resource.table} r WHERE ${shownId(resource, 'r')} = ANY($1) AND store_id = $2`,
      [victims, world.storeId],
    )
    await expectRight('after deleting')
    await merge()
    await expectRight('after deleting and merging')
    await expectTrueBlocks(listing)
  })
})
