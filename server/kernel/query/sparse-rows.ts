import type { Model } from '../shape/model.ts'
import { address, keyOf, order, type Window } from './page-text.ts'

/** The parts of a filtered page's query; limit and offset may be placeholders. */
interface Matching {
  /** The condition for the rows of the list without the filter; with a cursor, only those after it. */
  readonly place: string
  /** The condition of the filter. */
  readonly condition: string
  readonly limit: number | string
  readonly offset: number | string
  /** Whether to return whole rows, and not only keys. */
  readonly whole: boolean
  /**
   * Whether an index has the keys of all matches, but is read as a whole: then the planner must not read all rows
   * instead. `behind` is the rest of `place`.
   */
  readonly inIndex?: { readonly behind: string | undefined } | undefined
}

/** Up to this many matches, fetching and sorting all of them is faster than walking the list. */
const fewMax = 1000

/**
 * The rows of a filtered page, or their keys, and the table that the query needs first. If many rows match all over
 * the list, a walk in the list's order soon finds a page of them. If few rows match, or all of them are far down, it
 * is faster to fetch and sort every match, which costs about as much as counting them. The planner cannot tell the two
 * cases apart. So the query first walks as many rows as it skips and shows, plus an eighth of the number of matches
 * (`near`). If that does not fill the page, it fetches every match.
 */
export function sparseRows(
  resource: Model,
  window: Window,
  { place, condition, limit, offset, whole, inIndex }: Matching,
): { readonly near: string; readonly rows: string } {
  const { table } = resource
  const key = whole ? '*' : keyOf(resource).join(', ')
  const keys = whole ? '*' : [...new Set([...keyOf(resource), window.column])].join(', ')
  const by = `ORDER BY ${order(window)}`
  const cut = `${by} OFFSET ${offset} LIMIT ${limit}`
  const passed = `least(${offset} + ${limit}, t.total) + t.total / 8`
  // The conditions refer to columns by the table's name.
  const walked =
    `SELECT ${keys} FROM (SELECT * FROM ${table} WHERE ${place} AND t.total > ${fewMax} ${by} LIMIT ${passed}) ` +
    `${nameOf(table)} WHERE ${condition} ${cut}`
  const filled = `(SELECT count(*) FROM near) >= least(${limit}, t.total - ${offset})`
  // OFFSET 0 hides the limit from the planner.
  const matches = (columns: string, place: string) =>
    `SELECT ${columns} FROM ${table} WHERE ${place} AND ${condition} AND NOT ${filled} OFFSET 0`
  const every = inIndex
    ? lookUp(resource, matches(keyOf(resource).join(', '), address(resource)), keys, inIndex.behind)
    : matches(keys, place)
  return {
    near: `near AS MATERIALIZED (SELECT walked.* FROM t CROSS JOIN LATERAL (${walked}) walked)`,
    rows: `(SELECT ${key} FROM near WHERE ${filled}) UNION ALL (SELECT ${key} FROM (${every}) every ${cut})`,
  }
}

/** The rows with these keys, which the planner cannot join in another way. */
function lookUp(resource: Model, matches: string, columns: string, behind = 'true'): string {
  const one = keyOf(resource).map((name) =>
    name === 'store_id' ? 'store_id = $1::uuid' : `${name} = found.${name}`,
  )
  const row = `SELECT ${columns} FROM ${resource.table} WHERE ${[...one, behind].join(' AND ')} OFFSET 0`
  return `SELECT one.* FROM (${matches}) found CROSS JOIN LATERAL (${row}) one`
}

/** A table may be a subquery with a name: the last word. */
const nameOf = (table: string) => /\w+$/.exec(table)?.[0]
