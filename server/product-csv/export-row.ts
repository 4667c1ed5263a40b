import type { Row } from '../kernel/shape/model.ts'
import { ownValue } from '../kernel/shape/values.ts'
import type { ProductFields } from '../products/index.ts'
import type { ExportColumn } from './export-columns.ts'
import { removes } from './import-row.ts'

/** A line of a file (RFC 4180). */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** Semicolons and tabs too: an import that looks for the delimiter does not take them for one. */
const csvCell = (cell: string): string =>
  /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

/** What columns say of a product: what an import of them would leave as it is. */
export function cellsOf(columns: readonly ExportColumn[], row: Row<ProductFields>): readonly string[] {
  const { doc, hidden } = row
  return columns.map((column) => cellOf(column, row, doc, hidden))
}

function cellOf(
  column: ExportColumn,
  row: Row<ProductFields>,
  doc: Row<ProductFields>['doc'],
  hidden: Row<ProductFields>['hidden'],
): string {
  switch (column.is) {
    case 'id':
      return row.id
    case 'created_at':
      return row.createdAt
    case 'updated_at':
      return row.updatedAt
    case 'main_image':
      return hidden.relationships?.main_image?.data.id ?? ''
    case 'attribute':
      return column.name === 'tags' ? (doc.tags ?? []).join(',') : (doc[column.name] ?? '')
    case 'key': {
      const keys = doc[column.of] ?? {}
      // An empty cell would give it an empty text.
      return Object.hasOwn(keys, column.key) ? (keys[column.key] ?? '') : removes
    }
    case 'template': {
      const { extensions = {} } = doc as { extensions?: Readonly<Record<string, Record<string, unknown>>> }
      return String(ownValue(ownValue(extensions, column.template), column.field) ?? '')
    }
  }
}
