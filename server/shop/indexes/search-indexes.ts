import { Memory } from '../../kernel/memory.ts'
import { Store } from '../../kernel/storage/store.ts'
import type { Instance } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import type { SearchedShop } from '../matching/field-values.ts'
import { searchForm } from '../sources/searchable.ts'
import { advanceIndex, bytesOfIndex, type EditionIndex, loadIndex } from './edition-index.ts'
import { bytesOfColumn, type FieldColumn } from './index-fields.ts'
import { bytesOfOrder, type PositionOrder } from './index-orders.ts'
import type { PriceColumn } from './index-prices.ts'
import { bytesOfSet, type ConditionSet } from './index-sets.ts'

const mb = 1024 * 1024

/**
 * What a process keeps of large catalogs, at most. A million products take 36 MB, and 2 MB for each field and for the
 * prices in a currency of some price books.
 */
const bytesMax = {
  indexes: 64 * mb,
  sets: 48 * mb,
  columns: 48 * mb,
  prices: 24 * mb,
  orders: 24 * mb,
} as const

/** A catalog that was searched in this time is not forgotten for another one. */
const usedMs = 600_000

/** What was read is not read again in this time: if it is missing all the same, there is no room for it. */
const retryMs = 60_000

export const searchIndexes = perInstance((instance) => new SearchIndexes(instance))

/** What a search lacks, and how it is read. */
export interface MissingPiece {
  readonly key: string
  readonly read: (store: Store) => Promise<unknown>
}

interface IndexInUse {
  readonly index: EditionIndex
  readonly usedAtMs: number
}

/** The indexes of large catalogs in the memory of this process, and what is known of their positions. */
export class SearchIndexes {
  /** A search of fewer products takes PostgreSQL less than a tenth of a second. */
  productsMin = 20_000
  /** What a search lacks is read if it finds as many. */
  foundMin = 1000
  /** Ends with what is read in the background, one after the other. */
  loading: Promise<void> = Promise.resolve()
  readonly sets = new Memory<string, ConditionSet>(bytesMax.sets, { sizeOf: bytesOfSet })
  readonly columns = new Memory<string, FieldColumn>(bytesMax.columns, { sizeOf: bytesOfColumn })
  readonly prices = new Memory<string, PriceColumn>(bytesMax.prices, { sizeOf: bytesOfColumn })
  readonly orders = new Memory<string, PositionOrder>(bytesMax.orders, { sizeOf: bytesOfOrder })
  /** Fields with too many values, and prices with too many amounts. */
  readonly unfit = new Memory<string, true>(1000)
  readonly #instance: Instance
  readonly #indexes = new Map<string, IndexInUse>()
  readonly #advancing = new Map<string, Promise<EditionIndex | undefined>>()
  readonly #begun: Memory<string, true>

  constructor(instance: Instance) {
    this.#instance = instance
    this.#begun = new Memory(1000, { age: { maxMs: retryMs, clock: instance.clock } })
  }

  /** Whether a catalog is searched in memory once its index has been read. */
  isFor({ products, view }: SearchedShop): boolean {
    return products >= this.productsMin && view.published.searchForm === searchForm
  }

  /** The index of an edition. If there is none yet, it is added to what is missing. */
  async indexOf(
    { id }: Store,
    shop: SearchedShop,
    missing: MissingPiece[],
  ): Promise<EditionIndex | undefined> {
    const { catalogId, edition, products, view } = shop
    const key = `${id} ${catalogId}`
    const before = this.#indexes.get(key)
    const index = before && (await this.#advance(key, before.index, id, shop))
    if (index) {
      this.#indexes.set(key, { index, usedAtMs: this.#nowMs })
      return index
    }
    if (before && before.index.edition > edition && this.#isInUse(before)) return undefined
    const read = async (store: Store) => {
      if (!this.#makeRoom(key, bytesOfIndex(products))) return
      const loaded = await loadIndex(store, shop)
      if (loaded) this.#indexes.set(key, { index: loaded, usedAtMs: this.#nowMs })
    }
    missing.push({ key: `index ${key} ${view.published.releaseId}`, read })
    return undefined
  }

  /** What changed since an earlier edition is read once for all requests that need it. */
  async #advance(
    key: string,
    index: EditionIndex,
    storeId: string,
    shop: SearchedShop,
  ): Promise<EditionIndex | undefined> {
    const { releaseId, edition } = shop.view.published
    if (index.releaseId === releaseId) return index
    if (index.edition >= edition) return undefined
    const next = `${key} ${releaseId}`
    const advancing = this.#advancing.get(next) ?? advanceIndex(this.#storeOf(storeId), index, shop)
    this.#advancing.set(next, advancing)
    try {
      const advanced = await advancing
      if (!advanced && this.#indexes.get(key)?.index === index) this.#indexes.delete(key)
      return advanced
    } finally {
      this.#advancing.delete(next)
    }
  }

  /** Reads in the background what a search lacked. */
  readLater(storeId: string, { key, read }: MissingPiece): void {
    if (this.#begun.get(key)) return
    this.#begun.set(key, true)
    this.loading = this.loading.then(async () => {
      try {
        await read(this.#storeOf(storeId))
      } catch (err) {
        this.#instance.log.warn({ store: storeId, err }, 'a part of the search index could not be read')
      }
    })
  }

  get #nowMs(): number {
    return this.#instance.clock.now().getTime()
  }

  #isInUse({ usedAtMs }: IndexInUse): boolean {
    return this.#nowMs - usedAtMs < usedMs
  }

  /** Forgets indexes that are not in use. False if there is still no room. */
  #makeRoom(key: string, bytes: number): boolean {
    const others = [...this.#indexes].filter(([other]) => other !== key)
    let sum = others.reduce((sum, [, { index }]) => sum + bytesOfIndex(index.times.length), bytes)
    for (const [other, entry] of others) {
      if (sum <= bytesMax.indexes || this.#isInUse(entry)) continue
      this.#indexes.delete(other)
      sum -= bytesOfIndex(entry.index.times.length)
    }
    return sum <= bytesMax.indexes
  }

  /** What is read for many requests does not end with one of them. */
  #storeOf(id: string): Store {
    const never = new AbortController().signal
    const source = this.#instance.homes.of(id).reading(() => never)
    return new Store(id, source, () => this.#instance.clock.now(), 'system ')
  }
}
