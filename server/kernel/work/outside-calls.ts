import { Problem } from '../errors.ts'
import { newId } from '../ids.ts'
import { counter } from '../metrics/metrics.ts'
import type { Answer } from '../shape/answer.ts'
import { isDatabaseAway } from '../storage/database.ts'
import { currentTimings, outOfPlace } from '../traces/scopes.ts'
import { inSpan } from '../traces/spans.ts'
import { CallUnderWay } from './after-call.ts'
import type { Ctx, Instance, Work } from './context.ts'
import { type ErrandLease, findLease } from './errand-leases.ts'
import { forgetAfterDays } from './every-store.ts'
import type { Job } from './job.ts'
import { queue } from './queue.ts'

const outsideCalls = counter('sutler_outside_calls_total', 'Requests to other servers, by their outcome.', [
  'service',
  'outcome',
])

/**
 * A request to another server whose effect must happen once, for example because a client pays: see
 * docs/decisions/0031-outside-calls.md. It has three steps, and a crash may follow each: commit the errand, call the
 * other server, record the outcome.
 */
export interface OutsideCall<V = unknown, R = unknown, O = unknown, A = unknown> {
  /** The name of the call in the database. A process that resumes an errand finds the call by it. */
  readonly name: string
  /** After this many milliseconds the result is unknown. */
  readonly timeoutMs: number
  /** The other server, if the store calls several: jobs that resume calls of one do not delay those of another. */
  peer?(values: V): string
  /**
   * The id of what the call changes, if calls about it must not overlap: while one of them has no outcome, others are
   * refused (409).
   */
  subject?(values: V): string | undefined
  /**
   * Reads what `send` needs and an errand must not keep, such as a secret. It may be replaced before a call resumes.
   */
  access?(work: Work, values: V): Promise<A>
  /**
   * Calls the other server, with `errand.id` as the idempotency key of the request. After a crash the same errand is
   * sent again, but never twice at the same time. A refusal by the other server is a result; to throw means that the
   * result is unknown.
   */
  send(errand: Errand<V>, outside: Outside, access: A): Promise<R>
  /**
   * Writes the consequences of the result, in one transaction. After a lost race it runs again with the same result.
   */
  record(work: Work, errand: Errand<V>, result: R): Promise<O>
  /** The outcome that a dry run responds with, which does not know what the other server would answer. */
  foresee(values: V): O
}

/** The effect that must happen once. Its values are JSON, committed before the call and forgotten after its outcome. */
interface Errand<V> {
  readonly id: string
  readonly values: V
}

/** What a call may use. It has no store, so nothing is locked or written while the other server works. */
interface Outside extends Pick<Instance, 'clock' | 'log' | 'mayConnect' | 'sealKeys' | 'services'> {
  /** Aborts after `timeoutMs`. */
  readonly signal: AbortSignal
  /**
   * Commits what the call has learnt between two requests, as the new values of the errand. A resumed call begins with
   * them. Throws if another process has taken the errand meanwhile.
   */
  keep(values: unknown): Promise<void>
}

/** What `prepare` returns where the request needs no call, with its response. */
export class NoCall {
  readonly answer: Answer

  constructor(answer: Answer) {
    this.answer = answer
  }
}

/** A lease is this much longer than the call, to leave time for recording. */
const recordingMaxMs = 5_000

export const leaseMsOf = ({ timeoutMs }: Pick<OutsideCall, 'timeoutMs'>): number => timeoutMs + recordingMaxMs

/**
 * Makes an outside call for a request. `prepare` checks the request and returns the values of the errand, in one
 * transaction; or a `NoCall` with the response. `respond` builds the response from the outcome, in the transaction that
 * records it.
 */
