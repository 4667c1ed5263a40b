import { Faults } from '../../kernel/body/faults.ts'
import { isStorable } from '../../kernel/http/reading/body.ts'
import { invalidFile } from '../../store/index.ts'

/** The attributes of a product that have their own column. */
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

/** A column, by what its cells contain. */
export type ProductColumn =
  | { readonly is: 'id' | 'main_image' | 'created_at' | 'updated_at' }
  | { readonly is: 'attribute'; readonly name: AttributeColumn }
  | { readonly is: 'key'; readonly of: KeyGroup; readonly key: string }
  | TemplateField

/** The groups of attributes whose keys merchants choose. */
export const keyGroups = ['admin_attributes', 'shopper_attributes'] as const

export type KeyGroup = (typeof keyGroups)[number]

/** A field of a template. `template` is the id or slug of the template, and `field` the slug of the field. */
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

/** Prefixes of columns whose remaining name a merchant has chosen. */
const prefixes = [...keyGroups.map((group) => `${group}.`), 'template:', 'products(']

/**
 * The name of a column as the API writes it: merchants and spreadsheets also write `SKU` and `Commodity Type`, and
 * white space around a name and around the parts of one.
 */
export function normalizeName(name: string): string {
  const trimmed = name.trim()
  const plain = trimmed.toLowerCase().replace(/\s+/g, '_')
  if (plainColumns.includes(plain)) return plain
  const prefix = prefixes.find((one) => plain.startsWith(one))
  if (!prefix) return trimmed
  const parts = trimmed.slice(prefix.length).split(':')
  return prefix + parts.map((part) => part.trim()).join(':')
}

/** The columns of a file. Throws a Problem (422) that names all missing, unknown and repeated columns. */
export function parseHeader(header: readonly string[]): readonly ProductColumn[] {
  const names = header.map(normalizeName)
  const faults = new Faults()
  for (const name of requiredColumns) {
    faults.check(() => {
      if (!names.includes(name)) throw invalidFile(`missing required csv header: ${name}`)
    })
  }
  const places = new Map<string, number>()
  const columnAt = (name: string, i: number): ProductColumn => {
    const before = name ? places.get(name) : undefined
    if (before !== undefined) {
      throw invalidFile(
        `The csv header ${shorten(name)} appears twice: in columns ${before + 1} and ${i + 1}.`,
      )
    }
    places.set(name, i)
    return parseColumn(name, i)
  }
  const columns = names.flatMap((name, i) => faults.check(() => columnAt(name, i)) ?? [])
  faults.refuse()
  return columns
}

/** As much of a name as a message shows. */
export const shorten = (name: string): string => (name.length > 200 ? `${name.slice(0, 200)}…` : name)

function parseColumn(name: string, i: number): ProductColumn {
  if (!name) {
    throw invalidFile(
      `Column ${i + 1} has no name in the header. Name the column or delete it; only columns at the end may be empty.`,
    )
  }
  if (!isStorable(name)) {
    throw invalidFile(
      'A csv header contains a NUL character or half of a surrogate pair, which cannot be stored.',
    )
  }
  const column = findColumn(name)
  if (column) return column
  throw invalidFile(`unknown csv header: ${shorten(name)}. Valid columns are ${columnNames}.`)
}

const columnNames = `id, ${attributeColumns.join(', ')}, main_image_id, admin_attributes.<key>, \
shopper_attributes.<key>, products(<slug>):<field> or template:<flow>:<field>`

/** The column with this name, if there is one. */
export function findColumn(name: string): ProductColumn | undefined {
  if (name === 'id') return { is: 'id' }
  // Exports have these, but imports ignore them.
  if (name === '_created_at') return { is: 'created_at' }
  if (name === '_updated_at') return { is: 'updated_at' }
  if (name === 'main_image_id') return { is: 'main_image' }
  const attribute = attributeColumns.find((one) => one === name)
  if (attribute) return { is: 'attribute', name: attribute }
  const of = keyGroups.find((group) => name.startsWith(`${group}.`))
  const key = of && name.slice(of.length + 1)
  if (key) return { is: 'key', of, key }
  return parseTemplateField(name)
}

/** `products(<slug>):<field>`, or `template:<id or slug>:<field>`. */
function parseTemplateField(name: string): TemplateField | undefined {
  const end = name.lastIndexOf(':')
  const [prefix, field] = [name.slice(0, Math.max(0, end)), name.slice(end + 1)]
  const template = prefix.startsWith('template:') ? prefix.slice('template:'.length) : prefix
  const isTemplate = template !== prefix || (prefix.startsWith('products(') && prefix.endsWith(')'))
  return template && field && isTemplate ? { is: 'template', name, template, field } : undefined
}
