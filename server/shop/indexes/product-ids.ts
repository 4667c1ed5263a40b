/** An id is four numbers of 32 bits. */
export const numbersOfId = 4

/** Merchants can choose ids, but not those that are in each other's way. */
const seed = Math.floor(Math.random() * 2 ** 32)

/** The ids of products by position, and the positions by id. If an id is there twice, its last position counts. */
export class ProductIds {
  readonly size: number
  readonly #numbers: Uint32Array
  /** A hash table of positions, plus one: 0 is free. */
  readonly #slots: Uint32Array

  private constructor(numbers: Uint32Array, slots: Uint32Array, from: number) {
    this.size = numbers.length / numbersOfId
    this.#numbers = numbers
    this.#slots = slots
    for (let position = from; position < this.size; position++)
      slots[this.#slotOf(numbers, position * numbersOfId)] = position + 1
  }

  static of(numbers: Uint32Array): ProductIds {
    return new ProductIds(numbers, new Uint32Array(slotsFor(numbers.length / numbersOfId)), 0)
  }

  /** A copy with more ids at the end. */
  with(more: Uint32Array): ProductIds {
    const numbers = new Uint32Array(this.#numbers.length + more.length)
    numbers.set(this.#numbers)
    numbers.set(more, this.#numbers.length)
    return slotsFor(numbers.length / numbersOfId) === this.#slots.length
      ? new ProductIds(numbers, this.#slots.slice(), this.size)
      : ProductIds.of(numbers)
  }

  /** The position of the id whose numbers begin at `at`, or -1. */
  positionOf(numbers: Uint32Array, at: number): number {
    return (this.#slots[this.#slotOf(numbers, at)] as number) - 1
  }

  /**
   * Rows of `width` numbers begin with an id. Visits the position of each id that is known, and where the rest of its
   * row begins.
   */
  forEachIn(rows: Uint32Array, width: number, visit: (position: number, rest: number) => void): void {
    for (let at = 0; at < rows.length; at += width) {
      const position = this.positionOf(rows, at)
      if (position >= 0) visit(position, at + numbersOfId)
    }
  }

  idAt(position: number): string {
    const at = position * numbersOfId
    let hex = ''
    for (const number of this.#numbers.subarray(at, at + numbersOfId))
      hex += number.toString(16).padStart(8, '0')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }

  /** Negative if the first id is less than the second. */
  compare(one: number, other: number): number {
    const numbers = this.#numbers
    for (let i = 0; i < numbersOfId; i++) {
      const a = numbers[one * numbersOfId + i] as number
      const b = numbers[other * numbersOfId + i] as number
      if (a !== b) return a - b
    }
    return 0
  }

  /** The slot that has the id, or the free one where it belongs. */
  #slotOf(numbers: Uint32Array, at: number): number {
    let hash = seed
    for (let i = 0; i < numbersOfId; i++) hash = Math.imul(hash ^ (numbers[at + i] as number), 0x9e3779b1)
    const mask = this.#slots.length - 1
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const position = (this.#slots[slot] as number) - 1
      if (position < 0 || this.#isAt(position, numbers, at)) return slot
    }
  }

  #isAt(position: number, numbers: Uint32Array, at: number): boolean {
    for (let i = 0; i < numbersOfId; i++)
      if (this.#numbers[position * numbersOfId + i] !== numbers[at + i]) return false
    return true
  }
}

/** A power of two, of which at most two thirds are taken. */
const slotsFor = (size: number): number => 2 ** Math.ceil(Math.log2(Math.max(16, size * 1.5)))

/** How many bytes the ids of so many products take. */
export const bytesOfIds = (size: number): number => 4 * (size * numbersOfId + slotsFor(size))

/** The numbers of 32 bits in a `bytea`, as PostgreSQL writes it. */
export function numbersIn(hex: string): Uint32Array {
  const bytes = Buffer.from(hex.slice('\\x'.length), 'hex').swap32()
  // Buffers may begin anywhere in a larger one.
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}
