/**
 * SQL conditions for resources with `editions`: a row is valid from the edition `since` to before the edition `until`.
 * `alias` is the table's, if the statement has one.
 */

/** The value of `until` while no later edition has ended the row: the column's default. */
export const noEnd = 2147483647

const prefix = (alias?: string) => (alias ? `${alias}.` : '')

/** The condition for rows that are valid in an edition; `edition` is its placeholder: `$3::int`. */
export const inEdition = (edition: string, alias?: string): string =>
  `${prefix(alias)}since <= ${edition} AND ${prefix(alias)}until > ${edition}`

/** The length of a whole list in an edition, as its publisher stored it. `list` and `scope` are SQL. */
export const editionTotal = (list: string, scope: string, edition: string): string =>
  `SELECT n FROM edition_totals WHERE store_id = $1 AND list = ${list} AND scope = ARRAY[${scope}] AND ${inEdition(edition)}`

/**
 * The condition for rows that an edition has brought. The first one brings all, so indexes by `since` have only rows
 * of later ones, and PostgreSQL uses such an index only for a statement that says so.
 */
export const broughtBy = (edition: number, placeholder: string): string =>
  edition > 1 ? `since = ${placeholder} AND since > 1` : `since = ${placeholder}`

/** The condition for rows that no edition has ended yet. */
export const isCurrent = (alias?: string): string => `${prefix(alias)}until = ${noEnd}`

/**
 * The condition for rows that some edition has ended: few of many, with indexes of their own. PostgreSQL uses these
 * only for a statement that says so: a plan for no particular value does not know that it is less than `noEnd`.
 */
export const hasEnded = (alias?: string): string => `${prefix(alias)}until < ${noEnd}`
