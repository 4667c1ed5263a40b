import type { FilterRule } from '../resource.ts'

const indexed = 128

/** A filter on text that may be longer than an index entry: the index holds, and finds, its first characters. */
export const longText = (column: string): FilterRule => ({
  ops: ['eq', 'like'],
  type: 'text',
  where: (op, [value = ''], bind) =>
    op === 'eq'
      ? `(left(${column}, ${indexed}) = left(${bind(value)}, ${indexed}) AND ${column} = ${bind(value)})`
      : `${column} LIKE ${bind(value)}`,
})
