import { createHash } from 'node:crypto'
import type { Ctx } from './context.ts'
import { Problem } from './errors.ts'
import type { Answer } from './http/answer.ts'

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

/** What was asked, so that a key used again for something else is noticed. */
export const fingerprint = (method: string, url: string, body: string): string =>
  createHash('sha256').update(`${method} ${url}\n${body}`).digest('hex')

/**
 * Runs a write once per key (draft-ietf-httpapi-idempotency-key-header): the same request again is given the stored
 * answer. The answer is stored in the write's own transaction, so there is never one without the other; a refused
 * request changed nothing and stores nothing.
 */
export async function once(
  ctx: Ctx,
  key: string,
  asked: string,
  write: () => Promise<Answer>,
): Promise<Answer> {
  const name = `${ctx.who.keyId} ${key}`
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
      body: stored[3] as string,
    }
  }
  const answer = await write()
  await ctx.store.rows(
    `INSERT INTO idempotency_keys (store_id, key, asked, status, headers, body, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    name,
    asked,
    answer.status,
    JSON.stringify(answer.headers ?? {}),
    answer.body,
    ctx.clock.now(),
  )
  return answer
}
