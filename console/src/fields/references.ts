import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { send } from '../api/client.ts'
import type { Resource } from '../api/document.ts'
import { type Item, isItem, pageIn, valueAt } from '../api/objects.ts'
import { fillPath, listOfType, loadFields } from '../api/resources.ts'
import { termOf } from '../api/terms.ts'
import { nameOf } from './names.ts'

/** An object that may be chosen, by what people call it. */
export interface Choice {
  readonly id: string
  readonly name: string
  /** What tells it from others of the same name: its SKU or its email address. */
  readonly about?: string
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
  const resource = listOfType(type, near)
  return resource && { resource, listPath: fillPath(resource.path, near) }
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
  const query = new URLSearchParams({ 'page[limit]': String(limit), ...(filter && { filter }) })
  const [{ body }, { shown }] = await Promise.all([
    send({ path: `${listPath}?${query}`, signal }),
    loadFields(resource),
  ])
  const choices = pageIn(body).rows.map((row) => choiceOf(row, nameOf(row, shown)))
  const wanted = text.toLowerCase()
  return filter
    ? choices
    : choices.filter(({ name }) => name.toLowerCase().includes(wanted)).slice(0, foundMax)
}

function choiceOf(item: Item, name: string): Choice {
  const about = ['sku', 'email', 'slug']
    .flatMap((field) => [valueAt(item, field), valueAt(item, `attributes.${field}`)])
    .find((value) => typeof value === 'string' && value !== '' && value !== name)
  return { id: String(item.id), name, ...(typeof about === 'string' && { about }) }
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

/** What an object is called, by its id; undefined until it is known, and if it is not there. */
export function useName(source: Source | undefined, id: string): string | undefined {
  const { data } = useQuery({
    queryKey: ['name', source?.listPath, id],
    queryFn: async ({ signal }) => {
      if (!source) return null
      const { resource, listPath } = source
      const path = resource.item
        ? `${listPath}/${encodeURIComponent(id)}`
        : `${listPath}?${new URLSearchParams({ filter: termOf('eq', 'id', id) })}`
      try {
        const [{ body }, { shown }] = await Promise.all([send({ path, signal }), loadFields(resource)])
        const data = valueAt(body, 'data')
        const item = Array.isArray(data) ? data[0] : data
        return isItem(item) ? nameOf(item, shown) : null
      } catch {
        return null
      }
    },
    enabled: source !== undefined && id !== '',
    staleTime: 60_000,
  })
  return data ?? undefined
}
