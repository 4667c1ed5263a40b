/** What there is at one place: in a location, or in none. */
export interface Level {
  readonly available: number
  readonly allocated: number
}

/** The most that may be at one place: the sums of all places of a product stay numbers that a double holds. */
export const levelMax = 100_000_000_000

export const empty: Level = { available: 0, allocated: 0 }

export const totalOf = ({ available, allocated }: Level): number => available + allocated

export const changes = ['increment', 'decrement', 'allocate', 'deallocate'] as const

export type Change = (typeof changes)[number]

/** What a change of `n` adds to a level; below nothing a level cannot fall. */
export const added: Readonly<Record<Change | 'ship', (n: number) => Level>> = {
  increment: (n) => ({ available: n, allocated: 0 }),
  decrement: (n) => ({ available: -n, allocated: 0 }),
  allocate: (n) => ({ available: -n, allocated: n }),
  deallocate: (n) => ({ available: n, allocated: -n }),
  // What is sent has been allocated before.
  ship: (n) => ({ available: 0, allocated: -n }),
}

/** What has to be added for the total to be `n`: what is allocated stays, and there may be too little left for it. */
export const addedToBe = (n: number, level: Level): Level => ({ available: n - totalOf(level), allocated: 0 })

/** What has to be added for nothing to be left. */
export const addedToEnd = ({ available, allocated }: Level): Level => ({
  available: 0 - available,
  allocated: 0 - allocated,
})

/** The changes that add up to what is added, in the public contract's words; of nothing, what was asked for. */
export function changesOf(adds: Level, asked: Change): readonly (readonly [Change, number])[] {
  const { allocated } = adds
  const total = totalOf(adds)
  const told: (readonly [Change, number])[] = []
  if (allocated > 0) told.push(['allocate', allocated])
  if (allocated < 0) told.push(['deallocate', -allocated])
  if (total > 0) told.push(['increment', total])
  if (total < 0) told.push(['decrement', -total])
  return told.length ? told : [[asked, 0]]
}
