import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Bound, boundSql, rangeTotalSql } from '../../../server/kernel/query/places.ts'
import { accounts } from '../../../server/people/accounts/accounts.ts'
import { tries } from '../../support/long.ts'
import { type Merger, takeOverMerging } from '../../support/merge-totals.ts'
import { openWorld, type World } from '../../support/world.ts'

/** Totals of ranges and pages at any place, against counting: whatever is written, and merged, in whatever order. */

let world: World
let merger: Merger
beforeAll(async () => {
  world = await openWorld({ alone: true })
  // So small that some dozens of rows make blocks on both levels.
  merger = await takeOverMerging(world, 6, 4)
})
afterAll(async () => {
  await merger.close()
  await world.close()
})
beforeEach(() => world.sql('TRUNCATE accounts, list_totals, list_deltas, list_moves, list_blocks CASCADE'))

const columns = ['id', 'created_at', 'updated_at'] as const
type Row = Record<(typeof columns)[number], string>

const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString()
/** Few times, so that many rows share one. */
const aTime = fc.integer({ min: 0, max: 20 }).map(day)
/** Of anywhere, as clients bring them; and in the order of making, as the server's own. */
const anId = fc.oneof(fc.uuid(), fc.uuid({ version: 7 }))
const aRow = fc.record({ id: anId, created_at: aTime, updated_at: aTime })

const insert = (rows: readonly Row[]) =>
  world.sql(
    `INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
     SELECT $1, r.id, r.created_at, r.updated_at, '{"name": "x"}'
     FROM json_to_recordset($2) AS r (id uuid, created_at timestamptz, updated_at timestamptz)
     ON CONFLICT DO NOTHING`,
    [world.storeId, JSON.stringify(rows)],
  )
/** Those of the rows, in the order of their ids, whose number is `of` modulo `modulo`. */
const some = `id IN (SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM accounts WHERE store_id = $1) r
  WHERE n % $2 = $3)`
const remove = (modulo: number, of: number) =>
  world.sql(`DELETE FROM accounts WHERE store_id = $1 AND ${some}`, [world.storeId, modulo, of])
/** All from one place of an order to another, in hundredths of the list: whole blocks. */
const removeFrom = (column: string, from: number, hundredths: number) =>
  world.sql(
    `DELETE FROM accounts WHERE store_id = $1 AND id IN (
       SELECT id FROM (SELECT id, percent_rank() OVER (ORDER BY ${column}, id) * 100 AS at FROM accounts WHERE store_id = $1) r
       WHERE at >= $2 AND at < $3)`,
    [world.storeId, from, from + hundredths],
  )
const touch = (modulo: number, of: number, to: string) =>
  world.sql(`UPDATE accounts SET version = version + 1, updated_at = $4 WHERE store_id = $1 AND ${some}`, [
    world.storeId,
    modulo,
    of,
    to,
  ])

const aStep = fc.oneof(
  { weight: 3, arbitrary: fc.array(aRow, { minLength: 1, maxLength: 60 }).map((rows) => () => insert(rows)) },
  fc.tuple(fc.integer({ min: 1, max: 5 }), fc.nat(4)).map(
    ([modulo, of]) =>
      () =>
        remove(modulo, of),
  ),
  fc.tuple(fc.constantFrom(...columns), fc.nat(99), fc.integer({ min: 5, max: 30 })).map(
    ([column, from, hundredths]) =>
      () =>
        removeFrom(column, from, hundredths),
  ),
  fc.tuple(fc.integer({ min: 1, max: 5 }), fc.nat(4), aTime).map(
    ([m, of, to]) =>
      () =>
        touch(m, of, to),
  ),
  { weight: 3, arbitrary: fc.constant(() => merger.merge()) },
)

/** A range of one order, and a page of it. */
const aQuestion = fc.record({
  column: fc.constantFrom(...columns),
  descending: fc.boolean(),
  lower: fc.option(fc.constantFrom('gt', 'ge')),
  upper: fc.option(fc.constantFrom('lt', 'le')),
  /** Which rows' values are the ends of the range, in thousandths; ends without rows too. */
  ends: fc.tuple(fc.nat(1000), fc.nat(1000)),
  strange: fc.option(fc.tuple(anId, aTime)),
  limit: fc.integer({ min: 1, max: 30 }),
  offset: fc.oneof(fc.constant(0), fc.nat(40), fc.nat(200)),
})
type Question = typeof aQuestion extends fc.Arbitrary<infer Q> ? Q : never

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const meets = {
  gt: (a: string, b: string) => a > b,
  ge: (a: string, b: string) => a >= b,
  lt: (a: string, b: string) => a < b,
  le: (a: string, b: string) => a <= b,
}

