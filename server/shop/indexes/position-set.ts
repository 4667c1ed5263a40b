/** A set of positions: one bit for each. What is beyond the end of a set is not in it. */
export class PositionSet {
  readonly #words: Int32Array

  private constructor(words: Int32Array) {
    this.#words = words
  }

  /** An empty set with room for positions below `size`. */
  static empty(size: number): PositionSet {
    return new PositionSet(new Int32Array(Math.ceil(size / 32)))
  }

  static of(positions: Iterable<number>, size: number): PositionSet {
    const set = PositionSet.empty(size)
    for (const position of positions) set.add(position)
    return set
  }

  /** The positions below `size` that meet a condition. */
  static where(size: number, isIn: (position: number) => boolean): PositionSet {
    const set = PositionSet.empty(size)
    const words = set.#words
    for (let i = 0; i < words.length; i++) {
      const from = i << 5
      const bits = Math.min(32, size - from)
      let word = 0
      for (let bit = 0; bit < bits; bit++) if (isIn(from + bit)) word |= 1 << bit
      words[i] = word
    }
    return set
  }

  static all(size: number): PositionSet {
    return PositionSet.where(size, () => true)
  }

  get bytes(): number {
    return this.#words.byteLength
  }

  add(position: number): void {
    this.#words[position >>> 5] = (this.#words[position >>> 5] as number) | (1 << (position & 31))
  }

  remove(position: number): void {
    this.#words[position >>> 5] = (this.#words[position >>> 5] as number) & ~(1 << (position & 31))
  }

  has(position: number): boolean {
    return (((this.#words[position >>> 5] ?? 0) >>> (position & 31)) & 1) === 1
  }

  /** A copy with room for positions below `size`. */
  grown(size: number): PositionSet {
    const copy = PositionSet.empty(Math.max(size, this.#words.length * 32))
    copy.#words.set(this.#words)
    return copy
  }

  and(other: PositionSet): PositionSet {
    const length = Math.min(this.#words.length, other.#words.length)
    const words = new Int32Array(length)
    const [one, two] = [this.#words, other.#words]
    for (let i = 0; i < length; i++) words[i] = (one[i] as number) & (two[i] as number)
    return new PositionSet(words)
  }

  or(other: PositionSet): PositionSet {
    const [longer, shorter] = this.#words.length < other.#words.length ? [other, this] : [this, other]
    const words = longer.#words.slice()
    const more = shorter.#words
    for (let i = 0; i < more.length; i++) words[i] = (words[i] as number) | (more[i] as number)
    return new PositionSet(words)
  }

  without(other: PositionSet): PositionSet {
    const words = this.#words.slice()
    const less = other.#words
    const length = Math.min(words.length, less.length)
    for (let i = 0; i < length; i++) words[i] = (words[i] as number) & ~(less[i] as number)
    return new PositionSet(words)
  }

  get count(): number {
    const words = this.#words
    let count = 0
    for (let i = 0; i < words.length; i++) count += bitsOf(words[i] as number)
    return count
  }

  forEach(visit: (position: number) => void): void {
    const words = this.#words
    for (let i = 0; i < words.length; i++) {
      for (let word = words[i] as number; word !== 0; word &= word - 1)
        visit((i << 5) + 31 - Math.clz32(word & -word))
    }
  }
}

/** How many bits of a word are set. */
function bitsOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
