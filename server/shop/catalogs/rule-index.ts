import { type Criterion, criteria, type Rule, type ShopperContext } from './resolve-rule.ts'

/** Rules by the values of their criteria, so that the rules of a shopper are found without looking at the others. */
export class RuleIndex<R extends Rule> {
  readonly all: readonly R[]
  readonly #byValue = new Map<string, R[]>()
  readonly #forAnyone: R[] = []

  constructor(rules: readonly R[]) {
    this.all = rules
    for (const rule of rules) {
      const keys = criteria.flatMap((one) => [...(rule[one] ?? [])].map((value) => keyOf(one, value)))
      for (const key of keys) this.#enter(key, rule)
      if (!keys.length) this.#forAnyone.push(rule)
    }
  }

  #enter(key: string, rule: R): void {
    const entry = this.#byValue.get(key)
    if (entry) entry.push(rule)
    else this.#byValue.set(key, [rule])
  }

  /** Rules without criteria, and rules with at least one criterion that matches the shopper. */
  about(context: ShopperContext): ReadonlySet<R> {
    const rules = new Set(this.#forAnyone)
    for (const criterion of criteria) {
      for (const value of context[criterion]) {
        for (const rule of this.#byValue.get(keyOf(criterion, value)) ?? []) rules.add(rule)
      }
    }
    return rules
  }
}

const keyOf = (criterion: Criterion, value: string) => `${criterion} ${value}`
