import { Binds } from '../kernel/storage/binds.ts'
import type { Sql } from '../kernel/storage/database.ts'
import { valueId, wordsOf } from '../publishing/index.ts'
import { type Filter, isNumber, type Operand, type Term } from './filter-syntax.ts'
import { type SearchField, searchField } from './search-fields.ts'

type Bind = Binds['bind']

/** What is searched: an edition of a catalog at an instant, with its prices. */
export interface Shop {
  readonly catalogId: string
  readonly edition: number
  /** The strongest first. */
  readonly books: readonly string[]
  readonly at: Date
  /** How many digits amounts of a currency have behind the point. */
  readonly decimals: ReadonlyMap<string, number>
}

/** The values of a field that are to be looked at: rows `v`, of which each is of a product (`v.id`). */
export interface Values {
  /** It binds what it needs when it is called. */
  from(): string
  /** SQL of what is compared as text, and as a number. */
  readonly text?: string
  readonly number?: string
  /** What the number is multiplied by, as it is stored. */
  readonly scale?: number
}

/** Binds what all statements about a shop begin with, after the store. */
export const bindsOf = ({ catalogId, edition }: Shop): Binds => new Binds([undefined, catalogId, edition])

const own = (table: string) =>
  `${table} v WHERE v.store_id = $1 AND v.catalog_id = $2 AND v.since <= $3::int AND v.until > $3::int`

/** The values of a field; undefined of one whose words are all that is known. */
export function valuesOf(field: SearchField, shop: Shop, bind: Bind): Values | undefined {
  switch (field.in) {
    case 'column':
      return {
        from: () => `${own('published_products')} AND v.listed_in = $2 AND v.${field.column} IS NOT NULL`,
        text: `v.${field.column}`,
      }
    case 'values':
      return {
        from: () => `${own('published_numbers')} AND v.field = ${bind(field.name)}`,
        number: 'v.number',
      }
    case 'prices': {
      const { currency, whole } = field
      return {
        from: () => pricesOf(currency, shop, bind),
        number: 'v.amount',
        scale: whole ? 0 : (shop.decimals.get(currency) ?? 2),
      }
    }
    case 'words':
      return undefined
  }
}

/** The amounts of a currency: of each product those of the strongest book that prices it. */
function pricesOf(currency: string, { books, at }: Shop, bind: Bind): string {
  const now = bind(at)
  const asked = bind(books)
  const stronger =
    books.length < 2
      ? ''
      : ` AND NOT EXISTS (
         SELECT FROM published_price_spans o
         WHERE o.store_id = $1 AND o.catalog_id = $2 AND o.id = v.id AND o.since <= $3::int AND o.until > $3::int
           AND array_position(${asked}::uuid[], o.pricebook_id) < array_position(${asked}::uuid[], v.pricebook_id))`
  return (
    `${own('published_price_spans')} AND v.pricebook_id = ANY(${asked}::uuid[]) AND v.currency = ${bind(currency)}` +
    ` AND v.amount IS NOT NULL AND v.valid_from <= ${now}::timestamptz AND v.valid_to > ${now}::timestamptz${stronger}`
  )
}

/** A filter's condition on products `p` of `published_texts`. Words of values were replaced: see `word-terms.ts`. */
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
      operand.is === 'text' ? (wordsQuery(operand.text, field.weight ?? '') ?? []) : [],
    )
    return queries.length
      ? queries.map((query) => `p.words @@ ${bind(query)}::tsquery`).join(' OR ')
      : nothing
  }
  const values = valuesOf(field, shop, bind)
  const met = values && operandConditions(operands, values, bind)
  const conditions = [
    ...(field.in === 'values' ? wholeValues(field.name, operands, bind) : []),
    ...(met ? [`EXISTS (SELECT FROM ${values.from()} AND v.id = p.id AND ${met})`] : []),
  ]
  return conditions.length ? conditions.join(' OR ') : nothing
}

/** What of the operands is met by products with these values of the field. */
function wholeValues(field: string, operands: readonly Operand[], bind: Bind): readonly string[] {
  const ids = textsOf(operands).map((text) => valueId(field, text))
  return ids.length ? [`p.value_ids && ${bind(ids)}::bigint[]`] : []
}

/** Numbers are texts too, as they are stored, however they are written. */
const textsOf = (operands: readonly Operand[]): readonly string[] =>
  operands.flatMap((operand) => (operand.is === 'text' ? [operand.text, ...numeral(operand.text)] : []))

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

/** The query for texts that have all of these words, at a place. */
export function wordsQuery(text: string, weight: string): string | undefined {
  const words = wordsOf(text)
  return words.length ? words.map((word) => `'${word}':${weight}`).join(' & ') : undefined
}

/** A word that is searched, and those that it may be a slip of. */
export interface SearchedWord {
  readonly word: string
  /** It may be the beginning of one: the last word of a query is being written. */
  readonly isPrefix: boolean
  readonly slips: readonly string[]
}

const wordQuery = ({ word, isPrefix, slips }: SearchedWord, weight = ''): string => {
  const marks = `${isPrefix ? '*' : ''}${weight}`
  const own = `'${word}'${marks && `:${marks}`}`
  return slips.length
    ? `(${[own, ...slips.map((slip) => `'${slip}'${weight && `:${weight}`}`)].join(' | ')})`
    : own
}

