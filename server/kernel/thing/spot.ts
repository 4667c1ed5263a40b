import { Problem, type ProblemExtras } from '../errors.ts'
import type { HeldPart, Holder, PartChange, PlaceOfParts } from './holder.ts'

/** The parts of one place, as requests change and see them. `V` is what a new part is made of. */
export interface Spot<W, C, O, V> {
  readonly add: (contents: C, values: V, on: O & PartChange) => C
  readonly change: (contents: C, values: Partial<V>, on: O & PartChange) => C
  readonly remove: (contents: C, values: unknown, on: O & PartChange) => C
  readonly list: (whole: W) => readonly object[]
  readonly show: (whole: W, id: string) => object
}

/** What is true of all parts of a kind. */
export interface PartRules<W, C, O, V, P extends HeldPart, K> {
  readonly of: Pick<Holder<W, C, O, unknown>, 'contentsOf'>
  /** Where the contents have the parts of an address. */
  readonly in: (params: K) => PlaceOfParts<C, P>
  readonly most: {
    readonly n: number
    readonly detail: (n: number) => string
    readonly extras?: (params: K) => ProblemExtras
  }
  readonly missing: (id: string) => Problem
  /** Refuses a new part, before the limit does. */
  readonly mayAdd?: (contents: C, on: O & PartChange) => void
  /** Refuses to remove a part. */
  readonly mayRemove?: (contents: C, part: P) => void
  readonly make: (values: V, on: O & PartChange) => P
  /** A part with the values of an update. Those that it does not send are absent. */
  readonly change: (part: P, values: Partial<V>, on: O & PartChange) => P
  readonly show: (part: P, whole: W, params: K) => object
}

export function spotOf<W, C, O, V, P extends HeldPart, K>(
  rules: PartRules<W, C, O, V, P, K>,
  params: K,
): Spot<W, C, O, V> {
  const { of: holder, most } = rules
  const place = rules.in(params)
  const find = (all: readonly P[], id: string): P => {
    const part = all.find((one) => one.id === id)
    if (!part) throw rules.missing(id)
    return part
  }
  return {
    add(contents, values, on) {
      const { source } = on
      const before = place.of(contents, source)
      rules.mayAdd?.(contents, on)
      if (before.length >= most.n) {
        throw new Problem('unprocessable', most.detail(most.n), { ...most.extras?.(params), source })
      }
      return place.set(contents, [...before, rules.make(values, on)])
    },
    change(contents, values, on) {
      const before = place.of(contents)
      const part = find(before, on.id)
      return place.set(contents, before.with(before.indexOf(part), rules.change(part, values, on)))
    },
    remove(contents, _values, { id }) {
      const before = place.of(contents)
      const part = find(before, id)
      rules.mayRemove?.(contents, part)
      return place.set(
        contents,
        before.filter((one) => one !== part),
      )
    },
    list: (whole) => place.of(holder.contentsOf(whole)).map((part) => rules.show(part, whole, params)),
    show: (whole, id) => rules.show(find(place.of(holder.contentsOf(whole)), id), whole, params),
  }
}
