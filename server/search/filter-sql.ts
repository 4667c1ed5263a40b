import { valueId } from '../publishing/index.ts'
import { type Bind, type Shop, type Values, valuesOf } from './field-values.ts'
import { type Filter, isNumber, type Operand, type Term } from './filter-syntax.ts'
import { searchField } from './search-fields.ts'
import { queryOf, wholeWords, wordIdsOf } from './searched-words.ts'

/** A filter's condition on products `p` of `published_texts`. */
export function conditionOf(filter: Filter, shop: Shop, bind: Bind): string {
  if (filter.is !== 'term') {
    const parts = filter.of.map((part) => `(${conditionOf(part, shop, bind)})`)
    return parts.join(filter.is === 'all' ? ' AND ' : ' OR ')
  }
  const found = termCondition(filter, shop, bind)
  return filter.not ? `NOT (${found})` : `(${found})`
}

const nothing = 'false'

function termCondition({ field: name, how, operands }: Term, shop: Shop, bind: Bind): string {
  const field = searchField(name)
  if (how === 'words' && 'weight' in field && field.weight) {
    const queries = operands.flatMap((operand) =>
      operand.is === 'text' ? queryOf(wholeWords(operand.text), field.weight) || [] : [],
    )
    return queries.length
      ? `p.words @@ ${bind(queries.map((query) => `(${query})`).join(' | '))}::tsquery`
      : nothing
  }
  const values = valuesOf(field, shop, bind)
  const met = values && operandConditions(operands, values, bind)
  const conditions = [
    ...(field.in === 'values' ? valueConditions(field.name, operands, how, bind) : []),
    ...(met ? [`EXISTS (SELECT FROM ${values.from()} AND v.id = p.id AND ${met})`] : []),
  ]
  return conditions.length ? conditions.join(' OR ') : nothing
}

/** More values or words are looked up one by one: see `published_with_any` in migration 0038. */
const fewMax = 8

/**
 * What is met by products with these texts among the values of a field, or with all words of one. Each value and each
 * word is an entry of the index: the cost is that of what is found, however many values the field has.
 */
function valueConditions(
  field: string,
  operands: readonly Operand[],
  how: Term['how'],
  bind: Bind,
): readonly string[] {
  const texts = textsOf(operands)
  const ids = texts.map((text) => valueId(field, text))
  const words = how === 'words' ? texts.flatMap((text) => wordIdsOf(field, text)) : []
  if (ids.length + words.length > fewMax) {
    const single = words.filter((all) => all.length === 1).flat()
    const lists = words.filter((all) => all.length > 1).map((all) => `{${all.join()}}`)
    const given = [`${bind(ids)}::bigint[]`, `${bind(single)}::bigint[]`, `${bind(lists)}::text[]`]
    return [`p.id IN (SELECT published_with_any($1::uuid, $2::uuid, $3::int, ${given.join(', ')}))`]
  }
  return [
    ...(ids.length ? [`p.value_ids && ${bind(ids)}::bigint[]`] : []),
    ...words.map((ids) => `p.word_ids @> ${bind(ids)}::bigint[]`),
  ]
}

/** Numbers are texts too, as they are stored, however they are written. */
const textsOf = (operands: readonly Operand[]): readonly string[] => [
  ...new Set(
    operands.flatMap((operand) => (operand.is === 'text' ? [operand.text, ...numeral(operand.text)] : [])),
  ),
]

/** What the values of products are to be so that one of the operands is met. */
function operandConditions(operands: readonly Operand[], values: Values, bind: Bind): string | undefined {
  const texts = textsOf(operands)
  const { text, number, scale } = values
  const is = (op: string, digits: string) => compared(number as string, op, digits, scale, bind)
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

/** How a number is stored as text, however it is written. */
const numeral = (text: string): readonly string[] => (isNumber(text) ? [String(Number(text))] : [])

/** No amount of money is larger. */
const amountMax = '9000000000000000000'

/** A comparison that an index answers: whole amounts are compared with whole numbers. */
function compared(column: string, op: string, digits: string, scale: number | undefined, bind: Bind): string {
  if (scale === undefined) return `${column} ${op} ${bind(String(Number(digits)))}::float8`
  const rounded = op === '>=' || op === '<' ? 'ceil' : 'floor'
  const amount = `${rounded}(${bind(digits)}::numeric * 1e${scale})`
  return `${column} ${op} greatest(least(${amount}, ${amountMax}), -${amountMax})::bigint`
}
