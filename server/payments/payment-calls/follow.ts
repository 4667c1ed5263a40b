import type { Work } from '../../kernel/work/context.ts'
import type { Job } from '../../kernel/work/job.ts'

const [secondMs, hourMs, dayMs] = [1_000, 3_600_000, 86_400_000]

/** Payments are followed for so long. A shopper who has not paid by then will not. */
const followedMaxMs = 7 * dayMs

/**
 * When to read a pending payment of this age again: at twice its age, and hourly at most. A merchant may have no
 * webhooks, and a shopper may close the page between the payment and the confirm.
 */
export const nextReadMs = (ageMs: number): number | undefined =>
  ageMs > followedMaxMs ? undefined : Math.min(hourMs, Math.max(60 * secondMs, ageMs))

/** After a failed read: a gateway that is away for a moment does not delay the payment by an hour. */
const afterFaultMs = (ageMs: number): number => Math.min(hourMs, Math.max(10 * secondMs, ageMs / 10))

/** How old something is that was created, or has changed, at an instant. */
export const ageMsOf = ({ clock }: Work, instant: string): number =>
  clock.now().getTime() - new Date(instant).getTime()

/** What gateways decide, and the server learns by reading it again and again. */
interface FollowRules<P, T> {
  readonly name: string
  /** At most one job waits under this key. */
  key(ref: P): string
  find(work: Work, ref: P): Promise<T | undefined>
  /** The instant that its age counts from. */
  since(found: T): string
  /** Reads it and records what its gateway says. Returns when to read it again; undefined if it is decided. */
  read(work: Work, found: T, ref: P): Promise<number | undefined>
}

/** A job that reads something until it is decided, and the function that queues the job. */
interface Follower<P> {
  readonly job: Job<P>
  followIn(work: Work, waitMs: number, ref: P): Promise<void>
}

/** Reading moves no money, so no call is kept of it. A fault of the gateway decides nothing. */
export function follow<P extends { readonly gateway?: string | undefined }, T>({
  name,
  key,
  find,
  since,
  read,
}: FollowRules<P, T>): Follower<P> {
  const job: Job<P> = {
    name,
    attemptsMax: 25,
    callsOut: ({ gateway }) => gateway ?? '',
    async run(work, ref) {
      const found = await find(work, ref)
      if (!found) return
      const waitMs = await read(work, found, ref).catch((error: unknown) => {
        work.instance.log.error({ err: error }, `${key(ref)} cannot be read at its gateway yet`)
        return afterFaultMs(ageMsOf(work, since(found)))
      })
      if (waitMs !== undefined) await followIn(work, waitMs, ref)
    },
  }
  const followIn = (work: Work, waitMs: number, ref: P) =>
    work.later(job, ref, { key: key(ref), at: new Date(work.clock.now().getTime() + waitMs) })
  return { job, followIn }
}
