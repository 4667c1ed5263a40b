import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { hasSecret } from '../auth/principal.ts'
import { Problem } from '../errors.ts'
import { columns, number } from '../storage/columns.ts'
import type { Store } from '../storage/store.ts'
import type { Ctx, Work } from '../work/context.ts'
import type { Chore } from '../work/job.ts'

/** What a caller tries to do: an action that needs a secret or costs something, and whose secret or object it is. */
interface Attempt {
  readonly action: string
  /**
   * Undefined for what belongs to no person, such as a code for anyone. Signed-in shoppers then count by address, too,
   * and a right guess resets nothing: a caller who knows one could guess on.
   */
  readonly owner?: string
  /** Replaces the usual limits, for each subject and for each address. */
  readonly max?: number
}

/** Work on behalf of a caller, with the caller's address; a job has none. */
export type CallerWork = Work & Partial<Pick<Ctx, 'clientAddress'>>

/** The usual limits per window, which opens with the first attempt. */
const limits = { perSubject: 5, perAddress: 20, windowMs: 15 * 60 * 1000 } as const

interface Counter {
  readonly n: number
  readonly max: number
  readonly endsAtMs: number
}

/**
 * Runs the check of a secret; the check returns undefined for a wrong one. After too many wrong secrets for one subject
 * or from one address, every check gets a 429 until the window ends. The limit is checked again after the check, so
 * that simultaneous guesses count one by one.
 */
export async function limitAttempts<T>(
  ctx: CallerWork,
  attempt: Attempt,
  check: () => Promise<T | undefined>,
): Promise<T | undefined> {
  refuseFrom(ctx, (counter) => counter.n >= counter.max, await countsOf(ctx, attempt))
  const result = await check()
  if (result === undefined) {
    refuseFrom(ctx, (counter) => counter.n > counter.max, await count(ctx, attempt))
    return undefined
  }
  const counts = await countsOf(ctx, attempt)
  refuseFrom(ctx, (counter) => counter.n >= counter.max, counts)
  if (counts.length && attempt.owner !== undefined) await forget(ctx, attempt)
  return result
}

/** Counts one request of something costly; false if there were too many. */
export async function withinLimits(ctx: CallerWork, attempt: Attempt): Promise<boolean> {
  return (await count(ctx, attempt)).every(({ n, max }) => n <= max)
}

/** Counts one request; throws a Problem (429) if there were too many. */
export async function mustBeWithinLimits(ctx: CallerWork, attempt: Attempt): Promise<void> {
  refuseFrom(ctx, ({ n, max }) => n > max, await count(ctx, attempt))
}

function refuseFrom(
  ctx: CallerWork,
  tooMany: (counter: Counter) => boolean,
  counts: readonly Counter[],
): void {
  const endsAtMs = Math.max(0, ...counts.filter(tooMany).map((counter) => counter.endsAtMs))
  if (endsAtMs > 0) throw refusalUntil(ctx, endsAtMs)
}

/** The refusal of one attempt too many, with the time to wait. */
export function refusalUntil({ clock }: Pick<CallerWork, 'clock'>, endsAtMs: number): Problem {
  const seconds = Math.max(1, Math.ceil((endsAtMs - clock.now().getTime()) / 1000))
  return new Problem('rate_limited', `Too many attempts; try again in ${seconds} seconds.`, {
    headers: { 'retry-after': String(seconds) },
  })
}

/** The stored counters of an attempt, with their limits. */
function subjectsOf(
  { who, clientAddress = '' }: CallerWork,
  { action, owner, max }: Attempt,
): Map<string, number> {
  const hashOf = (...parts: string[]) =>
    createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
  const subjects = new Map<string, number>()
  if (owner !== undefined) subjects.set(hashOf(action, 'subject', owner), max ?? limits.perSubject)
  // A server that has the store's secret calls for many people, so its address says nothing about them. A shopper who
  // is signed in can only guess their own secrets.
  if (!hasSecret(who) && (owner === undefined || !who.shopper)) {
    subjects.set(hashOf(action, 'address', networkOf(clientAddress)), max ?? limits.perAddress)
  }
  return subjects
}

/**
 * The address to count by: an IPv4 address, or the half of an IPv6 address that belongs to one subscriber. Some proxies
 * add the port, which differs for each connection.
 */
export function networkOf(client: string): string {
  const [, bracketed, v4] = /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/.exec(client) ?? []
  const address = bracketed ?? v4 ?? client
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (mapped) return mapped
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('%', 1)[0]?.toLowerCase().split('::') ?? []
  const groups = (part: string) => (part ? part.split(':') : [])
  const [before, after] = [groups(head), groups(tail ?? '')]
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  return [...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, 4).join(':')
}

/** Counts outside the request's transaction, which a refusal would undo. */
const outside = ({ store }: CallerWork): Store => store.outside()

const toCounters = (limitOf: Map<string, number>, rows: Awaited<ReturnType<Store['run']>>): Counter[] =>
  rows.map(counted.read).map(({ subject, ...count }) => ({ ...count, max: limitOf.get(subject) ?? 0 }))

const counted = columns({
  subject: 'subject',
  n: ['n', number],
  endsAtMs: ['extract(epoch FROM ends_at) * 1000', number],
})

async function countsOf(ctx: CallerWork, attempt: Attempt): Promise<readonly Counter[]> {
  const subjects = subjectsOf(ctx, attempt)
  const rows = await ctx.store.read(
    `SELECT ${counted.sql} FROM attempts WHERE store_id = $1 AND subject = ANY($2::text[]) AND ends_at > $3`,
    [...subjects.keys()],
    ctx.clock.now(),
  )
  return toCounters(subjects, rows)
}

async function count(ctx: CallerWork, attempt: Attempt): Promise<readonly Counter[]> {
  const subjects = subjectsOf(ctx, attempt)
  const now = ctx.clock.now()
  const rows = await outside(ctx).run(
    `INSERT INTO attempts AS a (store_id, subject, n, ends_at)
     SELECT s.id, subject, 1, $3::timestamptz FROM stores s, unnest($2::text[]) AS subject WHERE s.id = $1 ORDER BY subject
     ON CONFLICT (store_id, subject) DO UPDATE SET
       n = CASE WHEN a.ends_at > $4::timestamptz THEN a.n + 1 ELSE 1 END,
       ends_at = CASE WHEN a.ends_at > $4::timestamptz THEN a.ends_at ELSE excluded.ends_at END
     RETURNING ${counted.sql}`,
    [...subjects.keys()],
    new Date(now.getTime() + limits.windowMs),
    now,
  )
  return toCounters(subjects, rows)
}

/** Resets the counter of the subject after a right secret. The address may have other callers behind it. */
async function forget(ctx: CallerWork, attempt: Attempt): Promise<void> {
  const [subject] = subjectsOf(ctx, attempt).keys()
  await outside(ctx).run('DELETE FROM attempts WHERE store_id = $1 AND subject = $2', subject)
}

/** Deletes counters whose window has ended. */
export const forgetAttempts: Chore = {
  name: 'kernel:forget-attempts',
  attemptsMax: 1,
  every: '*/10 * * * *',
  run: async ({ database, clock }) => {
    await database.run({
      text: `WITH ended AS MATERIALIZED (SELECT store_id, subject FROM attempts WHERE ends_at <= $1)
             DELETE FROM attempts a USING ended WHERE a.store_id = ended.store_id AND a.subject = ended.subject`,
      values: [clock.now()],
    })
  },
}
