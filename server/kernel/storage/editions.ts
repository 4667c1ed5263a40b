/**
 * Rows of resources with `editions` hold from the edition `since` up to, not including, the edition `until`. The SQL
 * conditions that read them; `alias` is the table's, if the statement has one.
 */

/** The value of `until` while no later edition has ended the row: the default of the column. */
export const noEnd = 2147483647

const prefix = (alias?: string) => (alias ? `${alias}.` : '')

/** The rows that hold in an edition, which is bound as `edition`: `$3::int`. */
export const inEdition = (edition: string, alias?: string): string =>
  `${prefix(alias)}since <= ${edition} AND ${prefix(alias)}until > ${edition}`

/** The length of a whole list in an edition, as its publisher stored it. `list` and `scope` are SQL. */
export const editionTotal = (list: string, scope: string, edition: string): string =>
  `SELECT n FROM edition_totals WHERE store_id = $1 AND list = ${list} AND scope = ARRAY[${scope}] AND ${inEdition(edition)}`

/** The rows that no edition has ended yet. */
export const isCurrent = (alias?: string): string => `${prefix(alias)}until = ${noEnd}`
