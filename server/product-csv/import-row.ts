import type { NumberedRow } from '../imports/index.ts'
import { Problem } from '../kernel/errors.ts'
import { isStorable, refuseText } from '../kernel/http/body.ts'
import { isId } from '../kernel/ids.ts'
import type { Row } from '../kernel/shape/model.ts'
import { Faults } from '../kernel/write/faults.ts'
import type { ProductFields } from '../products/index.ts'
import { type AttributeColumn, type Column, type KeyGroup, keyGroups } from './columns.ts'

/** What a row of a file says of a product. */
export interface ImportRow extends NumberedRow {
  readonly id: string | undefined
  /** Undefined where there is no such column; null where its cell is empty. */
  readonly mainImage: string | null | undefined
  readonly attributes: ReadonlyMap<AttributeColumn, string>
  readonly keys: Readonly<Record<KeyGroup, readonly (readonly [key: string, cell: string])[]>>
  /** The cells of template columns, by the columns' names. */
  readonly values: ReadonlyMap<string, string>
}

/** In place of a value: takes the key away from the product's attributes. */
export const removes = '__REMOVE_ATTRIBUTE__'

/** What the cells of a row say. A Problem where they are too few or too many. */
export function importRow(columns: readonly Column[], number: number, cells: readonly string[]): ImportRow {
  if (cells.length !== columns.length) {
    throw new Problem(
      'unprocessable',
      `The row has ${cells.length} cells, and the header has ${columns.length}. Give every row as many cells as the header.`,
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
  // One pass, and nothing made for each cell that is not kept: a row may have a thousand.
  for (const [i, cell] of cells.entries()) {
    const column = columns[i] as Column
    if (!isStorable(cell)) faults.check(() => refuseText(cell, nameOf(column)))
    if (column.is === 'key') keys[column.of].push([column.key, cell])
    else if (column.is === 'attribute')
      attributes.set(column.name, isChoice(column.name) ? cell.trim().toLowerCase() : cell)
    else if (column.is === 'template') values.set(column.name, cell)
    else if (column.is === 'id') id = cell.trim().toLowerCase() || undefined
    else if (column.is === 'main_image') mainImage = cell.trim().toLowerCase() || null
  }
  faults.refuse()
  return { number, id, mainImage, attributes, keys, values }
}

/** Spreadsheets capitalise the first word of a cell, and their users do. */
const isChoice = (name: AttributeColumn): boolean => name === 'status' || name === 'commodity_type'

function nameOf(column: Column): string {
  if (column.is === 'attribute' || column.is === 'template') return column.name
  if (column.is === 'key') return `${column.of}.${column.key}`
  return column.is === 'main_image' ? 'main_image_id' : 'id'
}

/** The value of an attribute's cell; undefined: it stays as it is, as one does that an empty cell finds lacking. */
function valueIn(name: AttributeColumn, cell: string, lacks: boolean): unknown {
  if (name === 'tags') {
    const tags = cell.split(',').flatMap((tag) => tag.trim() || [])
    return lacks && !tags.length ? undefined : tags
  }
  if (cell !== '') return cell
  if (name === 'status' || lacks) return undefined
  // Nobody is without a name or a type; what has to be unique is one product's, or nobody's.
  if (name === 'name' || name === 'commodity_type') return ''
  if (name === 'sku' || name === 'slug' || name === 'external_ref') return null
  return ''
}

/** The body of a request that would do what the row says: to a product, or as a new one. */
export function bodyOf({ attributes, keys }: ImportRow, before: Row<ProductFields> | undefined): object {
  const doc = before?.doc
  const values: Record<string, unknown> = {}
  for (const [name, cell] of attributes) {
    const value = valueIn(name, cell, doc !== undefined && !doc[name]?.length)
    if (value !== undefined) values[name] = value
  }
  for (const of of keyGroups) {
    const has = doc?.[of] ?? {}
    const own = keys[of].filter(([key, cell]) => cell !== removes || Object.hasOwn(has, key))
    if (!own.length) continue
    const removed = own.some(([, cell]) => cell === removes)
    values[of] = Object.fromEntries(
      removed ? own.map(([key, cell]) => [key, cell === removes ? null : cell]) : own,
    )
  }
  return { data: { type: 'product', attributes: values } }
}

/** The id that a row names its product by; a Problem where it cannot be one. */
export function idOf({ id }: ImportRow): string | undefined {
  if (id === undefined || isId(id)) return id
  throw new Problem('unprocessable', `${id} is not the id of a product.`, { source: 'data.id' })
}

/**
 * What no other product has, or may have, if the row is written: a row that touches the same comes after it. Of a row
 * whose product is not there yet: what it will have.
 */
export function touches(
  { attributes }: ImportRow,
  before: Row<ProductFields> | undefined,
): readonly string[] {
  const has = before?.doc
  const values = (['external_ref', 'sku', 'slug'] as const).flatMap((name) =>
    [attributes.get(name), has?.[name]].flatMap((value) => (value ? [`${name} ${value}`] : [])),
  )
  return before ? [before.id, ...values] : values
}
