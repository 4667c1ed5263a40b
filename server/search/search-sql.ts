import type { Sql } from '../kernel/storage/database.ts'
import { inEdition } from '../kernel/storage/editions.ts'
import { type Bind, bindsOf, type Shop, valuesOf } from './field-values.ts'
import { conditionOf } from './filter-sql.ts'
import type { Filter } from './filter-syntax.ts'
import type { SearchField } from './search-fields.ts'
import { queryOf, type SearchedWord, wordQuery } from './searched-words.ts'
import { type SortKey, sortKeysSql, sortOrder } from './sort-sql.ts'

/** A facet whose values are counted: only those that begin so, where `begins` says how. */
export interface FacetQuestion {
  readonly field: SearchField
  readonly begins?: { readonly text: string; readonly words: readonly SearchedWord[] }
}

/** What is asked of a shop. */
export interface Question {
  /** None: all products are found. */
  readonly words: readonly SearchedWord[]
  /** The query as one word: products of which it is the SKU or the part number are first. */
  readonly code: string
  readonly filter: Filter | undefined
  readonly facets: readonly FacetQuestion[]
  /** The most important first; behind them rank, and what was changed last. */
  readonly sort: readonly SortKey[]
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
  const query = queryOf(words)
  const found = query ? ` AND p.words @@ ${bind(query)}::tsquery` : ''
  const meets = filter ? ` AND (${conditionOf(filter, shop, bind)})` : ''
  return `published_texts p WHERE p.store_id = $1 AND p.catalog_id = $2 AND ${inEdition('$3::int', 'p')}${found}${meets}`
}

/**
 * One statement: how many are found (null: all of them), the ids of the page in their order, and each facet, as JSON.
 */
export function searchSql(question: Question, shop: Shop): Sql {
  const { words, filter, facets, sort, limit, offset } = question
  const { values, bind } = bindsOf(shop)
  const isAll = !words.length && !filter
  const matches = matching(question, shop, bind)
  const rank = words.length ? rankOf(question, bind) : '0'
  const from = isAll ? matches : 'matches p'
  const counted = facets.map((facet) => countedOf(facet, shop, isAll, bind))
  const names = facets.flatMap(({ field }) => (field.in === 'values' ? field.name : []))
  const needsIds = names.length > 0 || sort.some(({ field }) => field.in === 'values')
  const keys = sortKeysSql(sort, shop, { from, isAll }, bind)
  const order = sortOrder(sort, isAll)
  const source = isAll ? `(SELECT p.id, p.updated_at, 0 AS rank FROM ${matches}) p` : 'matches p'
  const text = `WITH ${[
    ...(isAll
      ? []
      : [
          `matches AS MATERIALIZED (SELECT p.id, p.updated_at${needsIds ? ', p.value_ids' : ''}, ${rank} AS rank FROM ${matches})`,
        ]),
    `page AS (SELECT p.id, p.updated_at, p.rank${keys.columns} FROM ${source}${keys.joins}
       ORDER BY ${order} LIMIT ${bind(limit)} OFFSET ${bind(offset)})`,
    ...(names.length ? [`counted AS MATERIALIZED (${valuesCounted(names, from, bind)})`] : []),
    ...counted.map((counts, i) => `counts${i} AS MATERIALIZED (${counts})`),
  ].join(', ')} SELECT ${[
    isAll ? 'NULL' : '(SELECT count(*) FROM matches)',
    `(SELECT coalesce(json_agg(id ORDER BY ${order}), '[]') FROM page p)`,
    ...counted.map((_, i) => `(${countsOf(`counts${i}`, bind(question.valuesMax))})`),
  ].join(', ')}`
  return { text, values, once: true }
}

/**
 * Exact SKUs and part numbers first; then a word in the name is worth three, and elsewhere one. All have the words that
 * are not optional: only what they are worth more is counted.
 */
function rankOf({ words, code }: Question, bind: Bind): string {
  const inName = words.map((word) => `2 * (p.words @@ ${bind(wordQuery(word, 'A'))}::tsquery)::int`)
  return `1000 * (${bind(code)}::text = ANY(p.codes))::int + ${inName.join(' + ')}`
}

/** How many of the products that were found have each value of these fields: they are gone through once. */
const valuesCounted = (names: readonly string[], from: string, bind: Bind): string =>
  `SELECT d.field, d.value, d.number, d.words, c.n
   FROM (SELECT id, count(*) AS n FROM (SELECT unnest(p.value_ids) AS id FROM ${from}) each GROUP BY id) c
   JOIN published_values d ON d.id = c.id
   WHERE d.store_id = $1 AND d.catalog_id = $2 AND d.field = ANY(${bind(names)}::text[])`

/** How many of the products that were found have each value of a field. */
function countedOf({ field, begins }: FacetQuestion, shop: Shop, isAll: boolean, bind: Bind): string {
  if (field.in === 'values') {
    const some = begins ? ` AND ${valueBegins(begins, bind)}` : ''
    return `SELECT value, number, n FROM counted WHERE field = ${bind(field.name)}${some}`
  }
  const values = valuesOf(field, shop, bind)
  if (!values) return 'SELECT NULL::text AS value, NULL::float8 AS number, 0::bigint AS n WHERE false'
  const { from, number = 'NULL::float8', text } = values
  const found = isAll ? '' : ' AND v.id IN (SELECT id FROM matches)'
  const some = begins ? ` AND ${textBegins(text ?? `${number}::text`, begins.text, bind)}` : ''
  // In the order of the index, where that is read alone: a value has one number.
  const grouped = text
    ? `${text} AS value, min(${number}) AS number`
    : `NULL::text AS value, ${number} AS number`
  return `SELECT ${grouped}, count(*) AS n FROM ${from()}${found}${some} GROUP BY ${text ?? number}`
}

/** Whether a word of a value of `published_values` begins so. */
function valueBegins({ text, words }: NonNullable<FacetQuestion['begins']>, bind: Bind): string {
  const number = `number IS NOT NULL AND ${textBegins('value', text, bind)}`
  return words.length ? `(words @@ ${bind(queryOf(words))}::tsquery OR ${number})` : `(${number})`
}

const textBegins = (value: string, text: string, bind: Bind): string =>
  `strpos(' ' || lower(${value}), ' ' || lower(${bind(text)}::text)) > 0`

const countsOf = (counts: string, most: string): string =>
  `SELECT json_build_object('values', count(*), 'min', min(number), 'max', max(number), 'sum', sum(number * n),
     'numbers', coalesce(sum(n) FILTER (WHERE number IS NOT NULL), 0), 'top', (
       SELECT coalesce(json_agg(json_build_array(coalesce(value, number::text), n) ORDER BY n DESC, value, number), '[]')
       FROM (SELECT * FROM ${counts} ORDER BY n DESC, value, number LIMIT ${most}) first)) FROM ${counts}`
