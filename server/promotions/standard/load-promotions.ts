import { Memory } from '../../kernel/memory.ts'
import type { ShownValues } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'
import { runInSteps, type Steps } from '../../kernel/work/in-turns.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import type { Promotion } from '../discounts/promotion.ts'
import { fromStandard } from '../discounts/standard/from-standard.ts'
import type { StandardDocument } from '../discounts/standard/standard-document.ts'
import { timestampOf } from './period.ts'
import type { PromotionFields } from './promotions.ts'

/** A promotion of the store: how carts apply it, and how they show it. */
export interface StoredPromotion {
  readonly promotion: Promotion
  readonly shown: ShownPromotion
}

/** What a cart shows of a promotion. */
interface ShownPromotion {
  readonly type: 'promotion'
  readonly id: string
  readonly name: string
  readonly description: string
  readonly automatic: boolean
  readonly promotion_type?: string | undefined
  readonly promotion_source?: 'rule-promotion' | undefined
  readonly start: string
  readonly end: string
}

/** All promotions of one kind that a store has, in the state that they were read in. */
interface CachedPromotions {
  readonly state: string
  /** By their ids and the hashes of their documents. */
  readonly byDocument: ReadonlyMap<string, StoredPromotion>
  readonly promotions: readonly StoredPromotion[]
}

/** How many stores a process remembers the promotions of. A store has at most a thousand of each kind. */
const storesMax = 200

interface StoredPromotions<D> {
  readonly table: string
  /** Has a row for each store with promotions; its state is new after each change of one. */
  readonly states: string
  readonly compile: (document: D, createdAt: Date) => StoredPromotion
}

/** A promotion as it is read; without its document where the process has it. */
type PromotionRow = readonly [state: string, id: string, hash: string, createdAt: string, doc: string | null]

/**
 * Makes the function that returns all promotions of a store. The process remembers them for as long as the state is
 * the one that the caller has read. Otherwise one statement reads those that have changed.
 */
export function remember<D>({ table, states, compile }: StoredPromotions<D>) {
  const memoryOf = perInstance(() => new Memory<string, CachedPromotions>(storesMax))

  // Documents that the process has are not read again. Versions would not do: those of a transaction that was rolled
  // back come again.
  const changed = `
    SELECT s.state, r.id, r.hash, r.created_at AT TIME ZONE 'UTC', CASE WHEN k.id IS NULL THEN r.doc END
    FROM ${states} s
    JOIN (SELECT *, md5(doc::text) AS hash FROM ${table} WHERE store_id = $1) r ON r.store_id = s.store_id
    LEFT JOIN unnest($2::uuid[], $3::text[]) k (id, hash) ON k.id = r.id AND k.hash = r.hash
    WHERE s.store_id = $1 ORDER BY r.created_at, r.id`

  function* compileAll(
    { instance }: Work,
    rows: readonly PromotionRow[],
    before: CachedPromotions['byDocument'],
  ): Steps<Map<string, StoredPromotion>> {
    const all = new Map<string, StoredPromotion>()
    for (const [, id, hash, createdAt, doc] of rows) {
      const name = `${id} ${hash}`
      const same = before.get(name)
      if (same) all.set(name, same)
      else if (doc !== null) {
        try {
          all.set(name, compile({ ...JSON.parse(doc), id }, new Date(`${createdAt}Z`)))
        } catch (error) {
          // Carts must work without a promotion that another release of the server has accepted.
          instance.log.error({ err: error, table, id }, 'a stored promotion cannot be compiled')
        }
        yield
      }
    }
    return all
  }

  return async (work: Work, state: string | null): Promise<readonly StoredPromotion[]> => {
    // The store never had one.
    if (state === null) return []
    const memory = memoryOf(work.instance)
    const before = memory.get(work.store.id)
    if (before?.state === state) return before.promotions
    const had = [...(before?.byDocument.keys() ?? [])].map((name) => name.split(' '))
    const ids = had.map(([id]) => id)
    const hashes = had.map(([, hash]) => hash)
    const rows = (await work.store.run(changed, ids, hashes)) as unknown as readonly PromotionRow[]
    const byDocument = await runInSteps(compileAll(work, rows, before?.byDocument ?? new Map()))
    const promotions = [...byDocument.values()]
    // The rows may be of a later state than the caller's.
    memory.set(work.store.id, { state: rows[0]?.[0] ?? state, byDocument, promotions })
    return promotions
  }
}

/** Reads the state of the store's standard promotions: null if it never had one. */
export const promotionsStateSql = '(SELECT s.state FROM promotion_states s WHERE s.store_id = $1)'

type Document = StandardDocument & ShownValues<PromotionFields>

/** All standard promotions of the store, compiled. `state` is what `promotionsStateSql` has read. */
export const loadPromotions = remember<Document>({
  table: 'promotions',
  states: 'promotion_states',
  compile(document, createdAt) {
    const { id, name, description, automatic, promotion_type, start, end } = document
    return {
      promotion: fromStandard(document, createdAt),
      shown: {
        ...{ type: 'promotion', id, name, description, automatic, promotion_type },
        start: timestampOf(start),
        end: timestampOf(end),
      },
    }
  },
})
