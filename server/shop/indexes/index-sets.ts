import { setImmediate } from 'node:timers/promises'
import type { Bind } from '../../kernel/storage/binds.ts'
import type { Store } from '../../kernel/storage/store.ts'
import { bindShop, type EditionShop } from '../matching/field-values.ts'
import { termSql } from '../matching/filter-sql.ts'
import type { Term } from '../matching/filter-syntax.ts'
import { type MatchRequest, rowsSql } from '../matching/search-sql.ts'
import { wordTsQuery } from '../matching/searched-words.ts'
import { codeLexeme } from '../sources/words.ts'
import { groupSql, type IndexedShop, newRowsSql, type Piece, pieceOf } from './index-pieces.ts'
import { PositionSet } from './position-set.ts'
import { numbersIn, numbersOfId } from './product-ids.ts'

/** A condition on products, which PostgreSQL answers once for each row of a product. */
export interface SetCondition {
  /** Equal conditions have equal keys. */
  readonly key: string
  /** On rows `p` of `published_texts`. */
  readonly sql: (shop: EditionShop, bind: Bind) => string
  /** Whether few products meet it, so that a search can wait for them. */
  readonly isRare?: boolean
}

/** The products that meet a condition. Few of many are kept as a list. */
export interface ConditionSet extends Piece {
  readonly positions: PositionSet | Uint32Array
}

/** What an entry of a memory takes besides its key and value. */
const entryBytes = 300

export const bytesOfSet = (key: string, { positions }: ConditionSet): number =>
  entryBytes + 2 * key.length + (positions instanceof PositionSet ? positions.bytes : positions.byteLength)

export const toPositionSet = ({ positions, size }: ConditionSet): PositionSet =>
  positions instanceof PositionSet ? positions : PositionSet.of(positions, size)

const queryCondition = (query: string): SetCondition => ({
  key: `words ${query}`,
  sql: (_, bind) => `p.words @@ ${bind(query)}::tsquery`,
})

export const termCondition = ({ field, how, operands }: Term): SetCondition => ({
  key: `term ${JSON.stringify([field, how, operands])}`,
  sql: (shop, bind) => termSql({ is: 'term', field, how, operands, not: false }, shop, bind),
})

/** The words that matches must have, the code that does in their place, and what ranks them. */
export interface QueryConditions {
  readonly words: readonly SetCondition[]
  /** One, or none. */
  readonly codes: readonly SetCondition[]
  readonly inName: readonly SetCondition[]
  /** One, or none. */
  readonly exactCodes: readonly SetCondition[]
}

export function queryConditions({ words, code }: Pick<MatchRequest, 'words' | 'code'>): QueryConditions {
  const hasCode = words.length > 0 && code !== ''
  const isCode: SetCondition = { ...queryCondition(`'${codeLexeme(code)}'`), isRare: true }
  const isExactCode: SetCondition = {
    key: `code ${code}`,
    // Each code is a lexeme as well, by which the index finds it. As one word, it may be a word of many products.
    sql: (_, bind) =>
      `p.words @@ ${bind(`'${code}' | '${codeLexeme(code)}'`)}::tsquery AND ${bind(code)}::text = ANY(p.codes)`,
    isRare: words.length > 1,
  }
  return {
    words: words.filter(({ isOptional }) => !isOptional).map((word) => queryCondition(wordTsQuery(word))),
    codes: hasCode ? [isCode] : [],
    inName: words.map((word) => queryCondition(wordTsQuery(word, 'A'))),
    exactCodes: hasCode ? [isExactCode] : [],
  }
}

/** Reads the set of a condition, or what an earlier one lacks. */
export async function readSet(
  store: Store,
  { shop, index }: IndexedShop,
  condition: SetCondition,
  before?: ConditionSet,
): Promise<ConditionSet> {
  const { values, bind } = bindShop(shop)
  const text = `SELECT string_agg(uuid_send(p.id), ''::bytea)
    FROM ${rowsSql} AND (${condition.sql(shop, bind)})${newRowsSql(index, before, bind)} GROUP BY ${groupSql('p.id')}`
  const rows = await store.page({ text, values, once: true, long: true })
  const found: number[] = []
  for (const [i, [hex]] of rows.entries()) {
    index.ids.forEachIn(numbersIn(hex as string), numbersOfId, (position) => found.push(position))
    if (i % 16 === 15) await setImmediate()
  }
  return { ...pieceOf(index), positions: joined(before, found, index.times.length) }
}

function joined(
  before: ConditionSet | undefined,
  more: readonly number[],
  size: number,
): ConditionSet['positions'] {
  if (before?.positions instanceof PositionSet) {
    const set = before.positions.grown(size)
    for (const position of more) set.add(position)
    return set
  }
  const all = [...(before?.positions ?? []), ...more]
  return all.length * 32 < size ? Uint32Array.from(all) : PositionSet.of(all, size)
}
