import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { isLong } from '../support/long.ts'
import type { Reply } from '../support/world.ts'
import { type Arena, collide, openArena, type Side } from './arena.ts'

/** Two operations that race, and what must hold afterwards. docs/acidrain.md lists all of them. */
export interface Race<T> {
  /** The statement that holds up both: see `collide`. */
  readonly hold: string | ((given: T, arena: Arena) => string)
  readonly given: (arena: Arena) => Promise<T>
  /** The guard decides in one order only: both are held up in the short form, too. */
  readonly order?: 'both'
  /** The two operations: the places of their replies are those of `check`. */
  readonly one: (given: T, side: Side, arena: Arena) => Promise<Reply>
  readonly other: (given: T, side: Side, arena: Arena) => Promise<Reply>
  /** `isHeld` says that each had read what it reads before the other wrote. */
  readonly check: (given: T, replies: readonly [Reply, Reply], arena: Arena, isHeld: boolean) => Promise<void>
}

/** Until both are about to write to the table, no one writes to it. */
export const writesTo = (table: string): string => `LOCK TABLE ${table} IN SHARE MODE`

/** How often each order of the two is held up, and how often they run free. */
const rounds = isLong ? 3 : 1
const freeRounds = isLong ? 4 : 0
/** The pauses of free rounds come from it. */
const seed = 20_261_124

let arena: Arena

/** Opens the arena for the races of a file. */
export function useArena(): void {
  beforeAll(async () => {
    arena = await openArena()
  })
}

export function race<T>(title: string, { hold, given, order, one, other, check }: Race<T>): void {
  const run = async (turned: boolean, isHeld = true) => {
    const it = await given(arena)
    const [here, there] = arena.sides
    const requests = [() => one(it, here, arena), () => other(it, there, arena)] as const
    const inOrder = turned ? requests.toReversed() : requests
    const replies = isHeld
      ? await collide(arena, typeof hold === 'string' ? hold : hold(it, arena), inOrder)
      : await Promise.all(inOrder.map((request, i) => pauseOf(i).then(request)))
    const [first, second] = (turned ? replies.toReversed() : replies) as [Reply, Reply]
    for (const { status } of [first, second]) expect(status).toBeLessThan(500)
    await check(it, [first, second], arena, isHeld)
  }
  for (let i = 0; i < rounds; i++) {
    test(`${title} (held, the first one first, ${i})`, () => run(false))
    if (isLong || order) test(`${title} (held, the other one first, ${i})`, () => run(true))
  }
  for (let i = 0; i < freeRounds; i++) {
    test(`${title} (free, ${i})`, () => run(i % 2 === 1, false))
  }
}

let turn = 0

/** Waits up to 8 ms, about as long as a request takes. All pauses of a run follow from the seed. */
export const pauseOf = (n: number): Promise<void> => {
  turn += 1
  return sleep(((seed * (turn + n) * 2_654_435_761) >>> 7) % 9)
}

export const statusesOf = (replies: readonly Reply[]): readonly number[] =>
  replies.map(({ status }) => status).sort()
