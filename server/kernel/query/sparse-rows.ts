import type { Model } from '../shape/model.ts'
import { keyOf, order, type Window } from './page-text.ts'

/** What a filtered list's page is made from: conditions, and a limit and an offset that may be placeholders. */
interface Matching {
  /** On the rows that the list has without the filter; of these, behind the cursor if there is one. */
  readonly place: string
  /** The filter's. */
  readonly condition: string
  readonly limit: number | string
  readonly offset: number | string
  /** Not the keys alone. */
  readonly whole: boolean
}

/** So few matches are fetched and sorted sooner than met by going through the list. */
const fewMax = 1000

/**
 * What identifies a page's rows, or all of their columns, and the table that they are taken from. Where many rows
 * match, and lie all over the list, they are met soon by going through it in its order. Where few match, or all of them
 * far behind, every match is fetched and sorted, which costs about what counting them did. The planner only guesses
 * which it is, and a limit makes it hope. So the list is gone through for no more than an eighth as many rows as match
 * (`near`), and every match is taken if that did not fill the page.
 */
export function sparseRows(
  resource: Model,
  window: Window,
  { place, condition, limit, offset, whole }: Matching,
): { readonly near: string; readonly rows: string } {
  const { table } = resource
  const key = whole ? '*' : keyOf(resource).join(', ')
  const keys = whole ? '*' : [...new Set([...keyOf(resource), window.column])].join(', ')
  const by = `ORDER BY ${order(window)}`
  const cut = `${by} OFFSET ${offset} LIMIT ${limit}`
  const passed = `least(${offset} + ${limit}, t.total) + t.total / 8`
  // Conditions go by the table's name.
  const walked =
    `SELECT ${keys} FROM (SELECT * FROM ${table} WHERE ${place} AND t.total > ${fewMax} ${by} LIMIT ${passed}) ` +
    `${nameOf(table)} WHERE ${condition} ${cut}`
  const filled = `(SELECT count(*) FROM near) >= least(${limit}, t.total - ${offset})`
  // OFFSET 0 hides the limit from the planner.
  const every = `SELECT ${keys} FROM ${table} WHERE ${place} AND ${condition} AND NOT ${filled} OFFSET 0`
  return {
    near: `near AS MATERIALIZED (SELECT walked.* FROM t CROSS JOIN LATERAL (${walked}) walked)`,
    rows: `(SELECT ${key} FROM near WHERE ${filled}) UNION ALL (SELECT ${key} FROM (${every}) every ${cut})`,
  }
}

/** A list may be of a query's rows: its name is the last word. */
const nameOf = (table: string) => /\w+$/.exec(table)?.[0]
