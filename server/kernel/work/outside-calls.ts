import { Problem } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Answer } from '../shape/answer.ts'
import type { Ctx, Instance, Work } from './context.ts'
import { runInEveryStore } from './every-store.ts'
import type { Chore, Job } from './job.ts'
import { queue } from './queue.ts'

/**
 * A request to another server whose effect must happen once, for example because a client pays: see
 * docs/decisions/0031-outside-calls.md. It has three steps, and a crash may follow each: commit the intent, call the
 * other server, record the outcome.
 */
export interface OutsideCall<V = unknown, R = unknown, O = unknown> {
  /** The name of the call in the database. A process that resumes an intent finds the call by it. */
  readonly name: string
  /** After this many milliseconds the result is unknown. */
  readonly timeoutMs: number
  /**
   * Calls the other server, with `intent.id` as the idempotency key of the request. After a crash the same intent is
   * sent again, but never twice at the same time. A refusal by the other server is a result; to throw means that the
   * result is unknown.
   */
  send(intent: Intent<V>, outside: Outside): Promise<R>
  /**
   * Writes the consequences of the result, in one transaction. After a lost race it runs again with the same result.
   */
  record(work: Work, intent: Intent<V>, result: R): Promise<O>
}

/** The effect that must happen once. Its values are JSON, committed before the call. */
export interface Intent<V> {
  readonly id: string
  readonly values: V
}

/** What a call may use. It has no store, so nothing is locked or written while the other server works. */
export interface Outside extends Pick<Instance, 'clock' | 'log' | 'mayConnect' | 'sealKeys'> {
  /** Aborts after `timeoutMs`. */
  readonly signal: AbortSignal
}

/** A lease is this much longer than the call, to leave time for recording. */
const recordingMaxMs = 5_000

type Named = Pick<OutsideCall, 'name' | 'timeoutMs'>

export const leaseMsOf = ({ timeoutMs }: Named): number => timeoutMs + recordingMaxMs

/**
 * Makes an outside call for a request. `prepare` checks the request and returns the values of the intent, in one
 * transaction. `respond` builds the response from the outcome, in the transaction that records it.
 */
export async function callOut<V, R, O>(
  ctx: Ctx,
  call: OutsideCall<V, R, O>,
  prepare: (inside: Ctx) => Promise<V>,
  respond: (inside: Ctx, outcome: O) => Promise<Answer> | Answer,
): Promise<Answer> {
  if (ctx.store.inTransaction)
    throw new Error(`${call.name}: an outside call is not allowed inside a transaction`)
  const { keyed } = ctx
  const existing = keyed?.intentId === undefined ? undefined : await takeUp<V>(ctx, call, keyed.intentId)
  const intent = existing ?? (await begin(ctx, call, prepare))
  const result = existing?.isRecorded ? undefined : await send(ctx, call, intent)
  return orRelease(ctx, intent, () =>
    ctx.transaction(async (inside) => {
      const outcome = await record(inside, call, intent, result as R)
      const answer = await respond(inside, outcome)
      await keyed?.store(inside, answer)
      return answer
    }),
  )
}

const fromNow = ({ clock }: Work, ms: number): Date => new Date(clock.now().getTime() + ms)

const intervalMs = (parameter: string) => `${parameter}::double precision * interval '1 ms'`

function begin<V>(ctx: Ctx, call: Named, prepare: (inside: Ctx) => Promise<V>): Promise<Leased<V>> {
  return ctx.transaction(async (inside) => {
    const intent = { id: newId(), values: await prepare(inside) }
    const { store, clock, keyed } = inside
    const [row] = await store.run(
      `INSERT INTO intents (store_id, id, name, values, leased_until, created_at)
       VALUES ($1, $2, $3, $4, clock_timestamp() + ${intervalMs('$5')}, $6) RETURNING leased_until::text`,
      intent.id,
      call.name,
      JSON.stringify(intent.values),
      leaseMsOf(call),
      clock.now(),
    )
    // If this process ends before the outcome is recorded, another process continues.
    await resumeAt(inside, intent.id, fromNow(inside, leaseMsOf(call)))
    if (keyed) {
      await store.run(
        'UPDATE idempotency_keys SET intent_id = $3 WHERE store_id = $1 AND key = $2',
        keyed.name,
        intent.id,
      )
      keyed.intentId = intent.id
    }
    return { ...intent, leasedUntil: row?.[0] as string }
  })
}

/** An intent that only the caller may carry out until the lease ends. */
interface Leased<V> extends Intent<V> {
  readonly leasedUntil: string
}

interface ResumedIntent<V> extends Leased<V> {
  readonly isRecorded: boolean
}

/** Leases the intent to the caller; throws a Problem (409) while another process has it. */
async function takeUp<V>(work: Work, call: Named, id: string): Promise<ResumedIntent<V>> {
  const intent = await lease<V>(work, id, leaseMsOf(call))
  if (intent) return intent
  throw new Problem('conflict', 'A request with this Idempotency-Key is still being processed.')
}

