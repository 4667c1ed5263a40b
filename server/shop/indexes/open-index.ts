import type { Store } from '../../kernel/storage/store.ts'
import type { SearchedShop } from '../matching/field-values.ts'
import type { SortKey } from '../matching/sort-sql.ts'
import { type FieldColumn, readColumn } from './index-fields.ts'
import { type PositionOrder, readOrder } from './index-orders.ts'
import { canGrow, type IndexedShop, type Piece } from './index-pieces.ts'
import { type PriceColumn, readPrices } from './index-prices.ts'
import { readSet, type SetCondition, toPositionSet } from './index-sets.ts'
import { PositionSet } from './position-set.ts'
import type { MissingPiece, SearchIndexes } from './search-indexes.ts'

/**
 * What is known of an edition, for one search. A piece that an earlier edition had is completed at once; another one is
 * undefined, and noted as missing.
 */
export class OpenIndex {
  readonly #indexes: SearchIndexes
  readonly #store: Store
  readonly #indexed: IndexedShop
  readonly #missing: MissingPiece[]

  constructor(indexes: SearchIndexes, store: Store, indexed: IndexedShop, missing: MissingPiece[]) {
    this.#indexes = indexes
    this.#store = store
    this.#indexed = indexed
    this.#missing = missing
  }

  get shop(): SearchedShop {
    return this.#indexed.shop
  }

  /** Empty if it is missing. */
  async setOf(condition: SetCondition): Promise<PositionSet> {
    const set = await this.#find(
      this.#indexes.sets,
      condition.key,
      (store, before) => readSet(store, this.#indexed, condition, before),
      condition.isRare,
    )
    return set ? toPositionSet(set) : PositionSet.empty(0)
  }

  /** Whether the values of a field can be held: not if there are too many. */
  holds(field: string): boolean {
    return !this.#indexes.unfit.get(this.#keyOf(field))
  }

  async columnOf(field: string): Promise<FieldColumn | undefined> {
    if (!this.holds(field)) return undefined
    return this.#find(this.#indexes.columns, field, async (store, before) => {
      const column = await readColumn(store, this.#indexed, field, before)
      if (!column) this.#indexes.unfit.set(this.#keyOf(field), true)
      return column
    })
  }

  /** Whether the prices in a currency can be held: not if there are too many amounts. */
  holdsPrices(currency: string): boolean {
    return !this.#indexes.unfit.get(this.#pricesKey(currency))
  }

  /** What products cost now. That is read again for each release, and when a price begins or ends. */
  pricesIn(currency: string): PriceColumn | undefined {
    const { prices, unfit } = this.#indexes
    const key = this.#pricesKey(currency)
    const known = prices.get(key)
    const now = this.#indexed.shop.at.getTime()
    if (known && known.from <= now && now < known.until) return known
    const read = async (store: Store) => {
      const column = await readPrices(store, this.#indexed, currency)
      if (column) prices.set(key, column)
      else unfit.set(key, true)
    }
    this.#missing.push({ key: `prices ${key}`, read })
    return undefined
  }

  #pricesKey(currency: string): string {
    const { index, shop } = this.#indexed
    return this.#keyOf(`${index.edition} ${currency} ${shop.books.join()}`)
  }

  /** The order of all products by these keys. */
  orderOf(sort: readonly SortKey[]): PositionOrder | undefined {
    const { index } = this.#indexed
    if (!sort.length) return { positions: index.newest }
    const key = this.#keyOf(`${index.edition} ${JSON.stringify(sort)}`)
    const { orders } = this.#indexes
    const known = orders.get(key)
    const read = async (store: Store) => orders.set(key, await readOrder(store, this.#indexed, sort))
    if (!known) this.#missing.push({ key: `order ${key}`, read })
    return known
  }

  async #find<P extends Piece>(
    pieces: PieceMemory<P>,
    name: string,
    read: (store: Store, before?: P) => Promise<P | undefined>,
    isQuick = false,
  ): Promise<P | undefined> {
    const { index } = this.#indexed
    const key = this.#keyOf(name)
    const known = pieces.get(key)
    if (known?.edition === index.edition) return known
    const readAndKeep = async (store: Store, before?: P) => {
      const piece = await read(store, before)
      if (piece) pieces.set(key, piece)
      return piece
    }
    if (known && canGrow(known, index)) return readAndKeep(this.#store, known)
    // If something else is missing, PostgreSQL searches anyway.
    if (isQuick) return this.#missing.length ? undefined : readAndKeep(this.#store)
    this.#missing.push({ key: `piece ${key} ${index.edition}`, read: readAndKeep })
    return undefined
  }

  /** Positions mean something in one lineage only. */
  #keyOf(name: string): string {
    return `${this.#indexed.index.lineage} ${name}`
  }
}

interface PieceMemory<P> {
  get(key: string): P | undefined
  set(key: string, piece: P): void
}
