import { hasSecret } from '../auth/principal.ts'
import { Memory } from '../memory.ts'
import { perInstance } from '../work/per-instance.ts'
import { type CallerWork, networkOf, refusalUntil } from './attempts.ts'

const minuteMs = 60_000

/**
 * How often one address may do what anyone may do, if it costs or stores something. Each process counts in memory, so
 * that refused requests write nothing to the database. The limits are generous, because many shoppers may share an
 * address, or even a whole shop behind an unknown proxy.
 */
export const rates = {
  /** Wrong client ids and secrets. */
  wrongKeys: { max: 20, windowMs: 15 * minuteMs },
  /** Access tokens for each key: a load test, or a shop page that requests one each time it is shown. */
  accessTokens: { max: 6000, windowMs: minuteMs },
  /** Sign-ups, each of which stores a person: enough for all visitors of a fair. */
  signUps: { max: 300, windowMs: 15 * minuteMs },
  /** Started sign-ins, each of which is stored until the browser returns. */
  signInStarts: { max: 3000, windowMs: 15 * minuteMs },
  /** Writes without the secret of a key: as many as the operator sets. */
  shopperWrites: { max: undefined, windowMs: minuteMs },
} as const

type Rate = keyof typeof rates

/** Whose request is counted, by which process, and when. */
type RatedCaller = Pick<CallerWork, 'who' | 'instance' | 'clock' | 'clientAddress'>

const maxOf = (rate: Rate, { shopperWritesMax }: RatedCaller['instance']): number =>
  rates[rate].max ?? shopperWritesMax

interface CountedSpan {
  n: number
  readonly endsAtMs: number
}

const windows = perInstance(() => new Memory<string, CountedSpan>(100_000))

/** Counts one request; false if there were too many. */
export function isWithinRate(work: RatedCaller, rate: Rate, owner = ''): boolean {
  if (isTrusted(work)) return true
  const window = windowOf(work, rate, owner)
  window.n++
  return window.n <= maxOf(rate, work.instance)
}

/** Counts one request; throws a Problem (429) if there were too many. */
export function mustBeWithinRate(work: RatedCaller, rate: Rate, owner = ''): void {
  if (!isWithinRate(work, rate, owner)) throw refusalUntil(work, windowOf(work, rate, owner).endsAtMs)
}

/** Throws a Problem (429) if one more would be too many; counts nothing. */
export function mustHaveRateLeft(work: RatedCaller, rate: Rate, owner = ''): void {
  const { n, endsAtMs } = windowOf(work, rate, owner)
  if (!isTrusted(work) && n >= maxOf(rate, work.instance)) throw refusalUntil(work, endsAtMs)
}

/** A server that has the store's secret calls for many people, also where it sends their tokens beside its own. */
const isTrusted = ({ who }: RatedCaller): boolean => hasSecret(who)

function windowOf(work: RatedCaller, rate: Rate, owner: string): CountedSpan {
  const { instance, clock, clientAddress = '' } = work
  const key = JSON.stringify([rate, owner, networkOf(clientAddress)])
  const nowMs = clock.now().getTime()
  const window = windows(instance).get(key)
  if (window && window.endsAtMs > nowMs) return window
  const opened = { n: 0, endsAtMs: nowMs + rates[rate].windowMs }
  windows(instance).set(key, opened)
  return opened
}
