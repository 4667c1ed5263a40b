import { beginningOf } from '../../kernel/query/like-patterns.ts'
import type { Op } from '../../kernel/shape/list-query.ts'
import type { Binds } from '../../kernel/storage/binds.ts'

/** Conditions on the index rows `v` of `entry_values`. */

const signs = { eq: '=', gt: '>', ge: '>=', lt: '<', le: '<=' } as const
type ComparisonOp = keyof typeof signs
const isComparison = (op: Op): op is ComparisonOp => Object.hasOwn(signs, op)

export function matchingNumber(op: Op, numbers: readonly number[], bind: Binds['bind']): string {
  if (isComparison(op)) return `v.number_value ${signs[op]} ${bind(numbers[0])}::float8`
  if (op === 'in') return `v.number_value = ANY(${bind(numbers)}::float8[])`
  throw new Error(`${op} is not an operator for numbers`)
}

/** Characters in `text_head`. */
const headLength = 128

function cut(text: string): [head: string, tail: string] {
  if (text.length < headLength) return [text, '']
  const characters = [...text]
  return [characters.slice(0, headLength).join(''), characters.slice(headLength).join('')]
}

/** Whether the head alone identifies the text. */
const isShort = (text: string) => [...text].length < headLength

const whole = "(v.text_head || coalesce(v.text_tail, ''))"

export function matchingText(op: Op, values: readonly string[], bind: Binds['bind']): string {
  const [value = ''] = values
  if (op === 'like') return likeText(value, bind)
  if (op === 'in') return textAmong(values, bind)
  if (!isComparison(op)) throw new Error(`${op} is not an operator for texts`)
  if (isShort(value)) return `v.text_head ${signs[op]} ${bind(value)}`
  if (op === 'eq') return sameLongText(value, bind)
  // The index finds candidates by their heads; then the whole texts are compared.
  const side = op === 'gt' || op === 'ge' ? '>=' : '<='
  return `v.text_head ${side} ${bind(cut(value)[0])} AND ${whole} ${signs[op]} ${bind(value)}`
}

function sameLongText(value: string, bind: Binds['bind']): string {
  const [head, tail] = cut(value)
  return `v.text_head = ${bind(head)} AND coalesce(v.text_tail, '') = ${bind(tail)}`
}

function textAmong(values: readonly string[], bind: Binds['bind']): string {
  const short = values.filter(isShort)
  const conditions = values
    .filter((value) => !isShort(value))
    .map((value) => `(${sameLongText(value, bind)})`)
  if (short.length > 0) conditions.unshift(`v.text_head = ANY(${bind(short)}::text[])`)
  return `(${conditions.join(' OR ')})`
}

function likeText(pattern: string, bind: Binds['bind']): string {
  const begins = beginningOf(pattern)
  if (!begins) return `v.text_head IS NOT NULL AND ${whole} LIKE ${bind(pattern)}`
  const { text, open } = begins
  if (!open) return matchingText('eq', [text], bind)
  const [head, tail] = cut(text)
  // A pattern with a fixed beginning is a range of the index.
  if (tail === '') return `v.text_head LIKE ${bind(pattern)}`
  return `v.text_head = ${bind(head)} AND ${whole} LIKE ${bind(pattern)}`
}