async function ask({ column, descending, lower, upper, ends, strange, limit, offset }: Question) {
  const { rows } = await world.sql('SELECT id, created_at, updated_at FROM accounts WHERE store_id = $1', [
    world.storeId,
  ])
  const all: Row[] = rows.map(({ id, created_at, updated_at }) => ({
    id,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }))
  all.sort((a, b) => compare(a[column], b[column]) || compare(a.id, b.id))
  const valueAt = (end: number) =>
    all[Math.floor((end * all.length) / 1001)]?.[column] ?? (column === 'id' ? randomUUID() : day(3))
  const stranger = strange && (column === 'id' ? strange[0] : strange[1])
  const bounds: Bound[] = []
  if (lower) bounds.push({ op: lower, value: valueAt(ends[0]) })
  if (upper) bounds.push({ op: upper, value: stranger ?? valueAt(ends[1]) })
  const within = all.filter((row) => bounds.every(({ op, value }) => meets[op](row[column], value)))
  if (descending) within.reverse()

  const query = new URLSearchParams({
    sort: (descending ? '-' : '') + column,
    'page[limit]': String(limit),
    'page[offset]': String(offset),
    ...(bounds.length && { filter: bounds.map(({ op, value }) => `${op}(${column},"${value}")`).join(':') }),
  })
  const { body } = await world.admin.get(`/v2/accounts?${query}`)
  const what = decodeURIComponent(String(query))
  expect(body.meta.results.total, `the total of ${what}`).toBe(within.length)
  expect(
    body.data.map(({ id }: Row) => id),
    `the page of ${what}`,
  ).toEqual(within.slice(offset, offset + limit).map(({ id }) => id))
}

test('a range has an exact total and the right pages after any writes and merges', async () => {
  const history = fc.asyncProperty(
    fc.array(aStep, { minLength: 10, maxLength: 30, size: 'max' }),
    fc.array(aQuestion, { minLength: 8, maxLength: 8 }),
    async (steps, questions) => {
      await world.sql('TRUNCATE accounts, list_totals, list_deltas, list_moves, list_blocks CASCADE')
      for (const step of steps) await step()
      for (const question of questions) await ask(question)
    },
  )
  await fc.assert(history, { numRuns: tries(8, 25), endOnFailure: true })
}, 120_000)

test('a large block without its first rows is split correctly', async () => {
  const onDay = (n: number): Row => ({ id: randomUUID(), created_at: day(n), updated_at: day(n) })
  await insert(Array.from({ length: 60 }, (_, i) => onDay(i)))
  await merger.merge()
  // Three rows to a block, two blocks to a larger one: one of these begins both.
  for (const first of [3, 12]) {
    await world.sql('DELETE FROM accounts WHERE store_id = $1 AND created_at >= $2 AND created_at < $3', [
      world.storeId,
      day(first),
      day(first + 3),
    ])
    await merger.merge()
    await insert(Array.from({ length: 30 }, (_, i) => onDay(first + 3 + i / 100)))
    await merger.merge()
    const { body } = await world.admin.get(`/v2/accounts?filter=ge(created_at,${day(40)})&sort=created_at`)
    expect(body.meta.results.total, `the rows behind, after ${first}`).toBe(20)
    const before = await world.admin.get(`/v2/accounts?filter=lt(created_at,${day(40)})&page[limit]=1`)
    expect(before.body.meta.results.total, 'and before').toBe(first === 3 ? 40 - 3 + 30 : 40 - 6 + 60)
  }
})

test('every snapshot has exact totals of ranges while others write and merge', async () => {
  const { database } = world.server.instance
  await insert(fc.sample(aRow, 300))
  await merger.merge()
  let stopped = false
  // One deletes and changes: two could wait for each other's rows.
  const rewrites = [
    () => remove(7, Math.floor(Math.random() * 7)),
    () => touch(5, Math.floor(Math.random() * 5), day(Math.floor(Math.random() * 20))),
  ]
  const writes = [
    () => insert(fc.sample(aRow, 20)),
    async () => {
      for (const rewrite of rewrites) await rewrite()
    },
  ]
  const keepOn = async (act: () => Promise<unknown>) => {
    while (!stopped) await act()
  }
  // The server's own connections: those of the test are two, which the others use.
  const onePage = async (column: (typeof columns)[number]) => {
    const ends = fc.sample(column === 'id' ? anId : aTime, 2).sort()
    const bounds = ends.map(
      (_, i): Bound => ({
        op:
          fc.sample(
            fc.constantFrom(
              ...(
                [
                  ['gt', 'ge'],
                  ['lt', 'le'],
                ] as const
              )[i === 0 ? 0 : 1],
            ),
            1,
          )[0] ?? 'gt',
        value: `$${i + 2}`,
      }),
    )
    const total = rangeTotalSql(accounts, { column, bounds })
    const met = bounds.map((bound) => boundSql(column, bound)).join(' AND ')
    const [row] = await database.run({
      text: `SELECT t.total, (SELECT count(*) FROM accounts WHERE store_id = $1 AND ${met}) FROM (${total}) t`,
      values: [world.storeId, ...ends],
    })
    expect(row?.[0], `the total by ${column}, ${JSON.stringify(bounds)} ${ends}`).toBe(row?.[1])
  }
  const others = [keepOn(() => merger.merge()), ...writes.map(keepOn)]
  try {
    for (let i = 0; i < 100; i++) await Promise.all(columns.map(onePage))
  } finally {
    stopped = true
    await Promise.all(others)
  }
})
