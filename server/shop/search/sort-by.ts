import { splitList } from './facet-by.ts'
import { isField } from './filter-syntax.ts'

/** A field that results are sorted by. */
export interface SortOrder {
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