export async function callOut<V, R, O, A>(
  ctx: Ctx,
  call: OutsideCall<V, R, O, A>,
  prepare: (inside: Ctx) => Promise<V | NoCall>,
  respond: (inside: Ctx, outcome: O) => Promise<Answer> | Answer,
): Promise<Answer> {
  if (ctx.isRehearsal) return rehearseCall(ctx, call, prepare, respond)
  if (ctx.store.inTransaction)
    throw new Error(`${call.name}: an outside call is not allowed inside a transaction`)
  const { keyed } = ctx
  const existing = keyed?.errandId === undefined ? undefined : await takeUp<V>(ctx, call, keyed.errandId)
  const errand = existing ?? (await inQueue(ctx, (inside) => begin(inside, call, prepare)))
  if (errand instanceof NoCall) return errand.answer
  const result = existing?.isRecorded ? undefined : await send(ctx, call, errand)
  return orRelease(ctx, call, errand, () =>
    inQueue(ctx, async (inside) => {
      const outcome = await record(inside, call, errand, result as R)
      const answer = await respond(inside, outcome)
      await keyed?.store(inside, answer)
      return answer
    }),
  )
}

/** All that does not need the other server. The errand is undone with the rest, and nobody carries it out. */
const rehearseCall = <V, R, O, A>(
  ctx: Ctx,
  call: OutsideCall<V, R, O, A>,
  prepare: (inside: Ctx) => Promise<V | NoCall>,
  respond: (inside: Ctx, outcome: O) => Promise<Answer> | Answer,
): Promise<Answer> =>
  ctx.rehearse(async (inside) => {
    const errand = await begin(inside, call, prepare)
    return errand instanceof NoCall ? errand.answer : respond(inside, call.foresee(errand.values))
  })

/** Runs a transaction after those of other requests that write the same object. */
const inQueue = <T>(ctx: Ctx, run: (inside: Ctx) => Promise<T>): Promise<T> =>
  ctx.queued(() => ctx.transaction(run))

const fromNow = ({ clock }: Work, ms: number): Date => new Date(clock.now().getTime() + ms)

async function begin<V>(
  inside: Ctx,
  call: Pick<OutsideCall<V>, 'name' | 'timeoutMs' | 'subject' | 'peer'>,
  prepare: (inside: Ctx) => Promise<V | NoCall>,
): Promise<LeasedErrand<V> | NoCall> {
  const { store, clock, keyed, instance } = inside
  const values = await prepare(inside)
  if (values instanceof NoCall) {
    await keyed?.store(inside, values.answer)
    return values
  }
  const errand = { id: newId(), values }
  const [row] = await store.run(
    `INSERT INTO errands (store_id, id, name, values, subject, leased_until, created_at, leased_by)
     VALUES ($1, $2, $3, $4, $5, clock_timestamp() + $6::double precision * interval '1 ms', $7, $8)
     ON CONFLICT (store_id, subject) WHERE ended_at IS NULL DO NOTHING RETURNING leased_until`,
    errand.id,
    call.name,
    JSON.stringify(values),
    call.subject?.(values) ?? null,
    leaseMsOf(call),
    clock.now(),
    instance.processName,
  )
  if (!row) throw new CallUnderWay()
  // If this process ends before the outcome is recorded, another process continues.
  const peer = call.peer?.(values)
  await resumeAt(inside, { id: errand.id, peer }, fromNow(inside, leaseMsOf(call)))
  if (keyed) {
    const taken = await store.run(
      `UPDATE idempotency_keys SET errand_id = $3
       WHERE store_id = $1 AND key = $2 AND errand_id IS NULL AND status IS NULL RETURNING 1`,
      keyed.name,
      errand.id,
    )
    if (!taken.length) throw stillRunning()
    keyed.errandId = errand.id
  }
  return { ...errand, leasedUntil: row[0] as string }
}

/** The refusal of a request while an earlier one with its Idempotency-Key runs. */
export const stillRunning = (): Problem =>
  new Problem('conflict', 'A request with this Idempotency-Key is still being processed.')

/** An errand that only the caller may carry out until the lease ends. */
interface LeasedErrand<V> extends Errand<V> {
  readonly leasedUntil: string
}

