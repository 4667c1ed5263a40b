import type { Op } from '../shape/list-query.ts'
import type { FilterRule } from '../shape/model.ts'

const indexed = 128

/** What an index holds of text that may be longer than its entries. */
export const headOf = (text: string): string => `left(${text}, ${indexed})`

/** The same of a value. */
export const headOfValue = (value: string): string => [...value].slice(0, indexed).join('')

/** A filter on text that may be longer than an index entry: the index holds, and finds, its first characters. */
export const longText = (column: string, ...ops: readonly Op[]): FilterRule => ({
  ops: ops.length ? ops : ['eq', 'like'],
  type: 'text',
  column,
  long: true,
  indexed: true,
})
