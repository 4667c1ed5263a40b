/** A price book as a catalog or a rule names it. */
interface Prioritized {
  readonly id: string
  readonly priority: number
}

/** The strongest first: the highest priority, and of two alike the one with the lower id. */
export const inOrderOfStrength = <T extends Prioritized>(books: readonly T[]): readonly T[] =>
  books.toSorted((one, other) => other.priority - one.priority || (one.id < other.id ? -1 : 1))
