import { setImmediate } from 'node:timers/promises'
import { columns, number } from '../../kernel/storage/columns.ts'
import { hasEnded, inEdition } from '../../kernel/storage/editions.ts'
import type { Store } from '../../kernel/storage/store.ts'
import { bindShop, type SearchedShop } from '../matching/field-values.ts'
import { rowsSql } from '../matching/search-sql.ts'
import { PositionSet } from './position-set.ts'
import { bytesOfIds, numbersIn, numbersOfId, ProductIds } from './product-ids.ts'

/**
 * The products of an edition in the memory of a process. Each row of a product has a position, which it keeps in later
 * editions: what is known of positions stays true, and only `live` says which an edition has.
 */
export interface EditionIndex {
  /** Indexes of one lineage have the same positions. */
  readonly lineage: number
  readonly edition: number
  readonly releaseId: string
  readonly ids: ProductIds
  /** When each product was updated, in microseconds. */
  readonly times: Float64Array
  readonly live: PositionSet
  /** The live positions, the product first that was updated last. */
  readonly newest: Uint32Array
}

/** A product as it is read: its id, and a time of 64 bits. */
const numbersOfProduct = numbersOfId + 2

/** How many bytes the index of so many products takes. */
export const bytesOfIndex = (products: number): number => bytesOfIds(products) + 12.125 * products

const partRows = 20_000

let lineages = 0

/** Undefined if the edition has changed meanwhile, because its release was deleted. */
export async function loadIndex(store: Store, shop: SearchedShop): Promise<EditionIndex | undefined> {
  const { edition, releaseId } = shop.view.published
  const parts: Uint32Array[] = []
  for (let read = 0; read < shop.products; read += partRows) {
    const part = await readPart(store, shop, parts.at(-1))
    if (!part.length) return undefined
    parts.push(part)
  }
  const size = parts.reduce((sum, part) => sum + part.length, 0) / numbersOfProduct
  if (size !== shop.products) return undefined
  const ids = new Uint32Array(size * numbersOfId)
  const times = new Float64Array(size)
  let position = 0
  for (const part of parts) {
    copyProducts(part, ids, times, position)
    position += part.length / numbersOfProduct
    await setImmediate()
  }
  const newest = Uint32Array.from(times, (_, i) => size - 1 - i)
  lineages += 1
  return {
    ...{ lineage: lineages, edition, releaseId },
    ids: ProductIds.of(ids),
    ...{ times, live: PositionSet.all(size), newest },
  }
}

const productSql = 'uuid_send(p.id) || timestamptz_send(p.updated_at)'

/** Reads the products after the last one of a part, from the one updated first. */
async function readPart(store: Store, shop: SearchedShop, after?: Uint32Array): Promise<Uint32Array> {
  const { values, bind } = bindShop(shop)
  const last = after?.subarray(-numbersOfProduct)
  const behind = last
    ? ` AND (p.updated_at, p.id) > (timestamptz '2000-01-01 00:00:00Z' + ${bind(timeIn(last))}::bigint * interval '1 us', ${bind(ProductIds.of(last.slice(0, numbersOfId)).idAt(0))}::uuid)`
    : ''
  const rows = `SELECT p.id, p.updated_at FROM ${rowsSql}${behind} ORDER BY p.updated_at, p.id LIMIT ${partRows}`
  const text = `SELECT string_agg(${productSql}, ''::bytea ORDER BY p.updated_at, p.id) FROM (${rows}) p`
  const [[hex = null] = []] = await store.page({ text, values, once: true })
  return numbersIn(hex ?? '\\x')
}

/** Microseconds since 2000. */
const timeIn = (product: Uint32Array): number =>
  ((product[numbersOfId] as number) | 0) * 2 ** 32 + (product[numbersOfId + 1] as number)

function copyProducts(from: Uint32Array, ids: Uint32Array, times: Float64Array, position: number): void {
  for (let i = 0; i * numbersOfProduct < from.length; i++) {
    const product = from.subarray(i * numbersOfProduct, (i + 1) * numbersOfProduct)
    ids.set(product.subarray(0, numbersOfId), (position + i) * numbersOfId)
    times[position + i] = timeIn(product)
  }
}

