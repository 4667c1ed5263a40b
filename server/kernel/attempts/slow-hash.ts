import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { hasSecret } from '../auth/principal.ts'
import { Problem } from '../errors.ts'
import { outOfPlace } from '../traces/scopes.ts'
import { perInstance } from '../work/per-instance.ts'
import { type CallerWork, networkOf } from './attempts.ts'

interface Waiting {
  readonly begin: () => void
  readonly refuse: (problem: Problem) => void
}

/**
 * Limits work that keeps a processor busy by design: a fixed number of tasks run at once, the others wait. Waiting
 * callers take turns, so that no one waits behind all the tasks of another. If the queue is full, it refuses the caller
 * with the most waiting tasks.
 */
export class Turns {
  readonly #atOnceMax: number
  readonly #waitingMax: number
  // The waiting tasks by caller, in the order of their turns.
  readonly #waiting = new Map<string, Waiting[]>()
  #atOnce = 0
  #waitingCount = 0

  constructor(atOnceMax: number, waitingMax: number) {
    this.#atOnceMax = atOnceMax
    this.#waitingMax = waitingMax
  }

  /** Runs a task when it is the caller's turn; a Problem (429) if the queue is full. */
  async take<T>(caller: string, run: () => Promise<T>): Promise<T> {
    if (this.#atOnce < this.#atOnceMax) this.#atOnce++
    else await this.#wait(caller)
    try {
      return await run()
    } finally {
      this.#next()
    }
  }

  #wait(caller: string): Promise<void> {
    if (this.#waitingCount >= this.#waitingMax) this.#makeRoom(caller)
    return new Promise((begin, refuse) => {
      this.#waitingCount++
      this.#waiting.set(caller, [...(this.#waiting.get(caller) ?? []), { begin, refuse }])
    })
  }

  /** Starts the next task in place of one that ended. */
  #next(): void {
    const [first] = this.#waiting
    if (!first) {
      this.#atOnce--
      return
    }
    const [caller, [next, ...others]] = first
    this.#waiting.delete(caller)
    if (others.length) this.#waiting.set(caller, others)
    this.#waitingCount--
    next?.begin()
  }

  #makeRoom(caller: string): void {
    const [most, theirs] = [...this.#waiting].reduce((a, b) => (b[1].length > a[1].length ? b : a))
    const own = this.#waiting.get(caller)?.length ?? 0
    if (own >= theirs.length) throw noRoom()
    const last = theirs.at(-1)
    if (theirs.length > 1) this.#waiting.set(most, theirs.slice(0, -1))
    else this.#waiting.delete(most)
    this.#waitingCount--
    last?.refuse(noRoom())
  }
}

const noRoom = () =>
  new Problem('rate_limited', 'Too many sign-in attempts are in progress; try again in a second.', {
    headers: { 'retry-after': '1' },
  })

// Node has four threads for blocking work, including files and DNS: one stays free for these.
const atOnceMax = Math.min(3, availableParallelism())
/** About ten seconds of work for one processor. */
const waitingMax = 400

const turns = perInstance(() => new Turns(atOnceMax, waitingMax))

/** Runs a hash. The requests of a server take turns with those of each address. */
export const inTurn = <T>(work: CallerWork, run: () => Promise<T>): Promise<T> =>
  outOfPlace(() => turns(work.instance).take(whoseTurn(work), run))

const whoseTurn = ({ who, clientAddress }: CallerWork): string => {
  if (hasSecret(who) && !who.shopper) return `key ${who.keyId}`
  return clientAddress === undefined ? 'jobs' : `address ${networkOf(clientAddress)}`
}

/**
 * The hash (argon2id) of a secret that a person chose. It is slow, so that a thief of the hash cannot try every likely
 * secret.
 */
export const slowHash = (work: CallerWork, chosen: string): Promise<string> =>
  inTurn(work, () => hash(chosen))

export const slowVerify = (work: CallerWork, hashed: string, tried: string): Promise<boolean> =>
  inTurn(work, () => verify(hashed, tried))
