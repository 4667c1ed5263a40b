import { Problem } from '../kernel/errors.ts'
import { parseFacets } from './facet-by.ts'
import { type Filter, parseFilter, Unparsable } from './filter-syntax.ts'

/** One of the searches of a request. */
export interface Search {
  readonly type: 'search' | 'autocomplete'
  readonly q: string
  readonly filter: Filter | undefined
  readonly facets: readonly string[]
  readonly valuesMax: number
  /** Undefined: as many as a page has. */
  readonly perPage: number | undefined
  /** From 1 on; undefined: where the request as a whole begins. */
  readonly page: number | undefined
  /** The fields of which the whole text is told with marks. */
  readonly full: ReadonlySet<string>
}

export const searchLimits = {
  searchesMax: 50,
  perPageMax: 250,
  offsetMax: 10_000,
  textMax: 4000,
  valuesMax: 1000,
} as const

const valuesDefault = 10

/** The searches of a body. What is not known of is left alone: clients send whatever their search engine knows. */
export function readSearches(body: unknown): readonly Search[] {
  const { searches } = (isObject(body) ? body : {}) as { readonly searches?: unknown }
  if (!Array.isArray(searches) || !searches.length || searches.length > searchLimits.searchesMax) {
    const detail = `searches must be a list of 1 to ${searchLimits.searchesMax} searches.`
    throw new Problem('invalid_field', detail, { source: 'searches' })
  }
  return searches.map((search: unknown, i) => {
    if (isObject(search)) return readSearch(search, `searches[${i}]`)
    throw new Problem('invalid_field', 'A search must be an object.', { source: `searches[${i}]` })
  })
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
  return {
    type,
    q: text('q'),
    filter: readFilter(text('filter_by'), `${at}.filter_by`),
    facets: parseFacets(text('facet_by'), `${at}.facet_by`),
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
  const detail = `${name} must be a text of at most ${searchLimits.textMax} characters.`
  throw new Problem('invalid_field', detail, { source: `${at}.${name}` })
}

function readFilter(text: string, source: string): Filter | undefined {
  try {
    return parseFilter(text)
  } catch (error) {
    if (!(error instanceof Unparsable)) throw error
    const detail = 'Could not parse the filter query.'
    throw new Problem('bad_filter', detail, { title: 'Invalid Filter', source })
  }
}

const badPage = (source: string) =>
  new Problem('bad_page', 'Invalid page or per_page parameter.', { title: 'Invalid Pagination', source })

/** Where the page of a search begins, and how long it is: where it does not say, as the request does. */
export function windowOf(
  { page, perPage }: Search,
  i: number,
  request: { readonly limit: number; readonly offset: number },
): { readonly limit: number; readonly offset: number } {
  const limit = perPage ?? request.limit
  const offset = page === undefined ? request.offset : (page - 1) * limit
  if (offset <= searchLimits.offsetMax) return { limit, offset }
  throw badPage(page === undefined ? 'page[offset]' : `searches[${i}].page`)
}

/** A whole number, also where it is written as a text. */
const wholeOf = (value: unknown): number =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : (value as number)

function readPage(given: Given, name: string, at: string, min: number, max: number): number | undefined {
  if (given[name] == null) return undefined
  const value = wholeOf(given[name])
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw badPage(`${at}.${name}`)
}

function readValuesMax({ max_facet_values: given }: Given, at: string): number {
  if (given == null) return valuesDefault
  const value = wholeOf(given)
  if (Number.isInteger(value) && value >= 0 && value <= searchLimits.valuesMax) return value
  const detail = `max_facet_values must be a whole number from 0 to ${searchLimits.valuesMax}.`
  throw new Problem('invalid_field', detail, { source: `${at}.max_facet_values` })
}
