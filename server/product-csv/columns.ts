import { Problem } from '../kernel/errors.ts'
import { columnsMax } from './file-limits.ts'

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
  /** As the file has it. */
  readonly name: string
  readonly template: string
  readonly field: string
}

const required = ['name', 'sku', 'commodity_type'] as const

/** What the columns of a file are, in their order. A Problem (422) where one is missing, unknown, or there twice. */
export function columnsOf(header: readonly string[]): readonly Column[] {
  const names = header.map((name) => name.trim())
  for (const name of required) {
    if (!names.includes(name)) throw refuse(`missing required csv header: ${name}`)
  }
  if (names.length > columnsMax) throw refuse(`The file has at most ${columnsMax} columns.`)
  const seen = new Set<string>()
  const twice = names.find((name) => seen.size === seen.add(name).size)
  if (twice !== undefined) throw refuse(`The csv header has ${twice} twice.`)
  return names.map(columnOf)
}

const refuse = (detail: string) => new Problem('unprocessable', detail, { title: 'Failed Validation' })

function columnOf(name: string): Column {
  const column = columnNamed(name)
  if (column) return column
  throw refuse(`unknown csv header: ${name}. A column is ${columnNames}.`)
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
