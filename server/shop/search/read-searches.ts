import { isObject } from '../../kernel/body/input.ts'
import { Problem } from '../../kernel/errors.ts'
import type { Members } from '../../kernel/shape/envelope.ts'
import { isField, parseFilter, type SearchFilter, Unparsable } from '../matching/filter-syntax.ts'
import { type FacetQuery, parseFacetQuery, parseFacets, splitList } from './facet-by.ts'

/** One search of a request. */
export interface Search {
  readonly type: 'search' | 'autocomplete'
  readonly q: string
  readonly filter: SearchFilter | undefined
  readonly facets: readonly string[]
  readonly facetQuery: FacetQuery | undefined
  readonly sort: readonly SortOrder[]
  readonly valuesMax: number
  /** Undefined stands for the default page length. */
  readonly perPage: number | undefined
  /** Counted from 1. Undefined stands for the offset of the request. */
  readonly page: number | undefined
  /** The fields whose whole text is highlighted. */
  readonly full: ReadonlySet<string>
}

export const searchLimits = {
  searchesMax: 20,
  perPageMax: 250,
  /** These two are for all searches of a request together. */
  productsMax: 1000,
  facetsMax: 60,
  offsetMax: 10_000,
  textMax: 4000,
  valuesMax: 1000,
} as const

const valuesDefault = 10

/** Reads the searches of a body. Unknown members are ignored: clients send options of their search engines. */
export function readSearches(body: unknown): readonly Search[] {
  const { searches } = (isObject(body) ? body : {}) as { readonly searches?: unknown }
  if (!Array.isArray(searches) || !searches.length || searches.length > searchLimits.searchesMax) {
    const detail = `searches must be a list of 1 to ${searchLimits.searchesMax} searches.`
    throw new Problem('invalid_field', detail, { source: 'searches' })
  }
  const read = searches.map((search: unknown, i) => {
    if (isObject(search)) return readSearch(search, `searches[${i}]`)
    throw new Problem('invalid_field', 'A search must be a JSON object.', { source: `searches[${i}]` })
  })
  const { facetsMax } = searchLimits
  const i = findExcess(
    facetsMax,
    read.map(({ facets }) => facets.length),
  )
  if (i === undefined) return read
  const detail = `All searches of a request together must have at most ${facetsMax} facets.`
  throw new Problem('bad_request', detail, { title: 'Invalid Facet', source: `searches[${i}].facet_by` })
}

/** The index of the number that makes the sum larger than `most`. */
function findExcess(most: number, numbers: readonly number[]): number | undefined {
  let sum = 0
  for (const [i, number] of numbers.entries()) {
    sum += number
    if (sum > most) return i
  }
  return undefined
}

function readSearch(members: Members, at: string): Search {
  const text = (name: string) => readText(members, name, at)
  const type = text('type') || 'search'
  if (type !== 'search' && type !== 'autocomplete') {
    const detail = 'type must be search or autocomplete.'
    throw new Problem('invalid_field', detail, { source: `${at}.type` })
  }
  const page = readPage(members, 'page', at, 1, searchLimits.offsetMax + 1)
  const perPage = readPage(members, 'per_page', at, 0, searchLimits.perPageMax)
  const full = text('highlight_full_fields').split(',')
  const facets = parseFacets(text('facet_by'), `${at}.facet_by`)
  const facetQuery = parseFacetQuery(text('facet_query'))
  return {
    type,
    q: text('q'),
    filter: readFilter(text('filter_by'), `${at}.filter_by`),
    // A `facet_query` counts its facet, even if `facet_by` does not name it.
    facets: facetQuery ? [...new Set([...facets, facetQuery.field])] : facets,
    facetQuery,
    sort: parseSort(text('sort_by')),
    valuesMax: readValuesMax(members, at),
    perPage,
    page,
    full: new Set(full.map((name) => name.trim())),
  }
}

