import { Problem } from '../errors.ts'
import type { ListQuery } from '../shape/list-query.ts'
import { filterLimits, parseFilter } from './filter-syntax.ts'

const totalMethods = ['exact', 'observed', 'lower_bound']

export const limits = {
  pageMax: 100,
  /** For a list that the public contract does not page: see `Model.whole`. */
  wholeMax: 10_000,
  offsetMax: Number.MAX_SAFE_INTEGER,
  includesMax: 20,
  shownMax: 40,
  ...filterLimits,
} as const

/** Reads a raw query string, still percent-encoded and without its `?`. Unknown parameters are ignored. */
export function parse(query: string): ListQuery {
  return query === '' ? nothingAsked : read(query)
}

function read(query: string): ListQuery {
  const parameters = readParameters(query)
  refuseTotalMethod(parameters.get('page[total_method]'))
  return {
    limit: readWhole(parameters, 'page[limit]', limits.pageMax),
    offset: readWhole(parameters, 'page[offset]', limits.offsetMax) ?? 0,
    isPaged: ['page[limit]' as const, ...positionNames].some((name) => parameters.has(name)),
    cursor: readCursor(parameters),
    sort: readSort(parameters.get('sort')),
    filter: parseFilter(parameters.get('filter') ?? ''),
    include: readInclude(parameters.get('include') ?? ''),
  }
}

const names = [
  'page[limit]',
  'page[offset]',
  'page[after]',
  'page[before]',
  'page[total_method]',
  'sort',
  'filter',
  'include',
] as const

type FilterName = (typeof names)[number]
type QueryParameters = ReadonlyMap<FilterName, string>

function readParameters(query: string): QueryParameters {
  const parameters = new Map<FilterName, string>()
  for (const pair of query.split('&')) {
    const [rawName = ''] = pair.split('=', 1)
    const decoded = decode(rawName, rawName)
    const value = decode(pair.slice(rawName.length + 1), decoded)

    const name = names.find((candidate) => candidate === decoded)
    if (name === undefined) continue
    const earlier = parameters.get(name)
    if (earlier !== undefined && name !== 'include') throw badRequest(name, `${name} must be sent only once.`)
    parameters.set(name, earlier === undefined ? value : `${earlier},${value}`)
  }
  return parameters
}

/** Checks unknown parameters too: one may be the rest of a value whose `&` the client did not encode. */
function decode(raw: string, name: string): string {
  const refuse = (fault: string) => badRequest(clip(name), `The query parameter ${quote(name)} ${fault}.`)

  let text: string
  try {
    text = decodeURIComponent(raw.replaceAll('+', ' '))
  } catch {
    throw refuse('is not valid percent-encoded UTF-8')
  }
  if (text.includes('\0')) throw refuse('contains a NUL character')
  if (!text.isWellFormed()) throw refuse('contains an unpaired surrogate')
  return text
}

function readWhole(parameters: QueryParameters, name: FilterName, max: number): number | undefined {
  const text = parameters.get(name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (!/^[0-9]+$/.test(text) || value > max)
    throw badPage(name, `${name} must be a whole number from 0 to ${max}, not ${quote(text)}.`)
  return value
}

const positionNames = ['page[after]', 'page[before]', 'page[offset]'] as const

function readCursor(parameters: QueryParameters): ListQuery['cursor'] {
  const [first, second] = positionNames.filter((name) => parameters.has(name))
  if (first === undefined || first === 'page[offset]') return undefined
  if (second !== undefined) throw badPage(first, `${first} cannot be combined with ${second}.`)
  return { direction: first === 'page[after]' ? 'after' : 'before', token: parameters.get(first) ?? '' }
}

/** Clients may request a less exact total than the one that every list returns. */
function refuseTotalMethod(text: string | undefined): void {
  if (text === undefined || totalMethods.some((method) => method === text)) return
  const name = 'page[total_method]'
  throw badPage(name, `${name} must be one of ${totalMethods.join(', ')}, not ${quote(text)}.`)
}

const attribute = /^[\p{L}\p{Nd}_.$@[\]-]+$/u

/** The decoder turns a `+` before the attribute into a space, and `trim` drops it. */
function readSort(value = ''): ListQuery['sort'] {
  const text = value.trim()
  if (text === '' || text === 'null') return undefined
  const descending = text.startsWith('-')
  const field = descending ? text.slice(1) : text
  if (!attribute.test(field))
    throw badRequest('sort', `sort must be one attribute, such as name or -name, not ${quote(text)}.`)
  return { field, descending }
}

function readInclude(text: string): readonly string[] {
  const paths = new Set(text.split(',').map((name) => name.trim()))
  paths.delete('')
  if (paths.size > limits.includesMax)
    throw badRequest('include', `include must have at most ${limits.includesMax} names, not ${paths.size}.`)
  return [...paths]
}

function badRequest(source: string, detail: string): Problem {
  return new Problem('bad_request', detail, { source })
}

function badPage(source: FilterName, detail: string): Problem {
  return new Problem('bad_page', detail, { source })
}

/** Quotes and clips a text so that an error message can repeat it. */
function quote(text: string): string {
  return JSON.stringify(clip(text))
}

function clip(text: string): string {
  return (text.length > limits.shownMax ? `${text.slice(0, limits.shownMax)}…` : text).toWellFormed()
}

/** Most requests for one object have no query. */
const nothingAsked = read('')
