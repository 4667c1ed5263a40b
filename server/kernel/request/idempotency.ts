import { createHmac } from 'node:crypto'
import { seal, tryOpen } from '../auth/seal.ts'
import { Problem } from '../errors.ts'
import type { Answer } from '../shape/answer.ts'
import { columns, flag, json, number, optional, optionalText } from '../storage/columns.ts'
import type { Ctx, Instance, KeyedRequest } from '../work/context.ts'
import { heldForMs } from '../work/errand-leases.ts'
import type { Chore } from '../work/job.ts'
import { stillRunning } from '../work/outside-calls.ts'
import { shorten } from './stored-answers.ts'

const keyLengthMax = 255

/** The header's value, or a Problem. */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const key = String(header)
  if (key.length > 0 && key.length <= keyLengthMax) return key
  throw new Problem('bad_request', `Idempotency-Key must have 1 to ${keyLengthMax} characters.`, {
    source: 'Idempotency-Key',
  })
}

/** A write that runs once per key. */
interface KeyedWrite {
  /** The value of the header. */
  readonly key: string
  readonly method: string
  readonly url: string
  readonly body: string
  /** Whether the response is an object that can be read again. */
  readonly isReadable: boolean
  /** Checks that the caller may still do it. `run` is not called when a stored response is repeated. */
  mayRepeat(): Promise<void>
  /** Completes a response that was shortened when it was stored. */
  lengthen(answer: Answer): Promise<Answer>
}

/**
 * Identifies a request, to notice a key that is reused for another one. It includes the token's claims, since a caller
 * may act on behalf of different people. It is an HMAC, since a body may contain a secret; there is one for each of the
 * server's keys.
 */
function fingerprints({ who, instance }: Ctx, { method, url, body }: KeyedWrite): readonly string[] {
  const claims = who.shopper?.claims ?? {}
  const claimsText = Object.keys(claims).length ? JSON.stringify(claims) : ''
  const text = `${claimsText}${method} ${url}\n${body}`
  return instance.sealKeys.map((key) => createHmac('sha256', key).update(text).digest('hex'))
}

/**
 * The key of the row. It contains the kind of caller: two kinds may share an application key, and one may see more
 * than the other.
 */
const nameOf = ({ who: { kind, keyId, caller } }: Ctx, { key }: Pick<KeyedWrite, 'key'>): string =>
  `${kind} ${keyId} ${caller} ${key}`

/**
 * Runs a write once per key (draft-ietf-httpapi-idempotency-key-header): a repeated request by the same caller gets the
 * stored response. The response is stored in the transaction of the write, so there is never one without the other. It
 * is sealed, since it may show a secret that is shown only once; a long one is shortened (`stored-answers.ts`). A
 * refused request changes nothing and stores nothing.
 */
export async function once(ctx: Ctx, write: KeyedWrite & { run(): Promise<Answer> }): Promise<Answer> {
  const name = nameOf(ctx, write)
  const earlier = await find(ctx, name, write)
  if (earlier && 'answer' in earlier) return repeat(earlier, write)
  const answer = await write.run()
  await storeAnswer(ctx, name, write, answer)
  return answer
}

/**
 * As `once`, for a write that waits for another server. It commits the key before the write begins. If the write ends
 * without a response, the next request with the key continues, with the same errand if there is one. While a request
 * may still be running (`leaseMs`), others are refused (409).
 */
export async function onceAcrossCalls(
  ctx: Ctx,
  write: KeyedWrite & { readonly leaseMs: number; run(keyed: KeyedRequest): Promise<Answer> },
): Promise<Answer> {
  const name = nameOf(ctx, write)
  const claimed = await ctx.transaction((inside) => claim(inside, name, write))
  if ('answer' in claimed) return repeat(claimed, write)
  let isStored = false
  const keyed: KeyedRequest = {
    name,
    errandId: claimed.errandId,
    async store(inside, answer) {
      await storeAnswer(inside, name, write, answer)
      isStored = true
    },
  }
  try {
    const answer = await write.run(keyed)
    if (!isStored) await storeAnswer(ctx, name, write, answer)
    return answer
  } catch (error) {
    await release(ctx, name).catch(() => {})
    throw error
  }
}

interface UnfinishedRequest {
  readonly errandId: string | undefined
}

async function claim(ctx: Ctx, name: string, write: KeyedWrite & { readonly leaseMs: number }) {
  const earlier = await find(ctx, name, write)
  if (earlier && 'answer' in earlier) return earlier
  if (earlier?.isLeased) throw stillRunning()
  await ctx.store.run(
    `INSERT INTO idempotency_keys (store_id, key, fingerprint, created_at, leased_until, leased_by)
     VALUES ($1, $2, $3, $4, clock_timestamp() + $5::double precision * interval '1 ms', $6)
     ON CONFLICT (store_id, key) DO UPDATE SET leased_until = excluded.leased_until, leased_by = excluded.leased_by`,
    name,
    fingerprints(ctx, write)[0],
    ctx.clock.now(),
    write.leaseMs,
    ctx.instance.processName,
  )
  return { errandId: earlier?.errandId } satisfies UnfinishedRequest
}

