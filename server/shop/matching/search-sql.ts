import type { Bind } from '../../kernel/storage/binds.ts'
import type { Sql } from '../../kernel/storage/database.ts'
import { inEdition } from '../../kernel/storage/editions.ts'
import { codeLexeme } from '../sources/words.ts'
import { bindShop, type EditionShop, findValues } from './field-values.ts'
import { filterSql } from './filter-sql.ts'
import type { SearchFilter } from './filter-syntax.ts'
import type { SearchField } from './search-fields.ts'
import { type SearchedWord, toTsQuery, wordTsQuery } from './searched-words.ts'
import { hasColumns, orderSql, type SortKey, sortKeysSql } from './sort-sql.ts'

/** A facet whose values are counted. With a `beginning`, only values in which a word begins with it. */
export interface FacetRequest {
  readonly field: SearchField
  readonly beginning?: { readonly text: string; readonly words: readonly SearchedWord[] }
}

/** A search, ready for SQL. */
export interface MatchRequest {
  /** An empty list matches all products. */
  readonly words: readonly SearchedWord[]
  /** The query as one word. Products with this SKU, part number, `upc_ean` or `external_ref` come first. */
  readonly code: string
  readonly filter: SearchFilter | undefined
  readonly facets: readonly FacetRequest[]
  /** The most important key first. Rank and the last update follow. */
  readonly sort: readonly SortKey[]
  readonly valuesMax: number
  readonly limit: number
  readonly offset: number
}

/** What is known before a statement, and not asked again. */
interface KnownBefore {
  /** How many products it finds. */
  readonly found?: number | undefined
  readonly hasPage: boolean
  /** How many products the shop has. */
  readonly products: number
}

/** The rows `p` of an edition. */
export const rowsSql = `published_texts p WHERE p.store_id = $1 AND p.catalog_id = $2 AND ${inEdition('$3::int', 'p')}`

type MatchCondition = Pick<MatchRequest, 'words' | 'filter'> & Partial<Pick<MatchRequest, 'code'>>

/** The rows `p` of `published_texts` whose products match. */
export const matchesSql = (condition: MatchCondition, shop: EditionShop, bind: Bind): string =>
  `${rowsSql}${conditionSql(condition, shop, bind)}`

function conditionSql({ words, code, filter }: MatchCondition, shop: EditionShop, bind: Bind): string {
  const query = [toTsQuery(words), code && words.length ? `'${codeLexeme(code)}'` : '']
    .filter(Boolean)
    .join(' | ')
  const hasWords = query ? ` AND p.words @@ ${bind(query)}::tsquery` : ''
  const meetsFilter = filter ? ` AND (${filterSql(filter, shop, bind)})` : ''
  return `${hasWords}${meetsFilter}`
}

/**
 * One statement that returns the number of matches, the ids of the page in order, and each facet as JSON. What is known
 * is null, and so is the number of all products.
 */
export function searchSql(request: MatchRequest, shop: EditionShop, known: KnownBefore): Sql {
  const { words, filter, facets } = request
  const sort = known.hasPage ? [] : request.sort
  const { values, bind } = bindShop(shop)
  const isAll = !words.length && !filter
  const isCounted = !isAll && known.found === undefined
  const names = facets.flatMap(({ field }) => (field.in === 'values' ? field.name : []))
  const isSorted = sort.some(hasColumns)
  const needsValues = names.length > 0 || sort.some(({ field }) => field.in === 'values')
  // What is read once only is not kept.
  const isKept = !isAll && (isCounted || facets.length > 0 || isSorted)
  const condition = conditionSql(request, shop, bind)
  const rank = words.length && !known.hasPage ? rankSql(request, bind) : '0'
  const columns = `p.id, p.updated_at${isKept && needsValues ? ', p.value_ids' : ''}, ${rank} AS rank`
  const ranked = `SELECT ${columns} FROM ${rowsSql}${condition}`
  const from = isKept ? 'matches p' : `${rowsSql}${condition}`
  const keys = sortKeysSql(sort, shop, { from, isAll }, bind)
  const order = orderSql(sort, words.length > 0)
  const counted = facets.map((facet) => facetSql(facet, shop, isAll, bind))
  const needed = isKept || isSorted ? undefined : newestNeeded(request, known)
  const source = isKept ? 'matches p' : `(${needed ? newestSql(ranked, condition, bind(needed)) : ranked}) p`
  const parts = [
    ...(isKept ? [`matches AS MATERIALIZED (${ranked})`] : []),
    ...(known.hasPage
      ? []
      : [
          `page AS (SELECT p.id, p.updated_at, p.rank${keys.columns} FROM ${source}${keys.joins}
       ORDER BY ${order} LIMIT ${bind(request.limit)} OFFSET ${bind(request.offset)})`,
        ]),
    ...(names.length ? valueCountsSql(names, from, bind) : []),
    ...counted.map((counts, i) => `counts${i} AS MATERIALIZED (${counts})`),
  ]
  const text = `WITH ${parts.join(', ')} SELECT ${[
    isCounted ? '(SELECT count(*) FROM matches)' : 'NULL',
    known.hasPage ? 'NULL' : `(SELECT coalesce(json_agg(id ORDER BY ${order}), '[]') FROM page p)`,
    ...counted.map((_, i) => `(${summarySql(`counts${i}`, bind(request.valuesMax))})`),
  ].join(', ')}`
  return { text, values, once: true }
}

