import type { Chore } from '../../kernel/work/job.ts'
import { forgetBefore } from './editions.ts'

/** How many releases of a catalog keep their content: the current one and the two before it. */
export const editionsMax = 3

/** A client that walks a list of an edition may go on for this long after the edition is no longer kept. */
const graceMs = 15 * 60_000

/** Deletes the rows of editions that nobody may read any more. */
export const forgetEditions: Chore = {
  name: 'publishing:forget-editions',
  attemptsMax: 3,
  every: '*/10 * * * *',
  run: async ({ database, clock }) => {
    const rows = await database.run({
      text: `SELECT e.store_id, e.catalog_id, max(e.edition) FROM catalog_editions e
             WHERE e.edition <= (
               SELECT min(newest.edition) FROM (
                 SELECT k.edition FROM catalog_editions k JOIN catalog_releases r
                   ON r.store_id = k.store_id AND r.catalog_id = k.catalog_id AND r.id = k.release_id
                 WHERE k.store_id = e.store_id AND k.catalog_id = e.catalog_id
                 ORDER BY k.edition DESC LIMIT ${editionsMax}) newest)
             AND e.published_at <= $1
             GROUP BY 1, 2 HAVING count(*) > 1`,
      values: [new Date(clock.now().getTime() - graceMs)],
    })
    for (const [storeId, catalogId, edition] of rows) {
      const run = (text: string, ...values: readonly unknown[]) =>
        database.run({ text, values: [storeId, ...values], long: true })
      await forgetBefore({ run, runLong: run }, catalogId as string, Number(edition))
    }
  },
}
