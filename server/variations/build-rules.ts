import type { BuildRules } from '../products/index.ts'

/** Which combinations of options a product is built in: one option of each variation, as its build rules say. */

/** More are not built of one product. */
export const childrenMax = 10_000

/** More combinations are not looked through, whatever the rules leave of them. */
export const combinationsMax = 1_000_000

/** Why there are no combinations. */
export class Unbuildable extends Error {
  override readonly name = 'Unbuildable'
}

/** A rule, as far as it is not decided yet. */
interface Open {
  readonly includes: boolean
  /** How many options it names: the rule with the most has its way. */
  readonly length: number
  readonly left: ReadonlySet<string>
}

/** By the rules that a combination is known to meet: which of them name the most. */
interface Decided {
  readonly length: number
  readonly includes: boolean
  readonly excludes: boolean
}

/** The combinations, in the order of the variations and of their options: the ids of one of each. */
export function combinationsOf(
  variations: readonly (readonly string[])[],
  rules: BuildRules | null | undefined,
): readonly (readonly string[])[] {
  const all = variations.reduce((product, options) => product * options.length, 1)
  if (all > combinationsMax) {
    throw new Unbuildable(
      `the variations make ${all} combinations of options: at most ${combinationsMax} are looked through`,
    )
  }
  const found: (readonly string[])[] = []
  const byDefault: Decided = {
    length: 0,
    includes: rules?.default !== 'exclude',
    excludes: rules?.default === 'exclude',
  }
  const walk = (chosen: readonly string[], open: readonly Open[], decided: Decided) => {
    const options = variations[chosen.length]
    if (!options) {
      if (decided.includes && decided.excludes) {
        throw new Unbuildable(
          'could not determine whether to include or exclude a child product due to ambiguous rules',
        )
      }
      if (decided.includes) found.push(chosen)
      if (found.length > childrenMax) {
        throw new Unbuildable(`a product is built in at most ${childrenMax} children`)
      }
      return
    }
    // Nothing is left that could bring one in again.
    if (!decided.includes && !open.length) return
    for (const option of options) {
      let met = decided
      const still: Open[] = []
      for (const rule of open) {
        const left = without(rule.left, option, options)
        if (!left) continue
        if (left.size) still.push({ ...rule, left })
        else met = better(met, rule)
      }
      walk([...chosen, option], still, met)
    }
  }
  walk([], openRules(variations, rules), byDefault)
  return found
}

/** What a rule still asks for when an option of a variation is chosen; undefined when it asked for another of them. */
function without(
  left: ReadonlySet<string>,
  option: string,
  options: readonly string[],
): ReadonlySet<string> | undefined {
  const named = options.filter((one) => left.has(one))
  if (!named.length) return left
  if (named.length > 1 || named[0] !== option) return undefined
  return new Set([...left].filter((one) => one !== option))
}

function better(decided: Decided, { length, includes }: Open): Decided {
  if (length < decided.length) return decided
  if (length > decided.length) return { length, includes, excludes: !includes }
  return { length, includes: decided.includes || includes, excludes: decided.excludes || !includes }
}

/** The rules that can be met: one with an option that no variation has is for no combination. */
function openRules(
  variations: readonly (readonly string[])[],
  rules: BuildRules | null | undefined,
): readonly Open[] {
  const known = new Set(variations.flat())
  const read = (includes: boolean, lists: readonly (readonly string[])[] = []) =>
    lists
      .map((options) => new Set(options))
      .filter((options) => options.size > 0 && [...options].every((option) => known.has(option)))
      .map((left): Open => ({ includes, length: left.size, left }))
  return [...read(true, rules?.include), ...read(false, rules?.exclude)]
}
