import { createHmac } from 'node:crypto'
import { open, seal } from './auth/seal.ts'
import type { Ctx, Instance } from './context.ts'
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

/** What was asked, so that a key used again for something else is noticed. Keyed: a body may hold a secret. */
export const fingerprint = (instance: Instance, method: string, url: string, body: string): string =>
  createHmac('sha256', instance.sealKey).update(`${method} ${url}\n${body}`).digest('hex')

/**
 * Runs a write once per key (draft-ietf-httpapi-idempotency-key-header): the same request again is given the stored
 * answer. The answer is stored in the write's own transaction, so there is never one without the other, and sealed,
 * as it may show a secret for the only time. A refused request changed nothing and stores nothing.
 */
export async function once(
  ctx: Ctx,
  key: string,
  asked: string,
  write: () => Promise<Answer>,
): Promise<Answer> {
  const name = `${ctx.who.keyId} ${ctx.who.actor} ${key}`
  const { sealKey } = ctx.instance
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
    if (stored[0] !== asked) {
      throw new Problem('unprocessable', 'This Idempotency-Key was already used for another request.')
    }
    const headers = JSON.parse(stored[2] as string) as Record<string, string>
    return {
      status: Number(stored[1]),
      headers: { ...headers, 'idempotency-replayed': 'true' },
      body: open(sealKey, stored[3] as string),
    }
  }
  const answer = await write()
  if (typeof answer.body !== 'string')
    throw new Error('a file cannot be kept: the action must say `shows.file`')
  await ctx.store.rows(
    `INSERT INTO idempotency_keys (store_id, key, asked, status, headers, body, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    name,
    asked,
    answer.status,
    JSON.stringify(answer.headers ?? {}),
    seal(sealKey, answer.body),
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
