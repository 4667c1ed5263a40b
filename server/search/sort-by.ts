import { splitList } from './facet-by.ts'
import { isField } from './filter-syntax.ts'

/** What results are sorted by. */
export interface Order {
  readonly field: string
  readonly descending: boolean
}

/** Results are sorted by no more fields. */
const ordersMax = 3

/**
 * Reads `sort_by`: fields with `:asc` or `:desc`, the most important first. What is not one is left alone: front ends
 * send the functions of their search engine, too.
 */
export const parseSort = (text: string): readonly Order[] =>
  splitList(text).flatMap(orderOf).slice(0, ordersMax)

function orderOf(part: string): readonly Order[] {
  const colon = part.lastIndexOf(':')
  const field = (colon < 0 ? part : part.slice(0, colon)).trim()
  const direction =
    colon < 0
      ? 'asc'
      : part
          .slice(colon + 1)
          .trim()
          .toLowerCase()
  if (!isField(field) || (direction !== 'asc' && direction !== 'desc')) return []
  return [{ field, descending: direction === 'desc' }]
}
