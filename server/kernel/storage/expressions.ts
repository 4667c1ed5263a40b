/** SQL expressions that statements share. Their argument is the SQL of a value. */

/**
 * A text as it is compared where case does not matter. Columns have the collation "C", whose `lower` knows only ASCII:
 * without another collation a column would not be folded as a value is. Indexes are on the same expression.
 */
export const caseless = (text: string): string => `lower(${text} COLLATE "default")`

/** A time as answers show it, whatever the session's time zone is. */
export const isoTime = (time: string): string =>
  `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
