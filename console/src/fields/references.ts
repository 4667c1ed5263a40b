import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { send } from '../api/client.ts'
import type { Resource } from '../api/document.ts'
import { type Item, isItem, pageIn, valueAt } from '../api/objects.ts'
import { fillPath, listOfType, loadFields, rowPath } from '../api/resources.ts'
import { termOf } from '../api/terms.ts'
import { placeOf } from './colleagues.ts'
import { nameOf } from './names.ts'

/** An object that may be chosen, by what people call it. */
export interface Choice {
  readonly id: string
  readonly name: string
  /** What tells it from others of the same name: its SKU or its email address. */
  readonly about?: string
  readonly item: Item
}

const searched = ['name', 'sku', 'email', 'slug', 'file_name', 'order_number', 'external_ref', 'legal_name']
const foundMax = 20
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Where the objects of a type are found from a place of the API. */
export interface Source {
  readonly resource: Resource
  readonly listPath: string
}

export function sourceOf(type: string, near: string): Source | undefined {
  const at = placeOf(type, near)
  const resource = listOfType(type, at)
  return resource && { resource, listPath: fillPath(resource.path, at) }
}

/** The filter that finds a text in what names an object; undefined if the list has none for it. */
export function filterFor({ filter }: Resource, text: string): string | undefined {
  if (uuid.test(text) && filter.id?.operators.includes('eq')) return termOf('eq', 'id', text.toLowerCase())
  const terms = searched.flatMap((field) => {
    const operators = filter[field]?.operators ?? []
    if (operators.includes('ilike')) return [termOf('ilike', field, `*${text}*`)]
    return operators.includes('like') ? spellings(text).map((one) => termOf('like', field, `*${one}*`)) : []
  })
  return terms.length ? terms.join('|') : undefined
}

/** A list that is answered as a whole takes neither pages nor filters. */
const pathOf = ({ resource, listPath }: Source, limit: number, filter: string | undefined): string =>
  resource.isWhole
    ? listPath
    : `${listPath}?${new URLSearchParams({ 'page[limit]': String(limit), ...(filter && { filter }) })}`

/** For lists that tell capital letters from small ones: as typed, all small, and each word with a capital. */
const spellings = (text: string): readonly string[] => [
  ...new Set([
    text,
    text.toLowerCase(),
    text.replaceAll(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase()),
  ]),
]

async function choicesIn({ resource, listPath }: Source, text: string, signal: AbortSignal) {
  const filter = text === '' ? undefined : filterFor(resource, text)
  // A list that cannot be searched is short: its names are compared here.
  const limit = text !== '' && !filter ? 100 : foundMax
  const [{ body }, { shown }] = await Promise.all([
    send({ path: pathOf({ resource, listPath }, limit, filter), signal }),
    loadFields(resource),
  ])
  const choices = pageIn(body).rows.map((row) => choiceOf(row, nameOf(row, shown)))
  const wanted = text.toLowerCase()
  return filter
    ? choices
    : choices.filter(({ name }) => name.toLowerCase().includes(wanted)).slice(0, foundMax)
}

function choiceOf(item: Item, name: string): Choice {
  const texts = ['sku', 'email', 'slug'].flatMap((field) => [
    valueAt(item, field),
    valueAt(item, `attributes.${field}`),
  ])
  const about = [...texts, optionsOf(item)].find(
    (value) => typeof value === 'string' && value !== '' && value !== name,
  )
  return { id: String(item.id), name, item, ...(typeof about === 'string' && { about }) }
}

/** The names of the options of a variation. */
function optionsOf(item: Item): string {
  const options = valueAt(item, 'meta.options')
  const names = Array.isArray(options) ? options.filter(isItem).map(({ name }) => String(name)) : []
  return names.join(', ')
}

/** What is found for a text in a list. */
export function useChoices(source: Source | undefined, text: string, isOpen: boolean) {
  return useQuery({
    queryKey: ['choices', source?.listPath, text],
    queryFn: ({ signal }) => (source ? choicesIn(source, text, signal) : []),
    enabled: source !== undefined && isOpen,
    placeholderData: keepPreviousData,
  })
}

/** What an object is called, and where its page is. */
export interface Named {
  readonly name: string
  readonly path: string | undefined
}

/** What the objects of some lists are called: those that are read with the rows of a table. */
type ReadNames = ReadonlyMap<string, ReadonlyMap<string, Named>>

/** The names that the table around a cell has read, by the path of their list. */
export const RowNames = createContext<ReadNames>(new Map())

/** The most ids that a filter names, and the rows of a page. */
const namedMax = 100

export interface Wanted {
  readonly source: Source
  readonly ids: readonly string[]
}

/** What objects are called, with one request for each list that they are in. */
export function useNames(wanted: readonly Wanted[]): ReadNames {
  const results = useQueries({
    queries: wanted.map(({ source, ids }) => {
      const some = [...new Set(ids)].toSorted().slice(0, namedMax)
      return {
        queryKey: ['names', source.listPath, some],
        queryFn: ({ signal }: { readonly signal: AbortSignal }) => readNames(source, some, signal),
        enabled: some.length > 0,
        staleTime: 60_000,
      }
    }),
  })
  return new Map(wanted.map(({ source }, i) => [source.listPath, results[i]?.data ?? new Map()]))
}

/** A list without a filter by id is short: it is read from its beginning. */
async function readNames({ resource, listPath }: Source, ids: readonly string[], signal: AbortSignal) {
  const filter = resource.filter.id?.operators.includes('in') ? termOf('in', 'id', ids.join(',')) : undefined
  const [{ body }, { shown }] = await Promise.all([
    send({ path: pathOf({ resource, listPath }, namedMax, filter), signal }).catch(() => ({
      body: undefined,
    })),
    loadFields(resource),
  ])
  return new Map(
    pageIn(body).rows.map((row) => [
      String(row.id),
      { name: nameOf(row, shown), path: rowPath(resource, listPath, row) },
    ]),
  )
}

/** What an object is called, by its id; undefined until it is known, and if it is not there. */
export function useName(source: Source | undefined, id: string): Named | undefined {
  const names = useContext(RowNames).get(source?.listPath ?? '')
  const { data } = useQuery({
    queryKey: ['name', source?.listPath, id],
    queryFn: async ({ signal }): Promise<Named | null> => {
      if (!source) return null
      const { resource, listPath } = source
      const path = resource.item
        ? `${listPath}/${encodeURIComponent(id)}`
        : `${listPath}?${new URLSearchParams({ filter: termOf('eq', 'id', id) })}`
      try {
        const [{ body }, { shown }] = await Promise.all([send({ path, signal }), loadFields(resource)])
        const data = valueAt(body, 'data')
        const item = Array.isArray(data) ? data[0] : data
        return isItem(item) ? { name: nameOf(item, shown), path: rowPath(resource, listPath, item) } : null
      } catch {
        return null
      }
    },
    enabled: source !== undefined && id !== '' && !names,
    staleTime: 60_000,
  })
  return names ? names.get(id) : (data ?? undefined)
}