interface ResumedErrand<V> extends LeasedErrand<V> {
  readonly isRecorded: boolean
}

/** Leases the errand to the caller; throws a Problem (409) while another process has it. */
async function takeUp<V>(
  work: Work,
  call: Pick<OutsideCall, 'timeoutMs'>,
  id: string,
): Promise<ResumedErrand<V>> {
  const errand = await lease<V>(work, id, leaseMsOf(call))
  if (errand) return errand
  throw stillRunning()
}

async function lease<V>(
  work: Work,
  id: string,
  forMs: number,
  known?: ErrandLease,
): Promise<ResumedErrand<V> | undefined> {
  const found = known ?? (await findLease(work, id))
  if (!found || (!found.isRecorded && found.holdsForMs > 0)) return undefined
  const { store, instance } = work
  const [row] = await store.run(
    `UPDATE errands SET leased_by = $4,
       leased_until = CASE WHEN ended_at IS NULL THEN clock_at(store_id, $3) ELSE leased_until END
     WHERE store_id = $1 AND id = $2 AND (ended_at IS NOT NULL OR leased_until = $5::timestamptz)
     RETURNING values, ended_at IS NOT NULL, leased_until`,
    id,
    forMs,
    instance.processName,
    found.leasedUntil,
  )
  if (!row) return undefined
  const [values, isRecorded, leasedUntil] = row
  return {
    ...{ id, values: JSON.parse(values as string) as V },
    ...{ isRecorded: isRecorded === 't', leasedUntil: leasedUntil as string },
  }
}

/**
 * If the work on the errand fails, ends the lease, so that others can continue at once, and calls the job. It keeps a
 * lease that another process has taken since.
 */
async function orRelease<V, T>(
  work: Work,
  call: Pick<OutsideCall<V>, 'peer'>,
  errand: LeasedErrand<V>,
  run: () => Promise<T>,
): Promise<T> {
  const { id, leasedUntil, values } = errand
  try {
    return await run()
  } catch (error) {
    const release = async () => {
      const released = await work.store.run(
        `UPDATE errands SET leased_until = clock_at(store_id)
         WHERE store_id = $1 AND id = $2 AND ended_at IS NULL AND leased_until = $3::timestamptz RETURNING 1`,
        id,
        leasedUntil,
      )
      if (released.length)
        await resumeAt(work, { id, peer: call.peer?.(values) }, fromNow(work, pauseMsAt(0)))
    }
    // If the database has failed, the lease expires by itself, and the job comes then.
    await release().catch(() => {})
    throw error
  }
}

async function send<V, R, A>(
  work: Work,
  call: Pick<OutsideCall<V, R, unknown, A>, 'name' | 'send' | 'access' | 'timeoutMs' | 'peer'>,
  errand: LeasedErrand<V>,
): Promise<R> {
  return orRelease(work, call, errand, async () => {
    const access = (await call.access?.(work, errand.values)) as A
    const { clock, log, mayConnect, sealKeys, services } = work.instance
    const signal = AbortSignal.timeout(call.timeoutMs)
    const keep = (values: unknown) => keepValues(work, errand, values)
    const outside = { clock, log, mayConnect, sealKeys, services, signal, keep }
    const service = call.peer?.(errand.values) || call.name
    const attributes = { 'peer.service': service, 'sutler.errand_id': errand.id }
    const beganMs = performance.now()
    const count = (outcome: 'answered' | 'refused' | 'unknown') => {
      outsideCalls.inc({ service, outcome })
      currentTimings()?.wait('outside', performance.now() - beganMs)
    }
    try {
      const { promise, reject } = Promise.withResolvers<never>()
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      const result = await inSpan(`call ${service}`, { kind: 'CLIENT', attributes }, () =>
        outOfPlace(() => Promise.race([call.send(errand, outside, access), promise])),
      )
      count('answered')
      return result
    } catch (cause) {
      count(cause instanceof Problem ? 'refused' : 'unknown')
      if (cause instanceof Problem) throw cause
      const detail =
        'Another server did not confirm the outcome of the request. Send the request again with the same Idempotency-Key to learn it.'
      throw new Problem('unavailable', detail, { cause })
    }
  })
}

