import { app } from '../../server/app.ts'
import { listKey } from '../../server/kernel/query/places.ts'
import type { Database } from '../../server/kernel/storage/database.ts'
import type { Progress } from '../progress.ts'
import { type CheckResult, Findings, inOneMoment } from './check.ts'

/** Lists with counters, by their keys: the table, and the column of the innermost parent. */
const countedLists = () =>
  new Map(
    app
      .flatMap(({ operations }) =>
        operations.flatMap(({ of }) => (of.is === 'resource' && of.name === 'list' ? [of.resource] : [])),
      )
      .filter(({ counted, editions }) => counted !== false && !editions)
      .map((resource) => [listKey(resource), { table: resource.table, scope: resource.scopeColumns.at(-1) }]),
  )

/** Compares the total of each list with its rows. */
export function checkTotals(database: Database, progress: Progress): Promise<CheckResult> {
  const lists = countedLists()
  return inOneMoment(database, async (connection) => {
    const findings = new Findings(progress)
    let done = 0
    for (const [list, { table, scope }] of lists) {
      const rows = await connection.run({
        text: comparison(table, scope ?? 'store_id'),
        values: [list],
        long: true,
      })
      const [all, ...wrong] = rows
      findings.add(
        list,
        Number(all?.[2]),
        wrong.map(
          ([store, of, total, n]) =>
            `${list} of ${of} in store ${store}: the total is ${total}, and there are ${n}`,
        ),
        ++done / lists.size,
      )
    }
    return findings.result
  })
}

/** The first row says how many lists there are; the others are those that differ. */
const comparison = (table: string, scope: string) => `
  WITH counted AS (
    SELECT store_id, scope, sum(n) AS n FROM (
      SELECT store_id, scope, n FROM list_totals WHERE list = $1
      UNION ALL SELECT store_id, scope, n FROM list_deltas WHERE list = $1) c GROUP BY 1, 2),
  actual AS (SELECT store_id, ${scope} AS scope, count(*) AS n FROM ${table}
    WHERE ${scope} IS NOT NULL GROUP BY 1, 2),
  compared AS (
    SELECT store_id, scope, coalesce(c.n, 0) AS total, coalesce(a.n, 0) AS n
    FROM counted c FULL JOIN actual a USING (store_id, scope))
  SELECT NULL::uuid, NULL::uuid, count(*)::text, NULL::text FROM compared
  UNION ALL SELECT store_id, scope, total::text, n::text FROM compared WHERE total <> n`
