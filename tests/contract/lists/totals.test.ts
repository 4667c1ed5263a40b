import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listKey } from '../../../server/kernel/query/places.ts'
import { orderOf } from '../../../server/kernel/shape/model.ts'
import type { Samples } from '../../builders/samples.ts'
import { isLong } from '../../support/long.ts'
import { type Merger, smallBlock, takeOverMerging } from '../../support/merge-totals.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { listTraits, representativesOf } from '../classes.ts'
import {
  expected,
  fill,
  idsOf,
  isOwn,
  type Listing,
  listings,
  makeIn,
  roomIn,
  samplesOfEach,
} from '../listings.ts'
import { shownId } from '../shown-ids.ts'

let world: World
let merger: Merger
let samplesOf: (listing: Listing) => Samples
beforeAll(async () => {
  world = await openWorld({ ...appAndWorkshop, alone: true })
  samplesOf = samplesOfEach(world)
  merger = await takeOverMerging(world)
})
afterAll(async () => {
  await merger.close()
  await world.close()
})

const own = listings.filter(isOwn)
const totalOf = async (path: string): Promise<number> =>
  (await world.admin.get(`${path}?page[limit]=1`)).body.meta.results.total

/**
 * Each block of the list says how many rows lie between its start and the next one's, in each order and on both levels;
 * the larger ones begin where smaller ones do. How many hold rows.
 */
async function expectTrueBlocks({ specimen: { resource } }: Listing): Promise<number> {
  const scope = resource.scopeColumns.at(-1) ?? 'store_id'
  const at = `CASE b.sorted_by WHEN 'created_at' THEN r.created_at WHEN 'updated_at' THEN r.updated_at ELSE '-infinity' END`
  const { rows } = await world.sql(
    `SELECT b.sorted_by, b.level, b.n::int AS stored, count(r.id)::int AS counted, EXISTS (SELECT FROM list_blocks s
         WHERE (s.store_id, s.list, s.scope, s.sorted_by, s.level, s.at, s.id)
           = (b.store_id, b.list, b.scope, b.sorted_by, 0, b.at, b.id)) AS begins_one
     FROM (
       SELECT *, lead((at, id)) OVER w AS next_start, lead(at) OVER w AS next_at, lead(id) OVER w AS next_id
       FROM list_blocks WHERE list = $1 AND store_id = $2
       WINDOW w AS (PARTITION BY scope, sorted_by, level ORDER BY at, id)) b
     LEFT JOIN ${resource.table} r ON r.store_id = b.store_id AND r.${scope} = b.scope
       AND (${at}, r.id) >= (b.at, b.id) AND (b.next_at IS NULL OR (${at}, r.id) < (b.next_at, b.next_id))
     GROUP BY b.store_id, b.list, b.scope, b.sorted_by, b.level, b.at, b.id, b.n`,
    [listKey(resource), world.storeId],
  )
  for (const { sorted_by, level, stored, counted, begins_one } of rows) {
    expect(stored, `what a block of level ${level} of ${resource.table} by ${sorted_by} says`).toBe(counted)
    expect(begins_one, 'that a block of rows begins there').toBe(true)
  }
  for (const level of [0, 1]) {
    const orders = new Set(rows.filter((row) => row.level === level).map(({ sorted_by }) => sorted_by))
    expect(orders.size, `orders with blocks of level ${level}`).toBe(rows.length ? 3 : 0)
  }
  return rows.filter(({ level, sorted_by }) => level === 0 && sorted_by === 'id').length
}

const made = own.filter(({ specimen }) => specimen.operations.create)

describe.each(representativesOf(made, listTraits))('$id', (listing) => {
  test('has the right total under concurrent writes, and after the counters are merged', async () => {
    const samples = samplesOf(listing)
    const path = await samples.path(listing.path)
    const room = await roomIn(samples, listing, path, 11)
    expect(room, 'how many may be made').toBeGreaterThan(3)
    const first = await makeIn(samples, listing, path)
    const objects = await Promise.all(Array.from({ length: room - 3 }, () => makeIn(samples, listing, path)))
    const deletes = listing.specimen.operations.delete ? objects.slice(0, 3) : []
    await Promise.all([
      ...deletes.map((one) => world.admin.delete(one.path)),
      merger.merge(),
      makeIn(samples, listing, path),
      makeIn(samples, listing, path),
    ])
    const total = (await expected(world, listing, first.id, 'id')).length
    expect(total, 'how many rows there are').toBeGreaterThanOrEqual(room - deletes.length)
    expect(await totalOf(path), 'the total before merging').toBe(total)
    await merger.merge()
    expect(await totalOf(path), 'the total after merging').toBe(total)
  })
})

/** As many make blocks on both levels, and some are behind where whole rows are skipped. */
const rowsOfList = isLong ? 600 : 330

describe.each(representativesOf(own, listTraits))('$id', (listing) => {
  test('has the right deep pages before and after blocks are created and rows move', async () => {
    const samples = samplesOf(listing)
    const path = await samples.path(listing.path)
    // They stay: the key that this test calls with may be one of them.
    const there = idsOf(await world.admin.get(path))
    // What is listed there may be in other lists too, and be there by now.
    await fill(world, samples, listing, path, Math.max(2, rowsOfList - (await totalOf(path))))
    const anId = idsOf(await world.admin.get(path))[0] as string
    const expectRight = async (when: string) => {
      const order = await expected(world, listing, anId, orderOf(listing.specimen.resource))
      expect(await totalOf(path), `the total ${when}`).toBe(order.length)
      const offsets = [0, 1, 199, 201, 320, order.length - 3, order.length, order.length + 50]
      for (const offset of offsets.filter((one) => one >= 0)) {
        const reply = await world.admin.get(`${path}?page[limit]=5&page[offset]=${offset}`)
        expect(idsOf(reply), `from ${offset}, ${when}`).toEqual(order.slice(offset, offset + 5))
      }
      if (listing.specimen.resource.sort?.includes('created_at')) {
        const reply = await world.admin.get(`${path}?sort=created_at&page[limit]=5&page[offset]=300`)
        const oldest = await expected(world, listing, anId, 'created_at')
        expect(idsOf(reply), `from 300, the oldest first, ${when}`).toEqual(oldest.slice(300, 305))
      }
      return order
    }
    await expectRight('before merging')
    const { resource } = listing.specimen
    // There is nothing to merge.
    if (resource.counted === false || resource.editions) return
    await merger.merge()
    const order = await expectRight('after merging')
    const blocks = await expectTrueBlocks(listing)
    expect(blocks > 1, `that there are blocks of ${order.length} rows`).toBe(order.length > smallBlock)
    const victims = order
      .filter((id, i) => id !== anId && !there.includes(id) && i % 7 === 3)
      .slice(0, order.length > 100 ? undefined : 0)
    // One by one: what hangs on one of them may be another.
    for (const victim of victims) {
      await world.sql(
        `DELETE FROM ${resource.table} r WHERE ${shownId(resource, 'r')} = $1 AND store_id = $2`,
        [victim, world.storeId],
      )
    }
    await expectRight('after deleting')
    await merger.merge()
    await expectRight('after deleting and merging')
    await expectTrueBlocks(listing)
  })
})
