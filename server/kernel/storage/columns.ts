import type { Tuple } from './database.ts'

/** The SQL of a column whose text is the value, or the SQL with the function that reads the text. */
type Column = string | readonly [sql: string, read: (text: string) => unknown]

type ValueOf<C> = C extends readonly [string, (text: never) => infer T] ? T : string

type NamedValues<C> = { readonly [Name in keyof C]: ValueOf<C[Name]> }

/** The columns of a statement, by names. */
export interface Columns<T> {
  /** For the list after SELECT or RETURNING. */
  readonly sql: string
  /** How many there are. */
  readonly count: number
  /** The values of a row that begins with these columns. */
  readonly read: (tuple: Tuple) => T
}

/**
 * Names the columns of a statement beside how their texts are read: `number`, `flag`, `json`. A column that may be null
 * says so with `optional` or `optionalText`.
 */
export function columns<const C extends Readonly<Record<string, Column>>>(named: C): Columns<NamedValues<C>> {
  const list = Object.entries<Column>(named).map(([name, column]) => {
    const [sql, read] = typeof column === 'string' ? [column, undefined] : column
    return { name, sql, read }
  })
  return {
    sql: list.map(({ sql }) => sql).join(', '),
    count: list.length,
    read(tuple) {
      const row: Record<string, unknown> = {}
      list.forEach(({ name, read }, i) => {
        const text = tuple[i] as string
        row[name] = read ? read(text) : text
      })
      return row as NamedValues<C>
    },
  }
}

export const number = (text: string): number => Number(text)

export const flag = (text: string | null): boolean => text === 't'

export const json = <T>(text: string): T => JSON.parse(text) as T

/** A column that may be null, which reads as undefined. */
export const optional =
  <T>(read: (text: string) => T) =>
  (text: string | null): T | undefined =>
    text === null ? undefined : read(text)

export const optionalText = (text: string | null): string | undefined => text ?? undefined

/** The SQL of an instant in milliseconds, which reads as an ISO timestamp. */
export const instant = (column: string) =>
  [
    `extract(epoch FROM ${column}) * 1000`,
    (ms: string): string => new Date(Number(ms)).toISOString(),
  ] as const
