import type { Steps } from '../kernel/work/in-turns.ts'
import type { BuildRules } from '../products/index.ts'

/** Which combinations of options a product is built in: one option of each variation, as its build rules say. */

/** More are not built of one product. */
export const childrenMax = 10_000

/** More combinations are not looked through, whatever the rules leave of them. */
export const combinationsMax = 1_000_000

/** Why there are no combinations. */
export class Unbuildable extends Error {
  override readonly name = 'Unbuildable'
  /** The options of the combination at fault, where it is one. */
  readonly combination: readonly string[] | undefined

  constructor(message: string, combination?: readonly string[]) {
    super(message)
    this.combination = combination
  }
}

type Combination = readonly string[]

interface Rule {
  readonly includes: boolean
  /** How many options it names: the rule with the most has its way. */
  readonly length: number
  /** Which option it asks for, by the place of the variation. */
  readonly asks: ReadonlyMap<number, string>
  /** The last of these places: a combination that is right up to there meets it. */
  readonly last: number
}

/** By the rules that a combination is known to meet: which of them name the most. */
interface Decided {
  readonly length: number
  readonly includes: boolean
  readonly excludes: boolean
}

/** The first options of a combination, and the rules that they leave open. */
interface Begun {
  readonly chosen: Combination
  readonly open: readonly Rule[]
  readonly decided: Decided
}

/** The combinations, in the order of the variations and of their options: the ids of one of each. */
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
  const found: Combination[] = []
  const byDefault = rules?.default === 'exclude'
  const begun: Begun[] = [
    {
      chosen: [],
      open: rulesThatCanBeMet(variations, rules),
      decided: { length: 0, includes: !byDefault, excludes: byDefault },
    },
  ]
  for (let next = begun.pop(); next; next = begun.pop()) {
    yield
    const { chosen, open, decided } = next
    const options = variations[chosen.length]
    if (!options) {
      if (isIncluded(chosen, decided)) found.push(chosen)
      if (found.length > childrenMax) {
        throw new Unbuildable(`a product can have at most ${childrenMax} children`)
      }
      // Where nothing is left that could bring one in again, nobody looks further.
    } else if (decided.includes || open.length) {
      // The last that is put there comes first.
      for (const option of options.toReversed()) {
        yield
        begun.push(withOption(next, option))
      }
    }
  }
  return found
}

function isIncluded(chosen: Combination, { includes, excludes }: Decided): boolean {
  if (includes && excludes) {
    throw new Unbuildable(
      'could not determine whether to include or exclude a child product due to ambiguous rules',
      chosen,
    )
  }
  return includes
}

function withOption({ chosen, open, decided }: Begun, option: string): Begun {
  const place = chosen.length
  const right = open.filter(({ asks }) => (asks.get(place) ?? option) === option)
  return {
    chosen: [...chosen, option],
    open: right.filter(({ last }) => last > place),
    decided: right.filter(({ last }) => last === place).reduce(better, decided),
  }
}

function better(decided: Decided, { length, includes }: Rule): Decided {
  if (length < decided.length) return decided
  if (length > decided.length) return { length, includes, excludes: !includes }
  return { length, includes: decided.includes || includes, excludes: decided.excludes || !includes }
}

/** One with an option that no variation has, or with two of the same one, is for no combination. */
function rulesThatCanBeMet(
  variations: readonly (readonly string[])[],
  rules: BuildRules | null | undefined,
): readonly Rule[] {
  const places = new Map(variations.flatMap((options, place) => options.map((option) => [option, place])))
  const read = (includes: boolean, lists: readonly (readonly string[])[] = []) =>
    lists.flatMap((list): Rule[] => {
      const named = new Set(list)
      const asks = new Map([...named].map((option) => [places.get(option) ?? -1, option]))
      if (!named.size || asks.size < named.size || asks.has(-1)) return []
      return [{ includes, length: named.size, asks, last: Math.max(...asks.keys()) }]
    })
  return [...read(true, rules?.include), ...read(false, rules?.exclude)]
}