/** The query for products that have all of these words. */
export const queryOf = (words: readonly SearchedWord[]): string =>
  words.map((word) => wordQuery(word)).join(' & ')

/** What is asked of a shop. */
export interface Question {
  /** None: all products are found. */
  readonly words: readonly SearchedWord[]
  /** The query as one word: products of which it is the SKU or the part number are first. */
  readonly code: string
  readonly filter: Filter | undefined
  readonly facets: readonly SearchField[]
  readonly valuesMax: number
  readonly limit: number
  readonly offset: number
}

/** A product that has what is asked for; `p` is what is searched of it. */
export function matching(
  { words, filter }: Pick<Question, 'words' | 'filter'>,
  shop: Shop,
  bind: Bind,
): string {
  const found = words.length ? ` AND p.words @@ ${bind(queryOf(words))}::tsquery` : ''
  const meets = filter ? ` AND (${conditionOf(filter, shop, bind)})` : ''
  return `published_texts p WHERE p.store_id = $1 AND p.catalog_id = $2 AND p.since <= $3::int AND p.until > $3::int${found}${meets}`
}

/**
 * One statement: how many are found (null: all of them), the ids of the page in their order, and each facet, as JSON.
 */
export function searchSql(question: Question, shop: Shop): Sql {
  const { words, filter, facets, limit, offset } = question
  const { values, bind } = bindsOf(shop)
  const isAll = !words.length && !filter
  const matches = matching(question, shop, bind)
  const rank = words.length ? rankOf(question, bind) : '0'
  const from = isAll ? matches : 'matches p'
  const counted = facets.map((field) => countedOf(field, shop, isAll, bind))
  const names = facets.flatMap((field) => (field.in === 'values' ? field.name : []))
  const valueIds = names.length ? ', p.value_ids' : ''
  const text = `WITH ${[
    ...(isAll
      ? []
      : [`matches AS MATERIALIZED (SELECT p.id, p.updated_at${valueIds}, ${rank} AS rank FROM ${matches})`]),
    `page AS (SELECT p.id, p.updated_at, ${isAll ? '0 AS rank' : 'p.rank'} FROM ${from}
       ORDER BY ${isAll ? '' : 'p.rank DESC, '}p.updated_at DESC, p.id DESC LIMIT ${bind(limit)} OFFSET ${bind(offset)})`,
    ...(names.length ? [`counted AS MATERIALIZED (${valuesCounted(names, from, bind)})`] : []),
    ...counted.map((counts, i) => `counts${i} AS MATERIALIZED (${counts})`),
  ].join(', ')} SELECT ${[
    isAll ? 'NULL' : '(SELECT count(*) FROM matches)',
    `(SELECT coalesce(json_agg(id ORDER BY rank DESC, updated_at DESC, id DESC), '[]') FROM page)`,
    ...counted.map((_, i) => `(${told(`counts${i}`, bind(question.valuesMax))})`),
  ].join(', ')}`
  return { text, values, once: true }
}

/** Exact SKUs and part numbers first; then a word in the name is worth three, and elsewhere one. */
function rankOf({ words, code }: Question, bind: Bind): string {
  const inName = words.map((word) => `2 * (p.words @@ ${bind(wordQuery(word, 'A'))}::tsquery)::int`)
  return `1000 * (${bind(code)}::text = ANY(p.codes))::int + ${inName.join(' + ')}`
}

/** How many of the products that were found have each value of these fields: they are gone through once. */
const valuesCounted = (names: readonly string[], from: string, bind: Bind): string =>
  `SELECT d.field, d.value, d.number, c.n
   FROM (SELECT id, count(*) AS n FROM (SELECT unnest(p.value_ids) AS id FROM ${from}) each GROUP BY id) c
   JOIN published_values d ON d.id = c.id
   WHERE d.store_id = $1 AND d.catalog_id = $2 AND d.field = ANY(${bind(names)}::text[])`

/** How many of the products that were found have each value of a field. */
function countedOf(field: SearchField, shop: Shop, isAll: boolean, bind: Bind): string {
  if (field.in === 'values') return `SELECT value, number, n FROM counted WHERE field = ${bind(field.name)}`
  const values = valuesOf(field, shop, bind)
  if (!values) return 'SELECT NULL::text AS value, NULL::float8 AS number, 0::bigint AS n WHERE false'
  const { from, number = 'NULL::float8', text } = values
  const found = isAll ? '' : ' AND v.id IN (SELECT id FROM matches)'
  // In the order of the index, where that is read alone: a value has one number.
  const grouped = text
    ? `${text} AS value, min(${number}) AS number`
    : `NULL::text AS value, ${number} AS number`
  return `SELECT ${grouped}, count(*) AS n FROM ${from()}${found} GROUP BY ${text ?? number}`
}

const told = (counts: string, most: string): string =>
  `SELECT json_build_object('values', count(*), 'min', min(number), 'max', max(number), 'sum', sum(number * n),
     'numbers', coalesce(sum(n) FILTER (WHERE number IS NOT NULL), 0), 'top', (
       SELECT coalesce(json_agg(json_build_array(coalesce(value, number::text), n) ORDER BY n DESC, value, number), '[]')
       FROM (SELECT * FROM ${counts} ORDER BY n DESC, value, number LIMIT ${most}) first)) FROM ${counts}`
