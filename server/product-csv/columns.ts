import { invalidFile } from '../imports/index.ts'
import { isStorable } from '../kernel/http/body.ts'
import { Faults } from '../kernel/write/faults.ts'

/** The attributes of a product that are a column of their own. */
export const attributeColumns = [
  'external_ref',
  'name',
  'description',
  'slug',
  'status',
  'commodity_type',
  'sku',
  'mpn',
  'upc_ean',
  'tags',
] as const

export type AttributeColumn = (typeof attributeColumns)[number]

/** What the cells of a column are. */
export type Column =
  | { readonly is: 'id' | 'main_image' | 'created_at' | 'updated_at' }
  | { readonly is: 'attribute'; readonly name: AttributeColumn }
  | { readonly is: 'key'; readonly of: KeyGroup; readonly key: string }
  | TemplateField

/** The attributes that merchants make up. */
export const keyGroups = ['admin_attributes', 'shopper_attributes'] as const

export type KeyGroup = (typeof keyGroups)[number]

/** Named by the id or the slug of the template, and by the slug of the field. */
export interface TemplateField {
  readonly is: 'template'
  /** As `columnKey` writes it. */
  readonly name: string
  readonly template: string
  readonly field: string
}

export const requiredColumns = ['name', 'sku', 'commodity_type'] as const

const plainColumns: readonly string[] = [
  ...['id', ...attributeColumns],
  ...['main_image_id', '_created_at', '_updated_at'],
]

/** What a column's name begins with if a merchant has named the rest. */
const prefixes = [...keyGroups.map((group) => `${group}.`), 'template:', 'products(']

/** The name of a column as we write it: merchants and spreadsheets write `SKU` and `Commodity Type` too. */
export function columnKey(name: string): string {
  const trimmed = name.trim()
  const plain = trimmed.toLowerCase().replaceAll(' ', '_')
  if (plainColumns.includes(plain)) return plain
  const prefix = prefixes.find((one) => plain.startsWith(one))
  return prefix ? prefix + trimmed.slice(prefix.length) : trimmed
}

/** What the columns of a file are, in their order. A Problem (422) names all that are missing, unknown or repeated. */
export function columnsOf(header: readonly string[]): readonly Column[] {
  const names = header.map(columnKey)
  const faults = new Faults()
  for (const name of requiredColumns) {
    faults.check(() => {
      if (!names.includes(name)) throw invalidFile(`missing required csv header: ${name}`)
    })
  }
  const places = new Map<string, number>()
  const columnAt = (name: string, i: number): Column => {
    const before = name ? places.get(name) : undefined
    if (before !== undefined) {
      throw invalidFile(
        `The csv header ${shown(name)} is there twice: in columns ${before + 1} and ${i + 1}.`,
      )
    }
    places.set(name, i)
    return columnOf(name, i)
  }
  const columns = names.flatMap((name, i) => faults.check(() => columnAt(name, i)) ?? [])
  faults.refuse()
  return columns
}

/** As much of a name as people read. */
export const shown = (name: string): string => (name.length > 200 ? `${name.slice(0, 200)}…` : name)

function columnOf(name: string, i: number): Column {
  if (!name) {
    throw invalidFile(
      `The header has no name for column ${i + 1}. Name it, or delete it: only columns at the end may be empty.`,
    )
  }
  if (!isStorable(name)) {
    throw invalidFile(
      'A csv header holds a NUL character or half of a surrogate pair, which cannot be stored.',
    )
  }
  const column = columnNamed(name)
  if (column) return column
  throw invalidFile(`unknown csv header: ${shown(name)}. A column is ${columnNames}.`)
}

export const columnNames = `id, ${attributeColumns.join(', ')}, main_image_id, admin_attributes.<key>, \
shopper_attributes.<key>, products(<slug>):<field> or template:<flow>:<field>`

/** What a column of this name says of a product; undefined where it is none. */
export function columnNamed(name: string): Column | undefined {
  if (name === 'id') return { is: 'id' }
  // Those that an export tells beside what can be changed.
  if (name === '_created_at') return { is: 'created_at' }
  if (name === '_updated_at') return { is: 'updated_at' }
  if (name === 'main_image_id') return { is: 'main_image' }
  const attribute = attributeColumns.find((one) => one === name)
  if (attribute) return { is: 'attribute', name: attribute }
  const of = keyGroups.find((group) => name.startsWith(`${group}.`))
  const key = of && name.slice(of.length + 1)
  if (key) return { is: 'key', of, key }
  return templateField(name)
}

/** `products(<slug>):<field>`, or `template:<id or slug>:<field>`. */
function templateField(name: string): TemplateField | undefined {
  const end = name.lastIndexOf(':')
  const [called, field] = [name.slice(0, Math.max(0, end)), name.slice(end + 1)]
  const template = called.startsWith('template:') ? called.slice('template:'.length) : called
  const isTemplate = template !== called || (called.startsWith('products(') && called.endsWith(')'))
  return template && field && isTemplate ? { is: 'template', name, template, field } : undefined
}
