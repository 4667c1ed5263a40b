import type { FieldFacts } from '../api/document.ts'
import { type Item, valueAt } from '../api/objects.ts'
import { fieldLabel, labelOf } from '../words/labels.ts'

/** The values that name an object, the best first. */
export const names = [
  'name',
  'title',
  'order_number',
  'sku',
  'email',
  'slug',
  'code',
  'label',
  'file_name',
  'key',
  'event',
]

/** The last name of a path. */
export const lastName = (path: string) => path.slice(path.lastIndexOf('.') + 1)

/** How tellingly a field names its object: lower is better. */
function rank({ path }: FieldFacts): number {
  const depth = path.split('.').filter((name) => name !== 'attributes').length - 1
  const at = names.indexOf(lastName(path))
  return (at < 0 ? names.length : at) + depth * names.length
}

/** The field that names the objects of a list; their id if none does. */
export function namingField(shown: readonly FieldFacts[]): string {
  const texts = shown.filter(({ kind, path }) => kind === 'text' && !path.startsWith('relationships.'))
  const [best] = texts.toSorted((one, other) => rank(one) - rank(other))
  return best && names.includes(lastName(best.path)) ? best.path : 'id'
}

/** What an object is called. */
export function nameOf(item: Item, shown: readonly FieldFacts[]): string {
  const value = valueAt(item, namingField(shown)) ?? item.id
  const name = typeof value === 'string' && value !== '' ? value : String(item.id ?? '')
  const options = optionsOf(item).filter((option) => !hasWords(name, option))
  return options.length ? `${name} (${options.join(', ')})` : name
}

/** The options that a child of a product is of. Children have the name of their parent, unless an option changes it. */
function optionsOf(item: Item): readonly string[] {
  const variations = valueAt(item, 'meta.child_variations')
  const names = Array.isArray(variations) ? variations.map((one) => valueAt(one, 'option.name')) : []
  return names.filter((name) => typeof name === 'string')
}

const hasWords = (text: string, words: string): boolean =>
  ` ${text} `.toLowerCase().includes(` ${words} `.toLowerCase())

/** What a field is called. */
export const fieldTitle = ({ path, label, refers }: FieldFacts): string =>
  label ?? fieldLabel(path, refers !== undefined)

/** The currency whose amount a path leads to: `attributes.currencies.USD.amount`. */
export const currencyInPath = (path: string): string | undefined => amountPath.exec(path)?.[2]
const amountPath = /^(.+)\.([A-Z]{3})\.amount$/

/** What a value of an object is called. */
export function titleOf(path: string, shown: readonly FieldFacts[]): string {
  const [, amounts, currency] = amountPath.exec(path) ?? []
  if (amounts !== undefined) return `${titleOf(amounts, shown)} (${currency})`
  const field = shown.find((one) => one.path === path)
  if (path === 'id' && field?.refers !== undefined) return labelOf(field.refers)
  return field ? fieldTitle(field) : fieldLabel(path)
}

/** The end of an id: the ids of one moment begin alike. */
export const shortId = (id: string): string =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? `…${id.slice(-8)}` : id
