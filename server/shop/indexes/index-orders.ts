import { setImmediate } from 'node:timers/promises'
import type { Store } from '../../kernel/storage/store.ts'
import { bindShop } from '../matching/field-values.ts'
import { rowsSql } from '../matching/search-sql.ts'
import { keysSql, orderSql, type SortKey, sortKeysSql } from '../matching/sort-sql.ts'
import type { IndexedShop } from './index-pieces.ts'
import { PositionSet } from './position-set.ts'
import { numbersIn, numbersOfId } from './product-ids.ts'

/** The positions of an edition in an order. */
export interface PositionOrder {
  readonly positions: Uint32Array
  /** The places where a product has another key than the one before it; undefined if all have the same. */
  readonly starts?: PositionSet
}

export const bytesOfOrder = (_: string, { positions, starts }: PositionOrder): number =>
  positions.byteLength + (starts?.bytes ?? 0)

const partRows = 20_000

/** Reads the order of all products by these keys. */
export async function readOrder(
  store: Store,
  { shop, index }: IndexedShop,
  sort: readonly SortKey[],
): Promise<PositionOrder> {
  const { values, bind } = bindShop(shop)
  const { joins, columns } = sortKeysSql(sort, shop, { from: rowsSql, isAll: true }, bind)
  const rows = await store.page({
    text: `SELECT string_agg(uuid_send(id) || int4send((n = first)::int), ''::bytea ORDER BY n) FROM (
        SELECT p.id, row_number() OVER (ORDER BY ${orderSql(sort, false)}) AS n,
          rank() OVER (ORDER BY ${keysSql(sort, false).join(', ')}) AS first
        FROM (SELECT p.id, p.updated_at${columns} FROM (SELECT p.id, p.updated_at FROM ${rowsSql}) p${joins}) p
      ) o GROUP BY (n - 1) / ${partRows} ORDER BY (n - 1) / ${partRows}`,
    values,
    once: true,
    long: true,
  })
  const positions = new Uint32Array(index.newest.length)
  const starts = PositionSet.empty(positions.length)
  let end = 0
  for (const [hex] of rows) {
    const numbers = numbersIn(hex as string)
    index.ids.forEachIn(numbers, numbersOfId + 1, (position, rest) => {
      if (numbers[rest] === 1) starts.add(end)
      positions[end++] = position
    })
    await setImmediate()
  }
  return { positions: positions.subarray(0, end), starts }
}

/** Which part of the matches a page shows. */
interface PageWindow {
  readonly limit: number
  readonly offset: number
}

/** Products with the same key, the higher rank first. */
class RankedGroup {
  readonly #byRank = new Map<number, number[]>()
  readonly #most: number
  size = 0

  constructor(most: number) {
    this.#most = most
  }

  add(position: number, rank: number): void {
    const some = this.#byRank.get(rank)
    if (!some) this.#byRank.set(rank, [position])
    else if (some.length < this.#most) some.push(position)
    else return
    this.size += 1
  }

  /** Whether nothing that is added makes a difference. */
  isFull(highest: number): boolean {
    return this.#byRank.get(highest)?.length === this.#most
  }

  get positions(): readonly number[] {
    return [...this.#byRank].toSorted(([one], [other]) => other - one).flatMap(([, some]) => some)
  }
}

/** How well matches match. */
export interface Ranks {
  readonly of: (position: number) => number
  readonly highest: number
}

/** A page of the matches, in an order; among equal keys by rank. */
export function pageOf(
  matches: PositionSet,
  { positions, starts }: PositionOrder,
  { of: rankOf, highest }: Ranks,
  { limit, offset }: PageWindow,
): readonly number[] {
  const needed = offset + limit
  const page: number[] = []
  if (!limit) return page
  let group = new RankedGroup(needed)
  for (let i = 0; i < positions.length; i++) {
    if (starts?.has(i) && group.size) {
      page.push(...group.positions)
      group = new RankedGroup(needed)
      if (page.length >= needed) break
    }
    const position = positions[i] as number
    if (!matches.has(position)) continue
    group.add(position, rankOf(position))
    if (!starts && group.isFull(highest)) break
  }
  return [...page, ...group.positions].slice(offset, needed)
}
