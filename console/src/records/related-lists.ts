import { useQuery } from '@tanstack/react-query'
import { send } from '../api/client.ts'
import type { Join, Referrer, Resource, ResourceFields } from '../api/document.ts'
import { type Item, type Page, pageIn, valueAt } from '../api/objects.ts'
import { creatorOf, fillPath, listsBelow, loadFields, resourceOf } from '../api/resources.ts'
import { termOf } from '../api/terms.ts'
import { idsIn } from '../fields/values.ts'

/** A list of what belongs to an object: it is below it, or refers to it. */
export interface RelatedList {
  readonly title: string
  readonly resource: Resource
  readonly listPath: string
  /** What finds the objects in the list; undefined if all of the list belongs to it. */
  readonly filter: string | undefined
  /** Where the references are in a list that has no filter for them. */
  readonly paths: readonly string[] | undefined
  /** Where such objects are created, and the field of that form which refers to the object. */
  readonly creator: Resource | undefined
  readonly preset: { readonly path: string; readonly value: string } | undefined
  /** How the object is added to those that are there already. */
  readonly join: Join | undefined
}

/** The lists on the page of an object, those below it first. */
export function relatedLists(
  resource: Resource,
  { referrers = [], joins = [] }: ResourceFields,
  item: Item,
  itemPath: string,
): readonly RelatedList[] {
  const joinOf = ({ type }: Resource) =>
    joins.find(({ to }) => resourceOf(to)?.type === type && type !== resource.type)
  const below = listsBelow(resource).map((list): RelatedList => {
    const join = joinOf(list)
    return {
      ...{ title: list.title, resource: list, listPath: fillPath(list.path, itemPath) },
      ...{ filter: undefined, paths: undefined, preset: undefined, join },
      creator: list.create ? list : undefined,
    }
  })
  const referring = referrers.flatMap((one): RelatedList[] => {
    const list = resourceOf(one.list)
    const value = valueAt(item, one.of)
    if (!list || typeof value !== 'string') return []
    return [{ ...referringList(one, list, value), join: joinOf(list) }]
  })
  return [...below, ...referring]
}

function referringList(one: Referrer, list: Resource, value: string): Omit<RelatedList, 'join'> {
  // A new object that does not refer to this one would not be among them.
  const creator = one.preset === undefined ? undefined : creatorOf(list)
  return {
    title: (creatorOf(list) ?? list).title,
    ...{ resource: list, listPath: list.path, creator, paths: one.paths },
    filter: one.filter && termOf(one.operator ?? 'eq', one.filter, value),
    preset: one.preset === undefined ? undefined : { path: one.preset, value },
  }
}

/** How many objects a page shows of each list. */
const shownMax = 5
/** A list without a filter is read whole up to this length. */
const wholeMax = 100

export interface RelatedRows extends Page {
  readonly fields: ResourceFields
}

/** The first objects of a related list. */
export function useRelated({ resource, listPath, filter, paths }: RelatedList, id: string) {
  const limit = paths && !filter ? wholeMax : shownMax
  const query = new URLSearchParams({ 'page[limit]': String(limit), ...(filter && { filter }) })
  const path = resource.isWhole ? listPath : `${listPath}?${query}`
  return useQuery({
    queryKey: ['list', path, id],
    queryFn: async ({ signal }): Promise<RelatedRows | null> => {
      const [{ body }, fields] = await Promise.all([send({ path, signal }), loadFields(resource)])
      const page = pageIn(body)
      if (!paths || filter) {
        const total = page.total ?? (resource.isWhole ? page.rows.length : undefined)
        return { ...page, rows: page.rows.slice(0, shownMax), total, fields }
      }
      // Of a longer list nobody knows how many there are.
      if (page.total === undefined || page.total > wholeMax) return null
      const rows = page.rows.filter((row) => paths.some((one) => refersTo(valueAt(row, one), id)))
      return { ...page, rows: rows.slice(0, shownMax), total: rows.length, fields }
    },
  })
}

const refersTo = (value: unknown, id: string) => value === id || idsIn(value).includes(id)
