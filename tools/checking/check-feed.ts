import { app } from '../../server/app.ts'
import type { Database } from '../../server/kernel/storage/database.ts'
import type { Progress } from '../progress.ts'
import { type CheckResult, Findings, inOneMoment } from './check.ts'

const tablesInFeed = () =>
  new Set(
    app.flatMap(({ operations }) =>
      operations.flatMap(({ of }) =>
        of.is === 'resource' && !of.resource.editions ? [of.resource.table] : [],
      ),
    ),
  )

/**
 * Compares the change feed with the rows: positions have no gaps but those that are recorded, and the last change of
 * each object is the version that it has, or its deletion. A store that has erased personal data has fewer changes:
 * nothing says how many.
 */
export function checkFeed(database: Database, progress: Progress): Promise<CheckResult> {
  return inOneMoment(database, async (connection) => {
    const findings = new Findings(progress)
    const feeds = await connection.run({ text: positions, values: [], long: true })
    findings.add(
      'positions',
      feeds.length,
      feeds.flatMap(([store, expected, n, hasErased]) =>
        expected === n || (hasErased === 't' && Number(n) < Number(expected))
          ? []
          : [`store ${store}: the feed should have ${expected} changes, and has ${n}`],
      ),
      0,
    )
    const tables = tablesInFeed()
    let done = 0
    for (const table of tables) {
      const [all, ...wrong] = await connection.run({ text: lastChanges(table), values: [table], long: true })
      findings.add(
        table,
        Number(all?.[1]),
        wrong.map(
          ([id, inFeed, inTable]) =>
            `${table} ${id}: the feed ends with ${inFeed}, and the object has ${inTable}`,
        ),
        ++done / tables.size,
      )
    }
    return findings.result
  })
}

const positions = `
  SELECT f.store_id, f.position - f.trimmed - (
      SELECT coalesce(sum(g.until - greatest(g.after, f.trimmed)), 0) FROM feed_gaps g
      WHERE g.store_id = f.store_id AND g.until > f.trimmed),
    (SELECT count(*) FROM changes c WHERE c.store_id = f.store_id AND c.position > f.trimmed AND c.position <= f.position),
    EXISTS (SELECT FROM erasure_requests e WHERE e.store_id = f.store_id AND e.doc->>'status' = 'SUCCESS')
      OR EXISTS (SELECT FROM orders o WHERE o.store_id = f.store_id AND o.doc->>'anonymized' = 'true')
  FROM feeds f ORDER BY 1`

/** The first row says how many objects the feed has; the others are those that differ. */
const lastChanges = (table: string) => `
  WITH latest AS (
    SELECT DISTINCT ON (store_id, id) store_id, id, event, version FROM (
      SELECT store_id, id, event, version, 0 AS fresh, position AS at FROM changes
      WHERE source = $1 AND event IN ('created', 'updated', 'deleted')
      UNION ALL SELECT store_id, id, event::text, version, 1, seq FROM fresh_changes
      WHERE source = $1 AND event IN ('created', 'updated', 'deleted')) c
    ORDER BY store_id, id, fresh DESC, at DESC)
  SELECT NULL::uuid, count(*)::text, NULL::text FROM latest
  UNION ALL SELECT l.id, CASE l.event WHEN 'deleted' THEN 'its deletion' ELSE 'version ' || l.version END,
    coalesce('version ' || t.version, 'been deleted')
  FROM latest l LEFT JOIN ${table} t USING (store_id, id)
  WHERE (l.event = 'deleted') <> (t.id IS NULL) OR (l.event <> 'deleted' AND l.version <> t.version)`