interface StoredAnswer {
  readonly answer: Answer
  readonly isShortened: boolean
}

const stored = columns({
  fingerprint: 'fingerprint',
  status: ['status', optional(number)],
  headers: ['headers', optional(json<Record<string, string>>)],
  sealed: ['body', optionalText],
  errandId: ['errand_id', optionalText],
  leasedUntil: ['leased_until', optionalText],
  leasedBy: ['leased_by', optionalText],
  isShortened: ['is_shortened', flag],
})

/** The state of an earlier request with the key. */
async function find(
  ctx: Ctx,
  name: string,
  write: KeyedWrite,
): Promise<StoredAnswer | (UnfinishedRequest & { readonly isLeased: boolean }) | undefined> {
  const [lock] = await ctx.store.run(
    'SELECT pg_try_advisory_xact_lock(hashtextextended($1::uuid::text || $2, 0)) FROM stores WHERE id = $1',
    name,
  )
  if (lock?.[0] !== 't') throw stillRunning()
  const [row] = await ctx.store.run(
    `SELECT ${stored.sql}
     FROM idempotency_keys WHERE store_id = $1 AND key = $2`,
    name,
  )
  if (!row) return undefined
  const { fingerprint, status, headers, sealed, errandId, isShortened, ...lease } = stored.read(row)
  const body = sealed === undefined ? '' : tryOpen(ctx.instance.sealKeys, sealed)
  if (body === undefined) {
    const detail =
      'The request with this Idempotency-Key was carried out, but its response can no longer be read: the server has lost the secret that it was sealed with.'
    throw new Problem('unprocessable', detail)
  }
  if (!fingerprints(ctx, write).includes(fingerprint)) {
    throw new Problem('unprocessable', 'This Idempotency-Key was already used for another request.')
  }
  if (status === undefined) return { errandId, isLeased: await isLeased(ctx.instance, lease) }
  return { answer: { status, headers: { ...headers, 'idempotency-replayed': 'true' }, body }, isShortened }
}

const isLeased = async (
  instance: Instance,
  { leasedUntil, leasedBy }: Pick<ReturnType<typeof stored.read>, 'leasedUntil' | 'leasedBy'>,
): Promise<boolean> => leasedUntil !== undefined && (await heldForMs(instance, leasedUntil, leasedBy)) > 0

async function repeat({ answer, isShortened }: StoredAnswer, write: KeyedWrite): Promise<Answer> {
  await write.mayRepeat()
  return isShortened ? write.lengthen(answer) : answer
}

async function storeAnswer(ctx: Ctx, name: string, write: KeyedWrite, answer: Answer): Promise<void> {
  if (typeof answer.body !== 'string')
    throw new Error('a file response cannot be stored: the action must declare `shows.file`')
  const { text, isShortened } = shorten(answer.body, write.isReadable)
  const stored = await ctx.store.run(
    `INSERT INTO idempotency_keys (store_id, key, fingerprint, status, headers, body, created_at, is_shortened)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (store_id, key) DO UPDATE SET
       status = excluded.status, headers = excluded.headers, body = excluded.body, leased_until = NULL,
       is_shortened = excluded.is_shortened
     WHERE idempotency_keys.status IS NULL RETURNING 1`,
    name,
    fingerprints(ctx, write)[0],
    answer.status,
    JSON.stringify(answer.headers ?? {}),
    seal(ctx.instance.sealKeys, text),
    ctx.clock.now(),
    isShortened,
  )
  // Its lease has ended, and another request has carried it out.
  if (!stored.length) throw stillRunning()
}

/** A refused request stores nothing; one with an errand may be sent again at once. */
async function release({ store }: Ctx, name: string): Promise<void> {
  await store.run(
    `WITH refused AS (
       DELETE FROM idempotency_keys WHERE store_id = $1 AND key = $2 AND status IS NULL AND errand_id IS NULL
     )
     UPDATE idempotency_keys SET leased_until = NULL
     WHERE store_id = $1 AND key = $2 AND status IS NULL AND errand_id IS NOT NULL`,
    name,
  )
}

const retentionMs = 24 * 60 * 60 * 1000
const forgottenPerStatement = 10_000

/** Keys are valid for a day, which is enough for the retries of any client. */
export const forgetIdempotencyKeys: Chore = {
  name: 'kernel:forget-idempotency-keys',
  attemptsMax: 3,
  every: '17 * * * *',
  run: async ({ database, clock }) => {
    const before = new Date(clock.now().getTime() - retentionMs)
    for (;;) {
      const [oldest] = await database.run({
        text: `SELECT max(created_at) FROM (SELECT created_at FROM idempotency_keys
                 WHERE created_at < $1 ORDER BY created_at LIMIT ${forgottenPerStatement}) oldest`,
        values: [before],
      })
      if (!oldest?.[0]) return
      await database.run({ text: 'DELETE FROM idempotency_keys WHERE created_at <= $1', values: oldest })
    }
  },
}
