import type { WorkingLine } from './working-cart.ts'

/** Some units of any of these lines. */
export interface Group {
  readonly lines: readonly WorkingLine[]
  /** At least 1. */
  readonly quantity: number
  /** Whether a set is complete without it. */
  readonly isOptional?: boolean
}

/** The same set several times. */
export interface SetBatch {
  readonly times: number
  /** The units of one set, by group. Undefined for an optional group without units. */
  readonly picks: readonly (readonly Pick[] | undefined)[]
}

interface Pick {
  readonly line: WorkingLine
  readonly units: number
}

/** A group that has too few units left for another set. */
interface Lack {
  readonly group: number
  readonly needs: number
  readonly has: number
}

export interface Sets {
  readonly batches: readonly SetBatch[]
  /** Why there is no further set. Undefined where there are as many as there may be. */
  readonly lack: Lack | undefined
}

/**
 * Makes sets, such as bundles, until the units are used up. A group takes its units from the first line that has
 * enough; if none has, from several lines in their order. Equal sets are made at once, and a line that a group has
 * passed is never looked at again: so the work grows with groups and lines, not with units.
 */
export function makeSets(
  groups: readonly Group[],
  availableOf: (line: WorkingLine) => number,
  setsMax = Number.POSITIVE_INFINITY,
): Sets {
  const left = new Map<WorkingLine, number>()
  for (const { lines } of groups) for (const line of lines) left.set(line, availableOf(line))
  const pickers = groups.map(toPicker)
  const batches: SetBatch[] = []
  for (let made = 0; made < setsMax; ) {
    const taken = new Map<WorkingLine, number>()
    const freeOf = (line: WorkingLine) => (left.get(line) ?? 0) - (taken.get(line) ?? 0)
    const picks: (readonly Pick[] | undefined)[] = []
    for (const [index, { quantity, isOptional, lines }] of groups.entries()) {
      const picked = pickers[index]?.(freeOf)
      if (!picked && !isOptional) {
        const has = lines.reduce((sum, line) => sum + freeOf(line), 0)
        return { batches, lack: { group: index, needs: quantity, has } }
      }
      for (const { line, units } of picked ?? []) taken.set(line, (taken.get(line) ?? 0) + units)
      picks.push(picked)
    }
    const repeats = [...taken].map(([line, units]) => Math.floor((left.get(line) ?? 0) / units))
    const times = Math.min(...repeats, setsMax - made)
    for (const [line, units] of taken) left.set(line, (left.get(line) ?? 0) - units * times)
    batches.push({ times, picks })
    made += times
  }
  return { batches, lack: undefined }
}

/** The first so many sets. */
export function firstSets<One extends SetBatch>(batches: readonly One[], most: number): readonly One[] {
  let left = most
  return batches.flatMap((batch) => {
    const times = Math.min(batch.times, left)
    left -= times
    return times > 0 ? [{ ...batch, times }] : []
  })
}

type Picker = (freeOf: (line: WorkingLine) => number) => readonly Pick[] | undefined

/** Picks units for one set after the other. What is free never grows, so lines that are passed need no second look. */
function toPicker({ lines, quantity }: Group): Picker {
  let firstWithEnough = 0
  let firstWithAny = 0
  return (freeOf) => {
    const freeAt = (index: number) => {
      const line = lines[index]
      return line ? freeOf(line) : quantity
    }
    while (freeAt(firstWithEnough) < quantity) firstWithEnough++
    const line = lines[firstWithEnough]
    if (line) return [{ line, units: quantity }]
    while (firstWithAny < lines.length && freeAt(firstWithAny) < 1) firstWithAny++
    const picks: Pick[] = []
    let wanted = quantity
    for (const line of lines.slice(firstWithAny)) {
      const units = Math.min(freeOf(line), wanted)
      if (units > 0) picks.push({ line, units })
      wanted -= units
      if (!wanted) return picks
    }
    return undefined
  }
}