/** Reads a text. A list of texts is joined with commas. */
function readText(members: Members, name: string, at: string): string {
  const value = members[name] ?? ''
  const text = Array.isArray(value) ? value.join(',') : typeof value === 'number' ? String(value) : value
  if (typeof text === 'string' && text.length <= searchLimits.textMax) return text
  const detail = `${name} must be a string of at most ${searchLimits.textMax} characters.`
  throw new Problem('invalid_field', detail, { source: `${at}.${name}` })
}

function readFilter(text: string, source: string): SearchFilter | undefined {
  try {
    return parseFilter(text)
  } catch (error) {
    if (!(error instanceof Unparsable)) throw error
    throw new Problem('bad_filter', error.message, { title: 'Invalid Filter', source })
  }
}

const badPage = (source: string, accepted: string) =>
  new Problem('bad_page', `Invalid page or per_page parameter. ${accepted}`, {
    title: 'Invalid Pagination',
    source,
  })

/** The part of the results that a response shows. */
export interface SearchWindow {
  readonly limit: number
  readonly offset: number
}

/** The offset and limit of each search. The request has the defaults. */
export function toWindows(searches: readonly Search[], request: SearchWindow): readonly SearchWindow[] {
  const windows = searches.map((search, i) => toWindow(search, i, request))
  const { productsMax } = searchLimits
  const i = findExcess(
    productsMax,
    windows.map(({ limit }) => limit),
  )
  if (i === undefined) return windows
  const detail = `All searches of a request together must ask for at most ${productsMax} products.`
  throw new Problem('bad_page', detail, { title: 'Invalid Pagination', source: `searches[${i}].per_page` })
}

function toWindow({ page, perPage }: Search, i: number, request: SearchWindow): SearchWindow {
  const limit = perPage ?? request.limit
  const offset = page === undefined ? request.offset : (page - 1) * limit
  if (offset <= searchLimits.offsetMax) return { limit, offset }
  const accepted = `A page can skip at most ${searchLimits.offsetMax} products; narrow the search.`
  throw badPage(page === undefined ? 'page[offset]' : `searches[${i}].page`, accepted)
}

/** Reads a number that may be written as text. */
const toNumber = (value: unknown): number =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : (value as number)

function readPage(members: Members, name: string, at: string, min: number, max: number): number | undefined {
  if (members[name] == null) return undefined
  const value = toNumber(members[name])
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw badPage(`${at}.${name}`, `${name} must be an integer from ${min} to ${max}.`)
}

function readValuesMax({ max_facet_values: members }: Members, at: string): number {
  if (members == null) return valuesDefault
  const value = toNumber(members)
  if (Number.isInteger(value) && value >= 0 && value <= searchLimits.valuesMax) return value
  const detail = `max_facet_values must be an integer from 0 to ${searchLimits.valuesMax}.`
  throw new Problem('invalid_field', detail, { source: `${at}.max_facet_values` })
}

/** A field that results are sorted by. */
interface SortOrder {
  readonly field: string
  readonly descending: boolean
}

/** How many fields results are sorted by, at most. */
const ordersMax = 3

/**
 * Parses `sort_by`: fields with `:asc` or `:desc`, the most important first. Functions of search engines, which front
 * ends also send, are ignored: what is not the name of a field, or begins with `_`.
 */
export const parseSort = (text: string): readonly SortOrder[] =>
  splitList(text).flatMap(parseOrder).slice(0, ordersMax)

function parseOrder(part: string): readonly SortOrder[] {
  const colon = part.lastIndexOf(':')
  const field = (colon < 0 ? part : part.slice(0, colon)).trim()
  const direction =
    colon < 0
      ? 'asc'
      : part
          .slice(colon + 1)
          .trim()
          .toLowerCase()
  const isFunction = field.startsWith('_') && field !== '_text_match'
  if (!isField(field) || isFunction || (direction !== 'asc' && direction !== 'desc')) return []
  return [{ field, descending: direction === 'desc' }]
}
