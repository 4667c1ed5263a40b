import type { Store } from '../kernel/storage/store.ts'

/** The objects of a bulk change, in parts. Each part is one transaction, which nobody waits long for. */

const rowsPerPart = 50

/** An object: as it was when it was chosen, and for an undo the version whose values come back. */
export interface PartRow {
  readonly id: string
  readonly version: number
  readonly backTo?: number
}

/** Stores the objects, and returns how many parts they are. */
export async function storeParts(
  store: Store,
  bulkChangeId: string,
  rows: readonly PartRow[],
): Promise<void> {
  const parts = Array.from({ length: Math.ceil(rows.length / rowsPerPart) }, (_, i) =>
    rows.slice(i * rowsPerPart, (i + 1) * rowsPerPart),
  )
  await store.run(
    `INSERT INTO bulk_change_parts (store_id, bulk_change_id, number, rows)
     SELECT s.id, $2, p.number - 1, p.part
     FROM stores s, json_array_elements($3::json) WITH ORDINALITY AS p (part, number) WHERE s.id = $1`,
    bulkChangeId,
    JSON.stringify(parts.map((part) => part.map(({ id, version, backTo }) => [id, version, backTo]))),
  )
}

/** The objects of a part; undefined after the last one. */
export async function readPart(
  store: Store,
  bulkChangeId: string,
  number: number,
): Promise<readonly PartRow[] | undefined> {
  const [row] = await store.run(
    'SELECT rows FROM bulk_change_parts WHERE store_id = $1 AND bulk_change_id = $2 AND number = $3',
    bulkChangeId,
    number,
  )
  return row && toRows(row[0])
}

function toRows(text: string | null | undefined): readonly PartRow[] {
  const rows = JSON.parse(text ?? '[]') as readonly [string, number, number | null][]
  return rows.map(([id, version, backTo]) => ({ id, version, ...(backTo !== null && { backTo }) }))
}

/** Notes the versions that the objects of a part have after it; null where they did not change. */
export async function noteWritten(
  store: Store,
  bulkChangeId: string,
  number: number,
  versions: readonly (number | null)[],
): Promise<void> {
  await store.run(
    'UPDATE bulk_change_parts SET written = $4 WHERE store_id = $1 AND bulk_change_id = $2 AND number = $3',
    bulkChangeId,
    number,
    JSON.stringify(versions),
  )
}

/** The objects that a bulk change has changed: the versions that it left, and those before it. */
export async function writtenRows(store: Store, bulkChangeId: string): Promise<readonly PartRow[]> {
  const parts = await store.run(
    `SELECT rows, written FROM bulk_change_parts
     WHERE store_id = $1 AND bulk_change_id = $2 AND written IS NOT NULL ORDER BY number`,
    bulkChangeId,
  )
  return parts.flatMap(([rows, written]) => {
    const versions = JSON.parse(written as string) as readonly (number | null)[]
    return toRows(rows).flatMap(({ id, version }, i) => {
      const now = versions[i] ?? null
      return now === null ? [] : [{ id, version: now, backTo: version }]
    })
  })
}
