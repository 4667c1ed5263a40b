import type { Resource, ResourceFields } from './document.ts'
import { type Item, valueAt } from './objects.ts'
import { ownNow } from './own.ts'

const [index] = Object.values(
  import.meta.glob<readonly Resource[]>('../generated/index.json', { eager: true, import: 'default' }),
)

/** All resources of the API, with those that the store has added. */
export const allResources = (): readonly Resource[] => [...(index ?? []), ...ownNow().resources]

const files = import.meta.glob<ResourceFields>('../generated/fields/*.json', { import: 'default' })

export async function loadFields({ id }: Pick<Resource, 'id'>): Promise<ResourceFields> {
  const own = ownNow().fields.get(id)
  if (own) return own
  const load = files[`../generated/fields/${id}.json`]
  return load ? load() : { shown: [] }
}

/** Where an address of the console leads: to a list, or to one object of it. */
export interface Place {
  readonly resource: Resource
  /** The address of the list, with the ids of the parents. */
  readonly listPath: string
  /** The address of the object. */
  readonly itemPath?: string
}

/** The place at a path of the API, such as `/v2/accounts/019…`. Names in a path come before its parameters. */
export function placeAt(path: string): Place | undefined {
  const segments = path.split('/')
  const listPath = segments.slice(0, -1).join('/')
  const resources = allResources()
  const lists = resources.filter((one) => matches(one.path, segments))
  const items = resources.filter((one) => one.item && matches(one.item, segments))
  const list = byNames(lists, ({ path }) => path)
  const item = byNames(items, ({ item = '' }) => item)
  if (list && isSingle(list)) return { resource: list, listPath: path, itemPath: path }
  if (list && (!item || namesIn(list.path) >= namesIn(item.item ?? '')))
    return { resource: list, listPath: path }
  return item && { resource: item, listPath, itemPath: path }
}

/** Whether the object is the only one of its kind, so that there is no list of them. */
export const isSingle = ({ path, item }: Resource): boolean => path === item

/** Lists of what belongs to an object. */
export const listsBelow = ({ path, item }: Resource): readonly Resource[] =>
  item === undefined || item === path
    ? []
    : allResources().filter(
        ({ path }) => withoutNames(path).startsWith(`${withoutNames(item)}/`) && sameDepth(path, item),
      )

const sameDepth = (path: string, item: string) => parametersIn(path) === parametersIn(item)
const parametersIn = (path: string) => path.split('{').length
const namesIn = (path: string) => path.split('/').filter((one) => !one.startsWith('{')).length
const withoutNames = (path: string) => path.replace(/\{\w+\}/g, '{}')

const byNames = (some: readonly Resource[], pathOf: (one: Resource) => string) =>
  some.toSorted((one, other) => namesIn(pathOf(other)) - namesIn(pathOf(one)))[0]

function matches(template: string, segments: readonly string[]): boolean {
  const names = template.split('/')
  return (
    names.length === segments.length &&
    names.every((name, i) => (name.startsWith('{') ? segments[i] !== '' : name === segments[i]))
  )
}

/**
 * The list in which the objects of a type are found. Lists below a parent count if a path of the same parent is given.
 * Those that a merchant changes come before those that shoppers read.
 */
export function listOfType(type: string, near = ''): Resource | undefined {
  const rank = (one: Resource) =>
    one.path.startsWith('/catalog/') ? 4 : one.update ? 0 : one.remove ? 1 : one.item ? 2 : 3
  return allResources()
    .filter((one) => one.type === type && !fillPath(one.path, near).includes('{') && isNear(one.path, near))
    .toSorted(
      (one, other) =>
        rank(one) - rank(other) ||
        parametersIn(one.path) - parametersIn(other.path) ||
        namesIn(one.path) - namesIn(other.path),
    )[0]
}

/** Whether the names of a path before its last parameter are those of another path. */
const isNear = (template: string, path: string) => {
  const names = template.slice(0, template.lastIndexOf('{') + 1).split('/')
  const others = path.split('/')
  return names.every((name, i) => name === others[i] || name.startsWith('{'))
}

/** Fills the parameters of a path with the values that another path has in the same places. */
export function fillPath(template: string, like: string): string {
  const values = like.split('/')
  return template
    .split('/')
    .map((name, i) => (name.startsWith('{') ? (values[i] ?? name) : name))
    .join('/')
}

/**
 * The path of a row of a list: below the list, or where objects of its type have their page, with the parents that the
 * row names. Undefined if there is none.
 */
export function rowPath(resource: Resource, listPath: string, row: Item): string | undefined {
  const id = encodeURIComponent(String(row.id))
  if (resource.item) return fillPath(resource.item, `${listPath}/${id}`)
  const rank = (one: Resource) => (one.update ? 0 : one.remove ? 1 : 2)
  return allResources()
    .filter(({ type, item, path }) => type === resource.type && item !== undefined && item !== path)
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ path }) => fillFrom(isBeside(path, listPath) ? fillPath(path, listPath) : path, row))
    .filter((path) => !path.includes('{'))
    .map((path) => `${path}/${id}`)[0]
}

/** Whether another path has the parents of a template. */
const isBeside = (template: string, path: string) =>
  path.split('/').length >= template.split('/').length && isNear(template, path)

/** Fills the parameters of a path with the values of an object: `{order_id}` with the order that it refers to. */
const fillFrom = (template: string, row: Item): string =>
  template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = parentIn(row, name)
    return value === undefined ? whole : encodeURIComponent(value)
  })

function parentIn(row: Item, name: string): string | undefined {
  const kind = name.replace(/_id$/, '')
  const places = [name, `attributes.${name}`, `meta.${name}`, `relationships.${kind}.data.id`]
  const found = places.map((path) => valueAt(row, path)).find((value) => typeof value === 'string')
  return typeof found === 'string' ? found : undefined
}

/** Where the objects of a list are created: there, or in the list where they are changed, below a parent. */
export const creatorOf = (resource: Resource): Resource | undefined =>
  resource.create || resource.item ? resource : allResources().find((one) => isCreator(one, resource))

const isCreator = (one: Resource, { type }: Resource) =>
  one.type === type && one.create !== undefined && one.update !== undefined

/** The resource whose objects are the parents in a path up to its first parameter that is not filled. */
export function parentOf(path: string): Resource | undefined {
  const [before] = path.split('/{')
  return path.includes('/{') ? allResources().find((one) => one.path === before && one.item) : undefined
}

export const resourceOf = (id: string): Resource | undefined => allResources().find((one) => one.id === id)
