import { createHash } from 'node:crypto'
import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { ProductColumn } from './columns.ts'

/** No two rows of a file may name the same product: the later row would silently undo the earlier one. */

const keyColumns = ['id', 'external_ref', 'sku'] as const

type KeyColumn = (typeof keyColumns)[number]

/** The index of the cell of each key column. */
export type KeyColumns = ReadonlyMap<KeyColumn, number>

export const findKeyColumns = (columns: readonly ProductColumn[]): KeyColumns =>
  new Map(
    columns.flatMap((column, i) => {
      const name = column.is === 'attribute' ? column.name : column.is
      const key = keyColumns.find((one) => one === name)
      return key ? [[key, i] as const] : []
    }),
  )

/**
 * The keys of a row: `<column>:<hash>`. Several products may share an `external_ref`. So the ref of a row with an id is
 * only compared with rows without an id, and its key ends in `?`.
 */
export function listKeys(places: KeyColumns, cells: readonly string[]): readonly string[] {
  const cellIn = (column: KeyColumn) => (cells[places.get(column) ?? -1] ?? '').trim()
  const id = cellIn('id').toLowerCase()
  return keyColumns.flatMap((column) => {
    const value = column === 'id' ? id : cellIn(column)
    if (value === '') return []
    const key = toKey(column, value)
    return column === 'external_ref' && id ? `${key}?` : key
  })
}

const toKey = (column: KeyColumn, value: string): string =>
  `${column}:${createHash('md5').update(value).digest('base64url')}`

/** The first row that names each of these products by its id. */
export async function findRowsById(
  { store }: Work,
  importId: string,
  productIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (!productIds.length) return new Map()
  const idOfKey = new Map(productIds.map((id) => [toKey('id', id), id]))
  const rows = await store.run(
    `SELECT key, min(line) FROM product_import_rows, unnest(keys) AS key
     WHERE store_id = $1 AND import_id = $2 AND keys && $3::text[] AND key = ANY($3::text[]) GROUP BY key`,
    importId,
    [...idOfKey.keys()],
  )
  return new Map(rows.map(([key, line]) => [idOfKey.get(key as string) ?? '', Number(line)]))
}

/** A key that an earlier row, `first`, has too. */
export interface Repeat {
  readonly column: string
  readonly first: number
}

/** Stores with each row which of its keys an earlier row has. */
export async function markRepeats({ store }: Work, importId: string): Promise<void> {
  await store.runLong(
    `UPDATE product_import_rows r SET repeats = duplicates.repeats FROM (
       SELECT line, json_agg(json_build_object('column', split_part(key, ':', 1), 'first', first)) AS repeats FROM (
         SELECT line, key, CASE WHEN is_weak
           THEN min(line) FILTER (WHERE NOT is_weak) OVER same ELSE min(line) OVER same END AS first
         FROM (
           SELECT line, rtrim(key, '?') AS key, right(key, 1) = '?' AS is_weak
           FROM product_import_rows, unnest(keys) AS key WHERE store_id = $1 AND import_id = $2
         ) named WINDOW same AS (PARTITION BY key)
       ) compared WHERE first < line GROUP BY line
     ) duplicates WHERE r.store_id = $1 AND r.import_id = $2 AND r.line = duplicates.line`,
    importId,
  )
}

/** The refusal of a row with a repeated key. */
export const repeatProblem = ({ column, first }: Repeat): Problem =>
  new Problem(
    'unprocessable',
    `row ${first} has the same ${column}. A file may name each product only once.`,
    {
      source: column,
    },
  )

/** The refusal of a row whose product another row names by its id. */
export const twinProblem = (row: number): Problem =>
  new Problem(
    'unprocessable',
    `row ${row} names the same product by its id. A file may name each product only once.`,
    {
      source: 'external_ref',
    },
  )
