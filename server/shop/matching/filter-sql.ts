import type { Bind } from '../../kernel/storage/binds.ts'
import { valueId } from '../sources/value-id.ts'
import { type EditionShop, type FieldRows, findValues } from './field-values.ts'
import { isNumber, type Operand, type SearchFilter, type Term } from './filter-syntax.ts'
import { searchField } from './search-fields.ts'
import { listWordIds, splitWords, toTsQuery } from './searched-words.ts'

/** The condition of a filter on rows `p` of `published_texts`. */
export function filterSql(filter: SearchFilter, shop: EditionShop, bind: Bind): string {
  if (filter.is !== 'term') {
    const parts = filter.of.map((part) => `(${filterSql(part, shop, bind)})`)
    return parts.join(filter.is === 'all' ? ' AND ' : ' OR ')
  }
  const condition = termSql(filter, shop, bind)
  return filter.not ? `NOT (${condition})` : `(${condition})`
}

const nothing = 'false'

/** The condition of a term, without its `not`. */
export function termSql({ field: name, how, operands }: Term, shop: EditionShop, bind: Bind): string {
  const field = searchField(name)
  if (how === 'words' && 'weight' in field && field.weight) {
    const queries = operands.flatMap((operand) =>
      operand.is === 'text' ? toTsQuery(splitWords(operand.text), field.weight) || [] : [],
    )
    return queries.length
      ? `p.words @@ ${bind(queries.map((query) => `(${query})`).join(' | '))}::tsquery`
      : nothing
  }
  const values = findValues(field, shop, bind)
  const condition = values && operandsSql(operands, values, bind)
  const conditions = [
    ...(field.in === 'values' ? valuesSql(field.name, operands, how, bind) : []),
    ...(condition ? [`EXISTS (SELECT FROM ${values.from()} AND v.id = p.id AND ${condition})`] : []),
  ]
  return conditions.length ? conditions.join(' OR ') : nothing
}

/** Above this number, values and words are looked up one by one: see `published_with_any`. */
const fewMax = 8

/**
 * Conditions for products that have one of these texts as a value of the field, or all words of one. Each value and
 * each word is an entry of the index, so the cost depends on the matches, not on the number of values.
 */
function valuesSql(
  field: string,
  operands: readonly Operand[],
  how: Term['how'],
  bind: Bind,
): readonly string[] {
  const texts = listTexts(operands)
  const ids = texts.map((text) => valueId(field, text))
  const words = how === 'words' ? texts.flatMap((text) => listWordIds(field, text)) : []
  if (ids.length + words.length > fewMax) {
    const single = words.filter((all) => all.length === 1).flat()
    const lists = words.filter((all) => all.length > 1).map((all) => `{${all.join()}}`)
    const arrays = [`${bind(ids)}::bigint[]`, `${bind(single)}::bigint[]`, `${bind(lists)}::text[]`]
    return [`p.id IN (SELECT published_with_any($1::uuid, $2::uuid, $3::int, ${arrays.join(', ')}))`]
  }
  return [
    ...(ids.length ? [`p.value_ids && ${bind(ids)}::bigint[]`] : []),
    ...words.map((ids) => `p.word_ids @> ${bind(ids)}::bigint[]`),
  ]
}

/** Whether a value of a field meets one of the operands as a whole. Only texts equal texts. */
export function meetsOperands(operands: readonly Operand[]): (value: ValueOfField) => boolean {
  const texts = new Set(listTexts(operands))
  return ({ value, number }) =>
    texts.has(value) || (number !== null && operands.some((operand) => meetsNumber(number, operand)))
}

/** The same operands for amounts, which have no decimal places: they are whole numbers of this unit. */
export function toAmounts(operands: readonly Operand[], scale: number): readonly Operand[] {
  const amount = (digits: string) => `${digits}e${scale}`
  const range = (from: string, to: string): Operand => ({ is: 'range', from: amount(from), to: amount(to) })
  return operands.flatMap((operand): readonly Operand[] => {
    if (operand.is === 'bound') return [{ ...operand, number: amount(operand.number) }]
    if (operand.is === 'range') return [range(operand.from, operand.to)]
    return isNumber(operand.text) ? [range(operand.text, operand.text)] : []
  })
}

interface ValueOfField {
  readonly value: string
  readonly number: number | null
}

function meetsNumber(number: number, operand: Operand): boolean {
  if (operand.is === 'text') return false
  if (operand.is === 'range') return number >= Number(operand.from) && number <= Number(operand.to)
  const bound = Number(operand.number)
  return { '>': number > bound, '>=': number >= bound, '<': number < bound, '<=': number <= bound }[
    operand.op
  ]
}

/** The texts of operands. A number is also compared as text, in the form in which it is stored. */
const listTexts = (operands: readonly Operand[]): readonly string[] => [
  ...new Set(
    operands.flatMap((operand) =>
      operand.is === 'text' ? [operand.text, ...normalizeNumber(operand.text)] : [],
    ),
  ),
]

/** The condition that a value meets one of the operands. */
function operandsSql(operands: readonly Operand[], values: FieldRows, bind: Bind): string | undefined {
  const texts = listTexts(operands)
  const { text, number, scale } = values
  const is = (op: string, digits: string) => compareSql(number as string, op, digits, scale, bind)
  const conditions = [
    ...(text && texts.length ? [`${text} = ANY(${bind(texts)}::text[])`] : []),
    ...operands.flatMap((operand) => {
      if (!number) return []
      if (operand.is === 'bound') return is(operand.op, operand.number)
      if (operand.is === 'range') return `${is('>=', operand.from)} AND ${is('<=', operand.to)}`
      return scale === undefined || !isNumber(operand.text)
        ? []
        : `${is('>=', operand.text)} AND ${is('<=', operand.text)}`
    }),
  ]
  return conditions.length ? `(${conditions.join(' OR ')})` : undefined
}

/** A number in the form in which it is stored as text. */
const normalizeNumber = (text: string): readonly string[] => (isNumber(text) ? [String(Number(text))] : [])

/** Larger than any amount of money. */
const amountMax = '9000000000000000000'

/** A comparison that an index can answer: integer amounts are compared with integers. */
function compareSql(
  column: string,
  op: string,
  digits: string,
  scale: number | undefined,
  bind: Bind,
): string {
  if (scale === undefined) return `${column} ${op} ${bind(String(Number(digits)))}::float8`
  const rounded = op === '>=' || op === '<' ? 'ceil' : 'floor'
  const amount = `${rounded}(${bind(digits)}::numeric * 1e${scale})`
  return `${column} ${op} greatest(least(${amount}, ${amountMax}), -${amountMax})::bigint`
}
