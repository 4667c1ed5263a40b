import { createHmac } from 'node:crypto'
import { openOr, seal } from './auth/seal.ts'
import type { Ctx } from './context.ts'
import { Problem } from './errors.ts'
import type { Answer } from './http/answer.ts'
import type { Chore } from './jobs.ts'

const keyLengthMax = 255

/** The header's value, or a Problem. */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const key = String(header)
  if (key.length > 0 && key.length <= keyLengthMax) return key
  throw new Problem('bad_request', `Idempotency-Key takes 1 to ${keyLengthMax} characters.`, {
    source: 'Idempotency-Key',
  })
}

/** A write that is carried out once. */
interface Write {
  /** The client's name for it. */
  readonly key: string
  readonly method: string
  readonly url: string
  readonly body: string
  run(): Promise<Answer>
  /** Refuses whoever may no longer do it: `run` is not asked when its answer is repeated. */
  mayRepeat(): Promise<void>
}

/**
 * What was asked, so that a key used again for something else is noticed: also on behalf of something else, where the
 * caller's token says more than who they are. By each of the keys: a body may hold a secret.
 */
function fingerprints({ who, instance }: Ctx, { method, url, body }: Write): readonly string[] {
  const claims = who.shopper?.claims ?? {}
  const said = Object.keys(claims).length ? JSON.stringify(claims) : ''
  const text = `${said}${method} ${url}\n${body}`
  return instance.sealKeys.map((key) => createHmac('sha256', key).update(text).digest('hex'))
}

/**
 * Runs a write once per key (draft-ietf-httpapi-idempotency-key-header): the same request again, by the same caller, is
 * given the stored answer. The answer is stored in the write's own transaction, so there is never one without the
 * other, and sealed, as it may show a secret for the only time. A refused request changed nothing and stores nothing.
 */
export async function once(ctx: Ctx, write: Write): Promise<Answer> {
  const { kind, keyId, caller } = ctx.who
  // Two kinds of callers may come with one application key, and one of them may see more.
  const name = `${kind} ${keyId} ${caller} ${write.key}`
  const { sealKeys } = ctx.instance
  const asked = fingerprints(ctx, write)
  const [lock] = await ctx.store.rows(
    'SELECT pg_try_advisory_xact_lock(hashtextextended($1::text || $2, 0))',
    name,
  )
  if (lock?.[0] !== 't') {
    throw new Problem('conflict', 'A request with this Idempotency-Key is still being processed.')
  }
  const [stored] = await ctx.store.rows(
    'SELECT asked, status, headers, body FROM idempotency_keys WHERE store_id = $1 AND key = $2',
    name,
  )
  if (stored) {
    const body = openOr(sealKeys, stored[3] as string)
    if (body === undefined) {
      const detail =
        'What was done for this Idempotency-Key is done; its answer was lost with a secret of the server.'
      throw new Problem('unprocessable', detail)
    }
    if (!asked.includes(stored[0] as string)) {
      throw new Problem('unprocessable', 'This Idempotency-Key was already used for another request.')
    }
    await write.mayRepeat()
    const headers = JSON.parse(stored[2] as string) as Record<string, string>
    return {
      status: Number(stored[1]),
      headers: { ...headers, 'idempotency-replayed': 'true' },
      body,
    }
  }
  const answer = await write.run()
  if (typeof answer.body !== 'string')
    throw new Error('a file cannot be kept: the action must say `shows.file`')
  await ctx.store.rows(
    `INSERT INTO idempotency_keys (store_id, key, asked, status, headers, body, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    name,
    asked[0],
    answer.status,
    JSON.stringify(answer.headers ?? {}),
    seal(sealKeys, answer.body),
    ctx.clock.now(),
  )
  return answer
}

const keptForMs = 24 * 60 * 60 * 1000
const forgottenPerStatement = 10_000

/** A key is good for a day: long enough for any client's retries. */
export const forgetIdempotencyKeys: Chore = {
  name: 'kernel:forget-idempotency-keys',
  attemptsMax: 3,
  every: '17 * * * *',
  run: async ({ database, clock }) => {
    const before = new Date(clock.now().getTime() - keptForMs)
    for (;;) {
      const gone = await database.run({
        text: `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
                 SELECT ctid FROM idempotency_keys WHERE created_at < $1 LIMIT ${forgottenPerStatement})) RETURNING 1`,
        values: [before],
      })
      if (gone.length < forgottenPerStatement) return
    }
  },
}
