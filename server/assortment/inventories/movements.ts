/** The stock of a product at one place: in a location, or without one. */
export interface Level {
  readonly available: number
  readonly allocated: number
}

/** The maximum at one place. A double then holds the sum of all places of a product exactly. */
export const levelMax = 100_000_000_000

export const empty: Level = { available: 0, allocated: 0 }

export const totalOf = ({ available, allocated }: Level): number => available + allocated

export const changes = ['increment', 'decrement', 'allocate', 'deallocate'] as const

export type StockChange = (typeof changes)[number]

/** What a change of `n` adds to a level. */
export const changeBy: Readonly<Record<StockChange | 'ship', (n: number) => Level>> = {
  increment: (n) => ({ available: n, allocated: 0 }),
  decrement: (n) => ({ available: -n, allocated: 0 }),
  allocate: (n) => ({ available: -n, allocated: n }),
  deallocate: (n) => ({ available: n, allocated: -n }),
  // Shipped stock was allocated before.
  ship: (n) => ({ available: 0, allocated: -n }),
}

/** The change that makes the total `n`. The allocated part stays, so the available part may become negative. */
export const changeToTotal = (n: number, level: Level): Level => ({
  available: n - totalOf(level),
  allocated: 0,
})

/** The change after which nothing is left. */
export const changeToZero = ({ available, allocated }: Level): Level => ({
  available: 0 - available,
  allocated: 0 - allocated,
})

/** The actions of the public contract that add up to a change; for a change of zero, the requested action. */
export function changesOf(adds: Level, requested: StockChange): readonly (readonly [StockChange, number])[] {
  const { allocated } = adds
  const total = totalOf(adds)
  const actions: (readonly [StockChange, number])[] = []
  if (allocated > 0) actions.push(['allocate', allocated])
  if (allocated < 0) actions.push(['deallocate', -allocated])
  if (total > 0) actions.push(['increment', total])
  if (total < 0) actions.push(['decrement', -total])
  return actions.length ? actions : [[requested, 0]]
}