async function lease<V>({ store }: Work, id: string, forMs: number): Promise<ResumedIntent<V> | undefined> {
  const [row] = await store.run(
    `UPDATE intents SET leased_until = CASE WHEN ended_at IS NULL THEN clock_timestamp() + ${intervalMs('$3')} ELSE leased_until END
     WHERE store_id = $1 AND id = $2 AND (ended_at IS NOT NULL OR leased_until <= clock_timestamp())
     RETURNING values, ended_at IS NOT NULL, leased_until::text`,
    id,
    forMs,
  )
  if (!row) return undefined
  const [values, isRecorded, leasedUntil] = row
  return {
    ...{ id, values: JSON.parse(values as string) as V },
    ...{ isRecorded: isRecorded === 't', leasedUntil: leasedUntil as string },
  }
}

/**
 * Ends the lease if the work on the intent fails, so that others can continue at once. It keeps a lease that another
 * process has taken since.
 */
async function orRelease<T>(
  { store }: Work,
  { id, leasedUntil }: Leased<unknown>,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    await store
      .run(
        `UPDATE intents SET leased_until = clock_timestamp()
         WHERE store_id = $1 AND id = $2 AND ended_at IS NULL AND leased_until = $3::timestamptz`,
        id,
        leasedUntil,
      )
      // If the database has failed, the lease expires by itself.
      .catch(() => {})
    throw error
  }
}

async function send<V, R>(
  work: Work,
  call: Pick<OutsideCall<V, R>, 'send' | 'timeoutMs'>,
  intent: Leased<V>,
): Promise<R> {
  const { clock, log, mayConnect, sealKeys } = work.instance
  const signal = AbortSignal.timeout(call.timeoutMs)
  return orRelease(work, intent, async () => {
    try {
      const { promise, reject } = Promise.withResolvers<never>()
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      return await Promise.race([call.send(intent, { clock, log, mayConnect, sealKeys, signal }), promise])
    } catch (cause) {
      if (cause instanceof Problem) throw cause
      const detail =
        'Another server did not confirm the outcome of the request. Send the request again with the same Idempotency-Key to learn it.'
      throw new Problem('unavailable', detail, { cause })
    }
  })
}

async function record<V, R, O>(
  inside: Work,
  call: OutsideCall<V, R, O>,
  intent: Intent<V>,
  result: R,
): Promise<O> {
  const [row] = await inside.store.run(
    'SELECT outcome, ended_at IS NOT NULL FROM intents WHERE store_id = $1 AND id = $2 FOR UPDATE',
    intent.id,
  )
  if (row?.[1] === 't') return JSON.parse(row[0] ?? 'null') as O
  const outcome = await call.record(inside, intent, result)
  await inside.store.run(
    'UPDATE intents SET outcome = $3, ended_at = $4 WHERE store_id = $1 AND id = $2',
    intent.id,
    JSON.stringify(outcome ?? null),
    inside.clock.now(),
  )
  return outcome
}

/** The job that resumes an intent whose request did not finish. */
const resumption = { name: 'kernel:resume-intent', attemptsMax: 25 } as const

const resumeAt = ({ store }: Work, id: string, at: Date): Promise<void> =>
  queue(store, resumption, { id }, { key: `intent ${id}`, at })

/** Resumes the intents of these calls, by name. */
export const resumeIntentJob = (calls: ReadonlyMap<string, OutsideCall>): Job<{ readonly id: string }> => ({
  ...resumption,
  async run(work, { id }) {
    const [row] = await work.store.run(
      `SELECT name, greatest(0, extract(epoch FROM leased_until - clock_timestamp()) * 1000) FROM intents
       WHERE store_id = $1 AND id = $2 AND ended_at IS NULL`,
      id,
    )
    if (!row) return
    const [name, leasedForMs] = row
    const call = calls.get(name as string)
    if (!call) throw new Error(`no module has the outside call ${name}`)
    const intent = Number(leasedForMs) > 0 ? undefined : await lease(work, id, leaseMsOf(call))
    if (!intent) return resumeAt(work, id, fromNow(work, Number(leasedForMs) || leaseMsOf(call)))
    if (intent.isRecorded) return
    const result = await send(work, call, intent)
    await orRelease(work, intent, () => work.transaction((inside) => record(inside, call, intent, result)))
  },
})

const retentionMs = 30 * 86_400_000

/** Deletes intents 30 days after their outcome was recorded. */
export const forgetIntents: Chore = {
  name: 'kernel:forget-intents',
  attemptsMax: 3,
  every: '52 3 * * *',
  run: (instance) =>
    runInEveryStore(
      instance,
      'DELETE FROM intents WHERE store_id = $1 AND ended_at < $2',
      new Date(instance.clock.now().getTime() - retentionMs),
    ),
}
