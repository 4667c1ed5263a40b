import { valueId, wordId } from './value-id.ts'
import { termsOf } from './words.ts'

/** A value of a product for filters and facets. */
export interface SearchValue {
  readonly field: string
  readonly value: string
  readonly number: number | null
  readonly id: string
  /** The words of a text as a tsvector, to look up facet values. */
  readonly words: string
  /** See `wordId`. */
  readonly wordIds: readonly string[]
}

interface NewValue {
  readonly field: string
  readonly value: string
  readonly number: number | undefined
}

/** A value that was not met for this many others may be computed anew. */
const rememberedMax = 10_000

/** By field, then by value: to make one key of both would take longer than to look it up. */
type ByField = Map<string, Map<string, SearchValue>>

/** The values of many products. Products share most of them, so each is computed and written once. */
export class SearchValues {
  /** Those that were met lately, and those before them. */
  #recent: ByField = new Map()
  #recentCount = 0
  #older: ByField = new Map()
  #added: SearchValue[] = []

  of(field: string, value: string, number?: number): SearchValue {
    const key = number === undefined ? field : `${field}\0`
    return this.#recent.get(key)?.get(value) ?? this.#remember(key, { field, value, number })
  }

  #remember(key: string, one: NewValue): SearchValue {
    const older = this.#older.get(key)?.get(one.value)
    const remembered = older ?? toSearchValue(one)
    if (!older) this.#added.push(remembered)
    if (this.#recentCount === rememberedMax) {
      this.#older = this.#recent
      this.#recent = new Map()
      this.#recentCount = 0
    }
    const ofField = this.#recent.get(key)
    if (ofField) ofField.set(one.value, remembered)
    else this.#recent.set(key, new Map([[one.value, remembered]]))
    this.#recentCount += 1
    return remembered
  }

  /** Takes the values that were added since the last call, each once. */
  takeAdded(): readonly SearchValue[] {
    const added = new Map<string, SearchValue>()
    for (const value of this.#added) if (!added.has(value.id)) added.set(value.id, value)
    this.#added = []
    return [...added.values()]
  }
}

function toSearchValue({ field, value, number }: NewValue): SearchValue {
  // Numbers are compared numerically.
  const terms = number === undefined ? termsOf(value) : []
  return {
    field,
    value,
    number: number ?? null,
    id: valueId(field, value),
    words: terms.map((term) => `'${term}'`).join(' '),
    wordIds: terms.map((term) => wordId(field, term)),
  }
}
