/**
 * Tables of causes. Each row is a possible state, with a sentence about it. The first row that applies is the
 * verdict.
 */

/** What a state means for the shopper. `later` has no effect now, but the next release will differ. */
type VerdictEffect = 'passes' | 'later' | 'hides' | 'prevents_purchase'

export interface Cause<F> {
  readonly verdict: string
  readonly effect: VerdictEffect
  applies(facts: F): boolean
  sentence(facts: F): string
}

export interface Verdict {
  readonly verdict: string
  readonly effect: VerdictEffect
  readonly detail: string
}

/** Finds the first row that applies. The last row of each table always applies. */
export function firstCause<F>(causes: readonly Cause<F>[], facts: F): Verdict {
  const cause = causes.find((one) => one.applies(facts))
  if (!cause) throw new Error('no cause applies: the last row of a table must always apply')
  return { verdict: cause.verdict, effect: cause.effect, detail: cause.sentence(facts) }
}

export const always = () => true

/** Makes a row of a table. */
export const cause = <F>(
  verdict: string,
  effect: VerdictEffect,
  applies: (facts: F) => boolean,
  sentence: string | ((facts: F) => string),
): Cause<F> => ({
  verdict,
  effect,
  applies,
  sentence: typeof sentence === 'string' ? () => sentence : sentence,
})