async function keepValues({ store }: Work, { id, leasedUntil }: LeasedErrand<unknown>, values: unknown) {
  const kept = await store.run(
    `UPDATE errands SET values = $4
     WHERE store_id = $1 AND id = $2 AND ended_at IS NULL AND leased_until = $3::timestamptz RETURNING 1`,
    id,
    leasedUntil,
    JSON.stringify(values),
  )
  if (!kept.length) throw new Error('another process has taken the errand')
}

async function record<V, R, O>(
  inside: Work,
  call: OutsideCall<V, R, O>,
  errand: Errand<V>,
  result: R,
): Promise<O> {
  const [row] = await inside.store.run(
    'SELECT outcome, ended_at IS NOT NULL FROM errands WHERE store_id = $1 AND id = $2 FOR UPDATE',
    errand.id,
  )
  if (row?.[1] === 't') return JSON.parse(row[0] ?? 'null') as O
  const outcome = await call.record(inside, errand, result)
  // The values may be personal, and nobody needs them any more.
  await inside.store.run(
    `UPDATE errands SET outcome = $3, ended_at = $4, values = '{}' WHERE store_id = $1 AND id = $2`,
    errand.id,
    JSON.stringify(outcome ?? null),
    inside.clock.now(),
  )
  return outcome
}

/** The job that resumes an errand whose request did not finish. */
const resumption = { name: 'kernel:resume-errand', attemptsMax: 25 } as const

type Resumption = Pick<Errand<unknown>, 'id'> & { readonly peer?: string | undefined }

const resumeAt = (work: Work, resumed: Resumption, at: Date): Promise<void> =>
  queue(work, resumption, resumed, { key: `errand ${resumed.id}`, at })

const [dayMs, hourMs] = [86_400_000, 3_600_000]

/**
 * How long to wait after a call of this age has failed. While a service recovers, its callers learn soon what has
 * become of their calls. A call that fails for a day is one for a person to look at, and costs one request an hour.
 */
const pauseMsAt = (ageMs: number): number =>
  ageMs >= dayMs ? hourMs : Math.max(1_000, Math.min(20_000, ageMs / 2))

/** Resumes the errands of these calls, by name, until they have an outcome. */
export const resumeErrandJob = (calls: ReadonlyMap<string, OutsideCall>): Job<Resumption> => ({
  ...resumption,
  callsOut: ({ peer = '' }) => peer,
  async run(work, resumed) {
    const { id } = resumed
    const found = await findLease(work, id)
    if (!found || found.isRecorded) return
    const { name, holdsForMs, createdAtMs } = found
    const call = calls.get(name)
    if (!call) throw new Error(`no module has the outside call ${name}`)
    const errand = holdsForMs > 0 ? undefined : await lease(work, id, leaseMsOf(call), found)
    if (!errand) return resumeAt(work, resumed, fromNow(work, holdsForMs || leaseMsOf(call)))
    if (errand.isRecorded) return
    try {
      const result = await send(work, call, errand)
      await orRelease(work, call, errand, () =>
        work.transaction((inside) => record(inside, call, errand, result)),
      )
    } catch (error) {
      if (isDatabaseAway(error)) throw error
      work.instance.log.error({ err: error }, `outside call ${name} ${id} has no outcome yet`)
      // In place of the attempt that `orRelease` has queued.
      const ageMs = work.clock.now().getTime() - createdAtMs
      await resumeAt(work, resumed, fromNow(work, pauseMsAt(ageMs)))
    }
  },
})

/** Deletes errands 30 days after their outcome was recorded. */
export const forgetErrands = forgetAfterDays(30, {
  name: 'kernel:forget-errands',
  every: '52 3 * * *',
  statements: ['DELETE FROM errands WHERE store_id = $1 AND ended_at < $2'],
})
