/**
 * Tests that a run on Citus (SUTLER_TEST_CITUS_URL) skips, by the names of their files, and why. Without `test` it is
 * the whole file.
 */
export const notOnCitus: readonly {
  readonly file: string
  readonly test?: RegExp
  readonly reason: string
}[] = [
  {
    file: 'tests/orders/metrics/rows-read.test.ts',
    reason: 'it counts rows in plans, which Citus shows in another form',
  },
  {
    file: 'tests/kernel/query/indexed-pages.test.ts',
    test: /a generic plan suits/,
    reason: 'connections to Citus plan each statement for its values',
  },
  {
    file: 'tests/kernel/storage/silent-database.test.ts',
    reason: 'its proxy is before a socket, and sees no connections between nodes',
  },
  {
    file: 'tests/kernel/feed/feed-order.test.ts',
    reason: 'its own triggers write a table of the coordinator',
  },
  {
    file: 'tests/journeys/processes/database-outage.test.ts',
    reason: 'its proxy is before a socket, and sees no connections between nodes',
  },
  {
    file: 'tests/journeys/costs/generic-plans.test.ts',
    reason: 'connections to Citus plan each statement for its values',
  },
  {
    file: 'tests/kernel/feed/forget-changes.test.ts',
    test: /an index finds/,
    reason: 'it looks for an index in a plan, which Citus shows in another form',
  },
  {
    file: 'tests/assortment/variations/children-of-many.test.ts',
    test: /uses a generic plan/,
    reason: 'connections to Citus plan each statement for its values',
  },
  {
    file: 'tests/assortment/variations/children-of-many.test.ts',
    test: /no statement of a build/,
    reason: 'it counts rows by a trigger of statements, of which Citus has none',
  },
]
