import type { Tuple } from './database.ts'

/** Rows of this many bytes are read together. What is made of them takes a multiple of it. */
export const partBytesMax = 2 * 1024 * 1024

/** However short they are. */
export const partRowsMax = 500

/** The bytes of these columns as text. PostgreSQL knows them without reading the value, unless it is compressed. */
export const textBytes = (...columns: readonly string[]): string =>
  columns
    .map(
      (column) =>
        `coalesce(CASE WHEN pg_column_compression(${column}) IS NULL THEN pg_column_size(${column})
           ELSE octet_length(${column}::text) END, 0)`,
    )
    .join(' + ')

/** Rows that may be long. */
export interface SizedRows {
  readonly table: string
  /** The columns that may be long. */
  readonly columns: readonly string[]
  /** A further condition, whose values begin with `$3`. */
  readonly where?: string
  readonly values?: readonly unknown[]
}

interface Reader {
  run(text: string, ...values: readonly unknown[]): Promise<readonly Tuple[]>
}

/** Ids in parts, in their order. A part is read together; a row that is longer than a part may be is one by itself. */
export async function* inParts(
  store: Reader,
  { table, columns, where = 'true', values = [] }: SizedRows,
  ids: readonly string[],
): AsyncGenerator<readonly string[], void> {
  for (let from = 0; from < ids.length; from += partRowsMax) {
    const some = ids.slice(from, from + partRowsMax)
    const rows = await store.run(
      `SELECT id, ${textBytes(...columns)} FROM ${table} WHERE store_id = $1 AND id = ANY($2::uuid[]) AND ${where}`,
      some,
      ...values,
    )
    const bytes = new Map(rows.map(([id, size]) => [id as string, Number(size)]))
    yield* splitBySize(some, (id) => bytes.get(id) ?? 0)
  }
}

function* splitBySize(ids: readonly string[], bytesOf: (id: string) => number) {
  let part: string[] = []
  let bytes = 0
  for (const id of ids) {
    const more = bytesOf(id)
    if (part.length && bytes + more > partBytesMax) {
      yield part
      part = []
      bytes = 0
    }
    part.push(id)
    bytes += more
  }
  if (part.length) yield part
}
