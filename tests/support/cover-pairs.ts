/** What is so of a thing, by name. */
export type Traits = Readonly<Record<string, string>>

/**
 * A few of these that have every trait, and every two traits that one of all has together: what breaks code is mostly
 * one trait, or two that meet. They are in the order of the list.
 */
export function coverPairs<T>(all: readonly T[], traitsOf: (one: T) => Traits): readonly T[] {
  const pairs = new Map(all.map((one) => [one, pairsOf(traitsOf(one))]))
  const missing = new Set([...pairs.values()].flat())
  const chosen = new Set<T>()
  while (missing.size > 0) {
    const news = (one: T) => pairs.get(one)?.filter((pair) => missing.has(pair)).length ?? 0
    const counts = all.map(news)
    const best = all[counts.indexOf(Math.max(...counts))] as T
    for (const pair of pairs.get(best) ?? []) missing.delete(pair)
    chosen.add(best)
  }
  return all.filter((one) => chosen.has(one))
}

/** Each trait, and each two. */
export function pairsOf(traits: Traits): readonly string[] {
  const all = Object.entries(traits).map(([name, value]) => `${name}: ${value}`)
  return all.flatMap((one, i) => [one, ...all.slice(i + 1).map((other) => `${one}, ${other}`)])
}
