import { Problem } from '../kernel/errors.ts'
import { type FacetQuery, parseFacetQuery, parseFacets } from './facet-by.ts'
import { type Filter, parseFilter, Unparsable } from './filter-syntax.ts'
import { type Order, parseSort } from './sort-by.ts'

/** One of the searches of a request. */
export interface Search {
  readonly type: 'search' | 'autocomplete'
  readonly q: string
  readonly filter: Filter | undefined
  readonly facets: readonly string[]
  readonly facetQuery: FacetQuery | undefined
  readonly sort: readonly Order[]
  readonly valuesMax: number
  /** Undefined: as many as a page has. */
  readonly perPage: number | undefined
  /** From 1 on; undefined: where the request as a whole begins. */
  readonly page: number | undefined
  /** The fields of which the whole text is told with marks. */
  readonly full: ReadonlySet<string>
}

export const searchLimits = {
  searchesMax: 20,
  perPageMax: 250,
  /** Of all searches together, as the next one is. */
  productsMax: 1000,
  facetsMax: 60,
  offsetMax: 10_000,
  textMax: 4000,
  valuesMax: 1000,
} as const

const valuesDefault = 10

/** The searches of a body. Unknown members are ignored: clients send whatever their search engine knows. */
export function readSearches(body: unknown): readonly Search[] {
  const { searches } = (isObject(body) ? body : {}) as { readonly searches?: unknown }
  if (!Array.isArray(searches) || !searches.length || searches.length > searchLimits.searchesMax) {
    const detail = `searches must be a list of 1 to ${searchLimits.searchesMax} searches.`
    throw new Problem('invalid_field', detail, { source: 'searches' })
  }
  const read = searches.map((search: unknown, i) => {
    if (isObject(search)) return readSearch(search, `searches[${i}]`)
    throw new Problem('invalid_field', 'A search must be an object.', { source: `searches[${i}]` })
  })
  const { facetsMax } = searchLimits
  const i = passes(
    facetsMax,
    read.map(({ facets }) => facets.length),
  )
  if (i === undefined) return read
  const detail = `The searches of a request count at most ${facetsMax} facets together.`
  throw new Problem('bad_request', detail, { title: 'Invalid Facet', source: `searches[${i}].facet_by` })
}

/** The place of the number that takes the sum above what there may be at most. */
function passes(most: number, numbers: readonly number[]): number | undefined {
  let sum = 0
  for (const [i, number] of numbers.entries()) {
    sum += number
    if (sum > most) return i
  }
  return undefined
}

type Given = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readSearch(given: Given, at: string): Search {
  const text = (name: string) => readText(given, name, at)
  const type = text('type') || 'search'
  if (type !== 'search' && type !== 'autocomplete') {
    const detail = 'type must be search or autocomplete.'
    throw new Problem('invalid_field', detail, { source: `${at}.type` })
  }
  const page = readPage(given, 'page', at, 1, searchLimits.offsetMax + 1)
  const perPage = readPage(given, 'per_page', at, 0, searchLimits.perPageMax)
  const full = text('highlight_full_fields').split(',')
  const facets = parseFacets(text('facet_by'), `${at}.facet_by`)
  const facetQuery = parseFacetQuery(text('facet_query'))
  return {
    type,
    q: text('q'),
    filter: readFilter(text('filter_by'), `${at}.filter_by`),
    // What is typed into the search box of a facet is asked of that facet, whether it is counted otherwise or not.
    facets: facetQuery ? [...new Set([...facets, facetQuery.field])] : facets,
    facetQuery,
    sort: parseSort(text('sort_by')),
    valuesMax: readValuesMax(given, at),
    perPage,
    page,
    full: new Set(full.map((name) => name.trim())),
  }
}

/** Lists of texts are taken as they are written in one text, too. */
function readText(given: Given, name: string, at: string): string {
  const value = given[name] ?? ''
  const text = Array.isArray(value) ? value.join(',') : typeof value === 'number' ? String(value) : value
  if (typeof text === 'string' && text.length <= searchLimits.textMax) return text
  const detail = `${name} must be a string of at most ${searchLimits.textMax} characters.`
  throw new Problem('invalid_field', detail, { source: `${at}.${name}` })
}

function readFilter(text: string, source: string): Filter | undefined {
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

interface Window {
  readonly limit: number
  readonly offset: number
}

/** Where the pages of the searches begin, and how long they are: where one does not say, as the request does. */
export function windowsOf(searches: readonly Search[], request: Window): readonly Window[] {
  const windows = searches.map((search, i) => windowOf(search, i, request))
  const { productsMax } = searchLimits
  const i = passes(
    productsMax,
    windows.map(({ limit }) => limit),
  )
  if (i === undefined) return windows
  const detail = `The pages of all searches of a request have at most ${productsMax} products together.`
  throw new Problem('bad_page', detail, { title: 'Invalid Pagination', source: `searches[${i}].per_page` })
}

function windowOf({ page, perPage }: Search, i: number, request: Window): Window {
  const limit = perPage ?? request.limit
  const offset = page === undefined ? request.offset : (page - 1) * limit
  if (offset <= searchLimits.offsetMax) return { limit, offset }
  const accepted = `A page begins after at most ${searchLimits.offsetMax} products.`
  throw badPage(page === undefined ? 'page[offset]' : `searches[${i}].page`, accepted)
}

/** A whole number, also where it is written as a text. */
const wholeOf = (value: unknown): number =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : (value as number)

function readPage(given: Given, name: string, at: string, min: number, max: number): number | undefined {
  if (given[name] == null) return undefined
  const value = wholeOf(given[name])
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw badPage(`${at}.${name}`, `${name} must be an integer from ${min} to ${max}.`)
}

function readValuesMax({ max_facet_values: given }: Given, at: string): number {
  if (given == null) return valuesDefault
  const value = wholeOf(given)
  if (Number.isInteger(value) && value >= 0 && value <= searchLimits.valuesMax) return value
  const detail = `max_facet_values must be an integer from 0 to ${searchLimits.valuesMax}.`
  throw new Problem('invalid_field', detail, { source: `${at}.max_facet_values` })
}
