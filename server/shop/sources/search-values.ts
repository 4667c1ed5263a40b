import { Memory } from '../../kernel/memory.ts'
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

/** A value that was not met for this many others is computed anew. */
const rememberedMax = 20_000

/** The values of many products. Products share most of them, so each is computed and written once. */
export class SearchValues {
  readonly #values = new Memory<string, SearchValue>(rememberedMax)
  #added: SearchValue[] = []

  of(field: string, value: string, number?: number): SearchValue {
    const key = `${field}\0${value}${number === undefined ? '' : '\0'}`
    const existing = this.#values.get(key)
    if (existing) return existing
    const added = toSearchValue(field, value, number)
    this.#values.set(key, added)
    this.#added.push(added)
    return added
  }

  /** Takes the values that were added since the last call, each once. */
  takeAdded(): readonly SearchValue[] {
    const added = new Map<string, SearchValue>()
    for (const value of this.#added) if (!added.has(value.id)) added.set(value.id, value)
    this.#added = []
    return [...added.values()]
  }
}

function toSearchValue(field: string, value: string, number: number | undefined): SearchValue {
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
