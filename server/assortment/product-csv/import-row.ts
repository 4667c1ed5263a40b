import { Faults } from '../../kernel/body/faults.ts'
import { Problem } from '../../kernel/errors.ts'
import { isStorable, refuseText } from '../../kernel/http/reading/body.ts'
import { isId } from '../../kernel/ids.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { NumberedRow } from '../../store/index.ts'
import type { ProductFields } from '../product-fields/product-fields.ts'
import { type AttributeColumn, type KeyGroup, keyGroups, type ProductColumn } from './columns.ts'

/** A row of a file, about one product. */
export interface ImportRow extends NumberedRow {
  readonly id: string | undefined
  /** Undefined without the column; null if its cell is empty. */
  readonly mainImage: string | null | undefined
  readonly attributes: ReadonlyMap<AttributeColumn, string>
  readonly keys: Readonly<Record<KeyGroup, readonly (readonly [key: string, cell: string])[]>>
  /** The cells of template columns, by the columns' names. */
  readonly values: ReadonlyMap<string, string>
}

/** A cell with this text removes the key from the attributes of the product. */
export const removeMarker = '__REMOVE_ATTRIBUTE__'

/** Reads the cells of a row. Throws a Problem if they are too few or too many. */
export function parseRow(
  columns: readonly ProductColumn[],
  number: number,
  cells: readonly string[],
): ImportRow {
  if (cells.length !== columns.length) {
    throw new Problem(
      'unprocessable',
      `The row has ${cells.length} cells, but the header has ${columns.length}. Every row needs as many cells as the header.`,
    )
  }
  const faults = new Faults()
  let id: string | undefined
  let mainImage: string | null | undefined
  const attributes = new Map<AttributeColumn, string>()
  const keys: Record<KeyGroup, [key: string, cell: string][]> = {
    admin_attributes: [],
    shopper_attributes: [],
  }
  const values = new Map<string, string>()
  // One pass that allocates little: a row may have a thousand cells.
  for (const [i, cell] of cells.entries()) {
    const column = columns[i] as ProductColumn
    if (!isStorable(cell)) faults.check(() => refuseText(cell, toColumnName(column)))
    if (column.is === 'key') keys[column.of].push([column.key, cell])
    else if (column.is === 'attribute') attributes.set(column.name, readAttribute(column.name, cell))
    else if (column.is === 'template') values.set(column.name, cell)
    else if (column.is === 'id') id = cell.trim().toLowerCase() || undefined
    else if (column.is === 'main_image') mainImage = cell.trim().toLowerCase() || null
  }
  faults.refuse()
  return { number, id, mainImage, attributes, keys, values }
}

const choices: readonly AttributeColumn[] = ['status', 'commodity_type']
const codes: readonly AttributeColumn[] = ['sku', 'slug', 'external_ref', 'mpn', 'upc_ean']

/** Spreadsheets and their users capitalise the first word of a cell, and leave white space around a code. */
function readAttribute(name: AttributeColumn, cell: string): string {
  if (choices.includes(name)) return cell.trim().toLowerCase()
  return codes.includes(name) ? cell.trim() : cell
}

function toColumnName(column: ProductColumn): string {
  if (column.is === 'attribute' || column.is === 'template') return column.name
  if (column.is === 'key') return `${column.of}.${column.key}`
  return column.is === 'main_image' ? 'main_image_id' : 'id'
}

/** The value of an attribute; undefined leaves it as it is. An empty cell does not set a missing attribute. */
function parseAttribute(name: AttributeColumn, cell: string, lacks: boolean): unknown {
  if (name === 'tags') {
    const tags = cell.split(',').flatMap((tag) => tag.trim() || [])
    return lacks && !tags.length ? undefined : tags
  }
  if (cell !== '') return cell
  if (name === 'status' || lacks) return undefined
  // An empty name or type is refused later. Unique attributes become null, since only one product could have ''.
  if (name === 'name' || name === 'commodity_type') return ''
  if (name === 'sku' || name === 'slug' || name === 'external_ref') return null
  return ''
}

/** The body of a request that would update or create the product as the row does. */
export function toBody({ attributes, keys }: ImportRow, before: Row<ProductFields> | undefined): object {
  const doc = before?.doc
  const values: Record<string, unknown> = {}
  for (const [name, cell] of attributes) {
    // A code that is stored with white space around it stays as it is: importing an export changes nothing.
    const stored = doc?.[name]
    if (codes.includes(name) && stored?.length && String(stored).trim() === cell) continue
    const value = parseAttribute(name, cell, doc !== undefined && !doc[name]?.length)
    if (value !== undefined) values[name] = value
  }
  for (const of of keyGroups) {
    const has = doc?.[of] ?? {}
    const own = keys[of].filter(([key, cell]) => cell !== removeMarker || Object.hasOwn(has, key))
    if (!own.length) continue
    const removed = own.some(([, cell]) => cell === removeMarker)
    values[of] = Object.fromEntries(
      removed ? own.map(([key, cell]) => [key, cell === removeMarker ? null : cell]) : own,
    )
  }
  return { data: { type: 'product', attributes: values } }
}

/** The id by which a row names its product. Throws a Problem if it is not a valid id. */
export function readId({ id }: ImportRow): string | undefined {
  if (id === undefined || isId(id)) return id
  throw new Problem('unprocessable', `${id} is not the id of a product.`, { source: 'data.id' })
}

/**
 * The unique values that writing the row takes or gives up. Another row with one of them must be written later.
 */
export function listUniqueValues(
  { attributes }: ImportRow,
  before: Row<ProductFields> | undefined,
): readonly string[] {
  const has = before?.doc
  const values = (['external_ref', 'sku', 'slug'] as const).flatMap((name) =>
    [attributes.get(name), has?.[name]].flatMap((value) => (value ? [`${name} ${value}`] : [])),
  )
  return before ? [before.id, ...values] : values
}
