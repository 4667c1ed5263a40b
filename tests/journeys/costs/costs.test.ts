import { readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'
import { actsIn } from './acts.ts'
import { type Cost, counterOf, counting } from './counter.ts'

/**
 * costs.jsonl says for each act what it costs PostgreSQL: see `Cost`. A change that makes one cost more, or less,
 * changes its line: `SUTLER_COSTS=write npm test -- tests/journeys/costs` writes the file.
 */
const file = new URL('costs.jsonl', import.meta.url)
const isWritten = process.env.SUTLER_COSTS === 'write'

/** The part by which counts may differ: WAL has more records where a page is split, or is full of old versions. */
const walVaries = 0.03
/** A row of more is stored in parts, whose old versions are many. */
const toastedBytes = 10_000
const walOfToastVaries = 0.25
const jobsVary = 0.2
/** On a busy machine an act takes a second, and what the process looks up every second falls into it. */
const statementsVary = 2
/** PostgreSQL keeps a plan or not by the sizes of the tables at that moment. */
const plansVary = 4
/** How often an act that costs something else is tried again. */
const againMax = 4

let world: World
beforeAll(async () => {
  world = await openWorld({
    postgres: counting,
    // Each connection plans a statement anew, so there is one.
    env: { SUTLER_DATABASE_CONNECTIONS: '1' },
  })
})
afterAll(() => world.close())

test('each act costs what costs.jsonl says', async () => {
  const acts = await actsIn(world)
  const { costOf } = await counterOf(world)
  if (isWritten) {
    const lines: string[] = []
    for (const [act, one] of Object.entries(acts)) lines.push(JSON.stringify({ act, ...(await costOf(one)) }))
    return writeFileSync(file, `${lines.join('\n')}\n`)
  }
  const table = readFileSync(file, 'utf8').trimEnd().split('\n')
  const written = table.map((line) => JSON.parse(line) as Cost & { readonly act: string })
  // A count that is close enough is shown as it is written, so that a failure shows the others.
  const counted: unknown[] = []
  for (const [act, one] of Object.entries(acts)) {
    const usual = written.find((line) => line.act === act)
    const count = async () => {
      const cost = await costOf(one)
      return { act, ...(usual ? rounded(cost, usual, one.hasJobs) : cost) }
    }
    let cost = await count()
    // What the process does by itself on a busy machine is gone in one of some tries; what an act costs is not.
    for (let again = 0; again < againMax && !isDeepStrictEqual(cost, usual); again++) cost = await count()
    counted.push(cost)
  }
  expect(counted).toEqual(written)
}, 300_000)

function rounded(cost: Cost, usual: Cost, hasJobs = false): Cost {
  const near = (count: number, other = 0, part = hasJobs ? jobsVary : 0) =>
    Math.abs(count - other) <= Math.ceil(other * part) ? other : count
  const rows = Object.entries(cost.rows).map(([table, count]) => [table, near(count, usual.rows[table])])
  const part = hasJobs ? jobsVary : usual.walBytes > toastedBytes ? walOfToastVaries : walVaries
  return {
    ...cost,
    statements:
      Math.abs(cost.statements - usual.statements) > statementsVary
        ? near(cost.statements, usual.statements)
        : usual.statements,
    ...(cost.plans !== undefined && {
      plans: Math.abs(cost.plans - (usual.plans ?? 0)) > plansVary ? cost.plans : usual.plans,
    }),
    rows: Object.fromEntries(rows),
    walRecords: near(cost.walRecords, usual.walRecords, part),
    walBytes: near(cost.walBytes, usual.walBytes, part),
  }
}
