import { isCurrent } from '../../kernel/storage/editions.ts'
import type { Work } from '../../kernel/work/context.ts'

/** How an edition changes the lengths of a catalog's lists. They are counted as rows are written, and stored once. */
export class EditionTotals {
  readonly #changes = new Map<string, number>()

  /** `scope` begins with the catalog. */
  count(list: string, scope: readonly string[], by: 1 | -1): void {
    const key = `${list} {${scope.join()}}`
    this.#changes.set(key, (this.#changes.get(key) ?? 0) + by)
  }

  async store({ store }: Work, edition: number): Promise<void> {
    const changes = [...this.#changes].filter(([, by]) => by !== 0)
    if (!changes.length) return
    await store.runLong(
      `WITH change AS (
         SELECT split_part(key, ' ', 1) AS list, split_part(key, ' ', 2)::uuid[] AS scope, by
         FROM unnest($2::text[], $3::bigint[]) AS input (key, by)
       ), ended AS (
         UPDATE edition_totals t SET until = $4::int FROM change c
         WHERE t.store_id = $1 AND t.list = c.list AND t.scope = c.scope AND ${isCurrent('t')}
         RETURNING t.list, t.scope, t.n
       )
       INSERT INTO edition_totals (store_id, list, scope, since, n)
       SELECT $1, c.list, c.scope, $4::int, coalesce(e.n, 0) + c.by FROM change c LEFT JOIN ended e USING (list, scope)`,
      changes.map(([key]) => key),
      changes.map(([, by]) => by),
      edition,
    )
  }
}
