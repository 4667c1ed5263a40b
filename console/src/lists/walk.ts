import type { Resource } from '../api/document.ts'
import { joinTerms, termOf } from '../api/terms.ts'
import { pageSizes } from './address.ts'

/** The ways to read a list as a whole that miss nothing. `ids` begins each page after the last id of the one before. */
export type Way = 'export' | 'ids' | 'cursor'

export interface WholeList {
  readonly listPath: string
  readonly filter?: string | undefined
  /** Undefined for the list's own order, where it cannot be sorted by id. */
  readonly sort?: string | undefined
}

/** The most objects of a page. */
export const pageMax = pageSizes.at(-1) ?? 100

/** In the order of ids nothing moves, and what is new comes last. */
export const orderOf = ({ sort }: Pick<Resource, 'sort'>): string | undefined =>
  sort?.includes('id') ? 'id' : undefined

/** The ways that a list has, the safest first. */
export const waysOf = (resource: Pick<Resource, 'sort' | 'filter'>): readonly Way[] => [
  'export',
  ...(orderOf(resource) && resource.filter?.id?.operators.includes('gt') ? (['ids'] as const) : []),
  'cursor',
]

/** Pages until one has nothing: a walk by ids only knows its end from an empty page. */
export const requestsOf = (way: Way, total: number): number =>
  way === 'export'
    ? 1
    : way === 'ids'
      ? Math.ceil(total / pageMax) + 1
      : Math.max(Math.ceil(total / pageMax), 1)

/** A filter that may have alternatives, and the term that leads to the next page. */
const afterId = (filter: string | undefined, last: string | undefined): string =>
  joinTerms([
    ...(filter ? [last === undefined ? filter : `(${filter})`] : []),
    ...(last === undefined ? [] : [termOf('gt', 'id', last)]),
  ])

/** The first request of a way; by ids, that after an id. */
export function walkPath(way: Way, { listPath, filter, sort }: WholeList, last?: string): string {
  const wanted = afterId(filter, last)
  const query = new URLSearchParams({
    ...(sort && { sort }),
    ...(way !== 'export' && { 'page[limit]': String(pageMax) }),
    ...(way === 'cursor' && { 'page[after]': '' }),
    ...(wanted && { filter: wanted }),
  })
  return query.size ? `${listPath}?${query}` : listPath
}

/** How far a walk has come. */
export interface Walked {
  readonly read: number
  readonly requests: number
  /** How many objects the list had at the first request. */
  readonly first?: number
  /** Of the first request: what is not in it yet will have a later `updated_at`. */
  readonly watermark?: string
  /** The position of the change feed that an export includes. */
  readonly position?: string
  readonly lastId?: string
}

/** Whether a walk has read everything, and why it is known or not. */
export type Verdict = 'oneMoment' | 'byId' | 'ownOrder' | 'short' | 'stopped' | 'failed'

export function verdictOf(
  way: Way,
  { sort }: WholeList,
  { read, first }: Walked,
  end: 'end' | 'stopped' | 'failed',
): { readonly isComplete: boolean; readonly why: Verdict } {
  if (end !== 'end') return { isComplete: false, why: end }
  if (way === 'export')
    return first === undefined || first === read
      ? { isComplete: true, why: 'oneMoment' }
      : { isComplete: false, why: 'short' }
  return sort === 'id' ? { isComplete: true, why: 'byId' } : { isComplete: false, why: 'ownOrder' }
}
