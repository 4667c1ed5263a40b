import type { SlowLine, Unit } from './cart.ts'

/** Some units of any of the lines. */
export interface BundleGroup {
  readonly quantity: number
  readonly lines: readonly SlowLine[]
}

/**
 * "A group of a bundle takes its units from the first line that has enough. If none has, it takes them from several
 * lines, in the order in which they were added."
 */
export function makeBundle(groups: readonly BundleGroup[], from: ReadonlySet<Unit>): Unit[] | undefined {
  const bundle: Unit[] = []
  for (const { quantity, lines } of groups) {
    const unitsOf = (line: SlowLine) => line.units.filter((unit) => from.has(unit) && !bundle.includes(unit))
    const enough = lines.find((line) => unitsOf(line).length >= quantity)
    const units = enough ? unitsOf(enough) : lines.flatMap(unitsOf)
    if (units.length < quantity) return undefined
    bundle.push(...units.slice(0, quantity))
  }
  return bundle
}

/** "The first group that lacks units, after the groups before it have taken theirs." */
export function lackIn(groups: readonly BundleGroup[], from: ReadonlySet<Unit>) {
  for (const [i, { quantity, lines }] of groups.entries()) {
    const before = makeBundle(groups.slice(0, i), from)
    if (!before || makeBundle(groups.slice(0, i + 1), from)) continue
    const free = lines
      .flatMap(({ units }) => units)
      .filter((unit) => from.has(unit) && !before.includes(unit))
    return { group: i, needs: quantity, has: free.length }
  }
  throw Error('the groups lack nothing')
}

/** All bundles of these units, one after the other. */
export function makeBundles(groups: readonly BundleGroup[], from: readonly Unit[]): Unit[][] {
  const free = new Set(from)
  const bundles: Unit[][] = []
  for (let bundle = makeBundle(groups, free); bundle; bundle = makeBundle(groups, free)) {
    bundles.push(bundle)
    for (const unit of bundle) free.delete(unit)
  }
  return bundles
}
