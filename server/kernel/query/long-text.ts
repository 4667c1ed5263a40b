import type { Op } from '../shape/list-query.ts'
import type { FilterRule } from '../shape/model.ts'

const indexed = 128

/** The part of a text that an index contains, if the text may be longer than an index entry. */
export const headOf = (text: string): string => `left(${text}, ${indexed})`

/** The same part of a value. */
export const headOfValue = (value: string): string => [...value].slice(0, indexed).join('')

/** A filter on text that may be longer than an index entry: the index contains its first characters. */
export const longText = (column: string, ...ops: readonly Op[]): FilterRule => ({
  ops: ops.length ? ops : ['eq', 'like'],
  type: 'text',
  column,
  long: true,
  indexed: true,
})
