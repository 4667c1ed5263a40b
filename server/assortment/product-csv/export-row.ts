import type { Row } from '../../kernel/shape/model.ts'
import { ownValue } from '../../kernel/shape/values.ts'
import type { ProductFields } from '../product-fields/product-fields.ts'
import type { ExportColumn } from './export-columns.ts'
import { removeMarker } from './import-row.ts'

/** The cells of a product. Importing them changes nothing. */
export function toCells(columns: readonly ExportColumn[], row: Row<ProductFields>): readonly string[] {
  const { doc, hidden } = row
  return columns.map((column) => toCell(column, row, doc, hidden))
}

function toCell(
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
      // An empty cell would create the key with an empty text.
      return Object.hasOwn(keys, column.key) ? (keys[column.key] ?? '') : removeMarker
    }
    case 'template': {
      const { extensions = {} } = doc as { extensions?: Readonly<Record<string, Record<string, unknown>>> }
      return String(ownValue(ownValue(extensions, column.template), column.field) ?? '')
    }
  }
}
