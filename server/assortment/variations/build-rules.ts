import type { Steps } from '../../kernel/work/in-turns.ts'
import type { BuildRules } from '../product-fields/product-fields.ts'

/** Finds the combinations of options that a product is built in: one option of each variation, by its build rules. */

/** The maximum number of children of a product. */
export const childrenMax = 10_000

/** The maximum number of combinations to check, even if the rules exclude most of them. */
export const combinationsMax = 1_000_000

/** The reason why a product cannot be built. */
export class Unbuildable extends Error {
  override readonly name = 'Unbuildable'
  /** The options of the combination with the fault, if one combination has it. */
  readonly combination: readonly string[] | undefined

  constructor(message: string, combination?: readonly string[]) {
    super(message)
    this.combination = combination
  }
}

type Combination = readonly string[]

interface CombinationRule {
  readonly includes: boolean
  /** The number of options that it names. The rule that names the most decides. */
  readonly length: number
  /** The options that it names, by the position of their variation. */
  readonly optionAt: ReadonlyMap<number, string>
  /** The last of these positions. A combination that matches up to there matches the rule. */
  readonly last: number
}

/** What the matching rules that name the most options decide about a combination. */
interface RuleDecision {
  readonly length: number
  readonly includes: boolean
  readonly excludes: boolean
}

/** The first options of a combination, and the rules that still may match. */
interface PartialCombination {
  readonly chosen: Combination
  readonly open: readonly CombinationRule[]
  readonly decision: RuleDecision
}

/** Finds the combinations, as ids of options, in the order of the variations and of their options. */
export function* combinationsOf(
  variations: readonly (readonly string[])[],
  rules: BuildRules | null | undefined,
): Steps<readonly Combination[]> {
  const all = variations.reduce((product, options) => product * options.length, 1)
  if (all > combinationsMax) {
    throw new Unbuildable(
      `the variations have ${all} combinations of options, but at most ${combinationsMax} are supported`,
    )
  }
  const combinations: Combination[] = []
  const byDefault = rules?.default === 'exclude'
  const pending: PartialCombination[] = [
    {
      chosen: [],
      open: satisfiableRules(variations, rules),
      decision: { length: 0, includes: !byDefault, excludes: byDefault },
    },
  ]
  for (let next = pending.pop(); next; next = pending.pop()) {
    yield
    const { chosen, open, decision } = next
    const options = variations[chosen.length]
    if (!options) {
      if (isIncluded(chosen, decision)) combinations.push(chosen)
      if (combinations.length > childrenMax) {
        throw new Unbuildable(`a product can have at most ${childrenMax} children`)
      }
      // If no open rule can include a combination again, the search stops here.
    } else if (decision.includes || open.length) {
      // The loop takes the last element first.
      for (const option of options.toReversed()) {
        yield
        pending.push(withOption(next, option))
      }
    }
  }
  return combinations
}

function isIncluded(chosen: Combination, { includes, excludes }: RuleDecision): boolean {
  if (includes && excludes) {
    throw new Unbuildable(
      'could not determine whether to include or exclude a child product due to ambiguous rules',
      chosen,
    )
  }
  return includes
}

function withOption({ chosen, open, decision }: PartialCombination, option: string): PartialCombination {
  const place = chosen.length
  const matching = open.filter(({ optionAt }) => (optionAt.get(place) ?? option) === option)
  return {
    chosen: [...chosen, option],
    open: matching.filter(({ last }) => last > place),
    decision: matching.filter(({ last }) => last === place).reduce(stronger, decision),
  }
}

function stronger(decision: RuleDecision, { length, includes }: CombinationRule): RuleDecision {
  if (length < decision.length) return decision
  if (length > decision.length) return { length, includes, excludes: !includes }
  return { length, includes: decision.includes || includes, excludes: decision.excludes || !includes }
}

/** Omits rules that match no combination: those with an unknown option, or with two options of one variation. */
function satisfiableRules(
  variations: readonly (readonly string[])[],
  rules: BuildRules | null | undefined,
): readonly CombinationRule[] {
  const places = new Map(variations.flatMap((options, place) => options.map((option) => [option, place])))
  const read = (includes: boolean, lists: readonly (readonly string[])[] = []) =>
    lists.flatMap((list): CombinationRule[] => {
      const named = new Set(list)
      const optionAt = new Map([...named].map((option) => [places.get(option) ?? -1, option]))
      if (!named.size || optionAt.size < named.size || optionAt.has(-1)) return []
      return [{ includes, length: named.size, optionAt, last: Math.max(...optionAt.keys()) }]
    })
  return [...read(true, rules?.include), ...read(false, rules?.exclude)]
}