/** Among so many products that were changed last are the first pages of most filters. */
const newestMax = 5000

/** How many of the newest matches of a filter make the page; undefined if it may need many more products. */
function newestNeeded(
  { words, filter, limit, offset }: MatchRequest,
  { found = 0, products }: KnownBefore,
): number | undefined {
  const needed = Math.min(limit + offset, found)
  const isLikely = 2 * needed * products < found * newestMax
  return filter && !words.length && isLikely ? needed : undefined
}

/**
 * The matches of a filter that are needed, from the newest products; all matches where these have too few, because
 * products of one value may have been changed at about the same time.
 */
const newestSql = (matches: string, condition: string, needed: string) =>
  `WITH newest AS MATERIALIZED (
     SELECT p.id, p.updated_at, 0 AS rank
     FROM (SELECT p.* FROM ${rowsSql} ORDER BY p.updated_at DESC, p.id DESC LIMIT ${newestMax}) p
     WHERE true${condition} ORDER BY p.updated_at DESC, p.id DESC LIMIT ${needed}::bigint)
   SELECT * FROM newest WHERE (SELECT count(*) FROM newest) = ${needed}::bigint
   UNION ALL (${matches} AND (SELECT count(*) FROM newest) < ${needed}::bigint)`

/**
 * Exact codes come first. A word counts three in the name and one elsewhere. Every match has all words
 * that are not optional, so only the difference is computed.
 */
function rankSql({ words, code }: MatchRequest, bind: Bind): string {
  const inName = words.map((word) => `2 * (p.words @@ ${bind(wordTsQuery(word, 'A'))}::tsquery)::int`)
  return `1000 * (${bind(code)}::text = ANY(p.codes))::int + ${inName.join(' + ')}`
}

/**
 * Counts the matches by value, for several fields in one pass. Values of other fields are dropped before they are
 * counted: products have many of them.
 */
const valueCountsSql = (names: readonly string[], from: string, bind: Bind): readonly string[] => [
  `shown AS MATERIALIZED (SELECT d.id, d.field, d.value, d.number, d.words FROM published_values d
     WHERE d.store_id = $1 AND d.catalog_id = $2 AND d.field = ANY(${bind(names)}::text[]))`,
  `counted AS MATERIALIZED (SELECT d.field, d.value, d.number, d.words, c.n FROM (
       SELECT id, count(*) AS n FROM (SELECT unnest(p.value_ids) AS id FROM ${from}) each
       WHERE id IN (SELECT id FROM shown) GROUP BY id) c
     JOIN shown d ON d.id = c.id)`,
]

/** Counts the matches by value of one field. */
function facetSql({ field, beginning }: FacetRequest, shop: EditionShop, isAll: boolean, bind: Bind): string {
  if (field.in === 'values') {
    const some = beginning ? ` AND ${valueBeginsSql(beginning, bind)}` : ''
    return `SELECT value, number, n FROM counted WHERE field = ${bind(field.name)}${some}`
  }
  const values = findValues(field, shop, bind)
  if (!values)
    return `SELECT NULL::text AS value, NULL::float8 AS number, 0::bigint AS n FROM ${rowsSql} AND false`
  const { from, number = 'NULL::float8', text } = values
  const onlyMatches = isAll ? '' : ' AND v.id IN (SELECT id FROM matches)'
  const some = beginning ? ` AND ${textBeginsSql(text ?? `${number}::text`, beginning.text, bind)}` : ''
  // A value has one number, and this grouping lets PostgreSQL read the index in order.
  const grouped = text
    ? `${text} AS value, min(${number}) AS number`
    : `NULL::text AS value, ${number} AS number`
  return `SELECT ${grouped}, count(*) AS n FROM ${from()}${onlyMatches}${some} GROUP BY ${text ?? number}`
}

/** Whether a word of a value of `published_values` begins with the text. */
function valueBeginsSql({ text, words }: NonNullable<FacetRequest['beginning']>, bind: Bind): string {
  const number = `number IS NOT NULL AND ${textBeginsSql('value', text, bind)}`
  return words.length ? `(words @@ ${bind(toTsQuery(words))}::tsquery OR ${number})` : `(${number})`
}

const textBeginsSql = (value: string, text: string, bind: Bind): string =>
  `strpos(' ' || lower(${value}), ' ' || lower(${bind(text)}::text)) > 0`

const summarySql = (counts: string, most: string): string =>
  `SELECT json_build_object('values', count(*), 'min', min(number), 'max', max(number), 'sum', sum(number * n),
     'numbers', coalesce(sum(n) FILTER (WHERE number IS NOT NULL), 0), 'top', (
       SELECT coalesce(json_agg(json_build_array(coalesce(value, number::text), n) ORDER BY n DESC, value, number), '[]')
       FROM (SELECT * FROM ${counts} ORDER BY n DESC, value, number LIMIT ${most}) first)) FROM ${counts}`