/** After more changes an index is loaded anew. */
const changesMax = 20_000

/**
 * The index of a later edition: what began since is at new positions. Undefined if it has to be loaded: if much has
 * changed, or an edition was rolled back.
 */
export async function advanceIndex(
  store: Store,
  before: EditionIndex,
  shop: SearchedShop,
): Promise<EditionIndex | undefined> {
  const { edition, releaseId } = shop.view.published
  const { values, bind } = bindShop(shop)
  const [last, release] = [`${bind(before.edition)}::int`, `${bind(before.releaseId)}::uuid`]
  const changes = (columns: string, which: string) => `SELECT ${columns} FROM published_products p
    WHERE p.store_id = $1 AND p.catalog_id = $2 AND ${which} LIMIT ${changesMax + 1}`
  const began = changes('p.id, p.since', `p.since > ${last} AND ${inEdition('$3::int', 'p')}`)
  const ended = changes('p.id', `${inEdition(last, 'p')} AND p.until <= $3::int AND ${hasEnded('p')}`)
  const [row] = await store.page({
    text: `WITH began AS MATERIALIZED (
        SELECT t.id, t.updated_at FROM (${began}) c
        JOIN published_texts t ON t.store_id = $1 AND t.catalog_id = $2 AND t.id = c.id AND t.since = c.since),
      ended AS MATERIALIZED (${ended})
      SELECT ${changeColumns.sql} FROM catalog_editions
      WHERE store_id = $1 AND catalog_id = $2 AND edition = ${last} AND release_id = ${release}`,
    values,
    once: true,
  })
  const change = row && changeColumns.read(row)
  if (!change || change.most > changesMax) return undefined
  const advanced = withChanges(before, change.began, change.ended)
  const isWhole = advanced.newest.length === shop.products && 2 * shop.products > advanced.times.length
  return isWhole ? { ...advanced, edition, releaseId } : undefined
}

const changeColumns = columns({
  most: ['greatest((SELECT count(*) FROM began), (SELECT count(*) FROM ended))', number],
  began: [
    `(SELECT coalesce(string_agg(${productSql}, ''::bytea ORDER BY p.updated_at, p.id), ''::bytea) FROM began p)`,
    numbersIn,
  ],
  ended: ["(SELECT coalesce(string_agg(uuid_send(p.id), ''::bytea), ''::bytea) FROM ended p)", numbersIn],
})

function withChanges(before: EditionIndex, began: Uint32Array, ended: Uint32Array): EditionIndex {
  const size = before.times.length
  const added = began.length / numbersOfProduct
  const moreIds = new Uint32Array(added * numbersOfId)
  const times = new Float64Array(size + added)
  times.set(before.times)
  copyProducts(began, moreIds, times.subarray(size), 0)
  const live = before.live.grown(size + added)
  before.ids.forEachIn(ended, numbersOfId, (position) => live.remove(position))
  for (let position = size; position < size + added; position++) live.add(position)
  const ids = before.ids.with(moreIds)
  return { ...before, ids, times, live, newest: mergeNewest(before.newest, { ids, times, live }, size) }
}

/** The positions from `size` on are in order, the product first that was updated first. */
function mergeNewest(
  before: Uint32Array,
  { ids, times, live }: Pick<EditionIndex, 'ids' | 'times' | 'live'>,
  size: number,
): Uint32Array {
  const newest = new Uint32Array(live.count)
  let end = 0
  let next = times.length - 1
  const isNewer = (one: number, other: number) =>
    ((times[one] as number) - (times[other] as number) || ids.compare(one, other)) > 0
  for (const position of before) {
    if (!live.has(position)) continue
    while (next >= size && isNewer(next, position)) newest[end++] = next--
    newest[end++] = position
  }
  while (next >= size) newest[end++] = next--
  return newest
}
