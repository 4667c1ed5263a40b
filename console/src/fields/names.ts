import type { FieldFacts } from '../api/document.ts'
import { type Item, valueAt } from '../api/objects.ts'

/** The values that name an object, the best first. */
const names = ['name', 'title', 'sku', 'email', 'slug', 'code', 'label', 'file_name', 'key', 'event']

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
  return typeof value === 'string' && value !== '' ? value : String(item.id ?? '')
}
