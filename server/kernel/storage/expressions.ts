/** SQL expressions that statements share. Their argument is the SQL of a value. */

/**
 * A text for comparisons that ignore case. Columns have the collation "C", whose `lower` only folds ASCII, so the
 * default collation folds columns and values alike. Indexes use the same expression.
 */
export const caseless = (text: string): string => `lower(${text} COLLATE "default")`

/** A time as responses show it, in any session time zone. */
export const isoTime = (time: string): string =>
  `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
