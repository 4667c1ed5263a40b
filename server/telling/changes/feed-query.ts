import { isDay } from '../../kernel/body/days.ts'
import { Problem } from '../../kernel/errors.ts'
import type { ChangeFilter, FoundChanges } from '../../kernel/feed/look-for-changes.ts'
import { chosenIdMax } from '../../kernel/ids.ts'
import { parse } from '../../kernel/query/parse.ts'
import { text } from '../../kernel/shape/fields.ts'
import type { Filter } from '../../kernel/shape/list-query.ts'
import type { Ctx } from '../../kernel/work/context.ts'

/** The query of a list of changes. */
export interface FeedQuery {
  readonly filter: ChangeFilter
  readonly most: number
  /** The position of the last change that the client has; undefined for the beginning of the list. */
  readonly after: number | undefined
  /** Whether the client limits the number of changes. */
  readonly isLimited: boolean
}

const pageDefault = 100

/** For the API document. */
export const filterField = text({
  about:
    'Terms that all must hold: `eq` or `in` of `type`, `event`, `id` (of the object) and `actor`; `ge` and `lt` of `at`.',
  example: 'in(type,product,order):eq(event,updated):ge(at,2026-01-01T00:00:00Z)',
})

/** Reads the query of a list of changes, in the language of all lists. */
export function readFeedQuery(query: string): FeedQuery {
  const { filter, limit, cursor, offset, sort } = parse(query)
  if (sort) throw new Problem('bad_request', 'Changes have one order; send no sort.', { source: 'sort' })
  if (offset > 0 || cursor?.direction === 'before') {
    throw new Problem('bad_page', 'Go on with page[after] and the position of the last change.', {
      source: 'page[after]',
    })
  }
  return {
    filter: readFilter(filter),
    most: limit ?? pageDefault,
    isLimited: limit !== undefined,
    after: cursor?.token ? readPosition(cursor.token, 'page[after]') : undefined,
  }
}

/** Lines are all changes that match, so a page makes no sense. */
export function refuseLimit({ isLimited }: FeedQuery): void {
  if (isLimited)
    throw new Problem(
      'bad_page',
      'Lines (application/x-ndjson, text/csv) are all changes from a position on: send the request without page[limit].',
      { source: 'page[limit]' },
    )
}

/** Reads a position, which is a whole number. */
export function readPosition(token: string, source: string): number {
  const position = Number(token)
  if (!/^[0-9]{1,16}$/.test(token) || !Number.isSafeInteger(position)) {
    throw new Problem('bad_page', `${source} must be the position of a change: a whole number.`, { source })
  }
  return position
}

/** The members of a filter, by the names in the query, that take some values. */
const names = { type: 'types', event: 'events', id: 'ids', actor: 'actors' } as const

function readFilter(filter: Filter | undefined): ChangeFilter {
  const terms = !filter ? [] : filter.is === 'and' ? filter.parts : [filter]
  const read: { -readonly [K in keyof ChangeFilter]: ChangeFilter[K] } = {}
  for (const term of terms) {
    if (term.is !== 'term')
      throw refusal('its terms must all hold: write them one after the other, separated by colons')
    const [key, value] = readTerm(term)
    if (read[key] !== undefined) throw refusal(`[${term.field}] must have one term`)
    Object.assign(read, { [key]: value })
  }
  return read
}

function readTerm({ op, field, values }: Extract<Filter, { is: 'term' }>): [keyof ChangeFilter, unknown] {
  if (field === 'at' && (op === 'ge' || op === 'lt'))
    return [op === 'ge' ? 'from' : 'before', readTime(values[0] ?? '')]
  const key = Object.hasOwn(names, field) ? names[field as keyof typeof names] : undefined
  if (!key || (op !== 'eq' && op !== 'in')) {
    throw refusal(
      `it may have eq and in of ${Object.keys(names).join(', ')}, and ge and lt of at, not ${op}(${field},…)`,
    )
  }
  if (key !== 'ids') return [key, values]
  if (values.some((id) => id.length > chosenIdMax))
    throw refusal(`[id] must have at most ${chosenIdMax} characters`)
  return [key, values]
}

function readTime(value: string): string {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d))?$/.test(value)
  if (!isTime || !isDay(value)) throw refusal('[at] must be a time, such as 2026-01-01T00:00:00Z')
  return new Date(value).toISOString()
}

const refusal = (detail: string) => new Problem('bad_filter', `bad filter: ${detail}`, { source: 'filter' })

/** What a page of the feed shows beside its entries. */
export function besideEntries(
  { baseUrl }: Pick<Ctx, 'baseUrl'>,
  { path, query }: { readonly path: string; readonly query: string },
  { most }: FeedQuery,
  { trimmed, last, reached }: Pick<FoundChanges, 'trimmed' | 'last' | 'reached'>,
) {
  const at = (text: string) => `${baseUrl}${path}${text && `?${text}`}`
  const next = new URLSearchParams(query)
  next.set('page[after]', String(reached))
  return {
    meta: { page: { limit: most }, feed: { oldest: trimmed + 1, last, reached } },
    links: { current: at(new URLSearchParams(query).toString()), next: at(next.toString()) },
  }
}
