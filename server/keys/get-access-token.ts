import { verify } from '@node-rs/argon2'
import { action } from '../kernel/action.ts'
import type { Ctx } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { json } from '../kernel/http/answer.ts'

interface Key {
  readonly id: string
  readonly storeId: string
  readonly secretHash: string
}

/** Exchanges an application key for a bearer token (RFC 6749 §4.4; `implicit` is the public contract's own grant). */
export const getAccessToken = action({
  name: 'get-access-token',
  route: 'POST /oauth/access_token',
  about:
    'Exchanges a client id (and secret) for an access token. Form or JSON, whatever the Content-Type says.',
  area: 'open',
  callsOut: true,
  status: 200,
  rawBody: true,
  signsIn: true,

  async run(ctx, { rawBody }) {
    const asked = credentialsIn(String(rawBody))
    const grant = asked.get('grant_type')
    if (grant !== 'client_credentials' && grant !== 'implicit') {
      const detail = `grant_type must be client_credentials or implicit, not ${JSON.stringify(grant ?? null)}.`
      throw new Problem('bad_request', detail, { source: 'grant_type' })
    }
    const clientId = asked.get('client_id')
    if (!clientId)
      throw new Problem('bad_request', 'The field client_id is required.', { source: 'client_id' })
    const key = await findKey(ctx, clientId)
    const secret = asked.get('client_secret') ?? ''
    const good = key && (grant === 'implicit' || (await verify(key.secretHash, secret)))
    if (!good) throw new Problem('unauthorized', 'The client id or the client secret is wrong.')
    await noteUse(ctx, key)

    const { tokens } = ctx.instance
    const { token, expires } = await tokens.issue(key.storeId, key.id, grant)
    return json(200, {
      access_token: token,
      token_type: 'Bearer',
      identifier: grant,
      expires_in: tokens.lifetimeS,
      expires,
    })
  },
})

/** The body's fields: JSON when it looks like it, a form otherwise. Some clients label one as the other. */
function credentialsIn(body: string): Map<string, string> {
  if (!body.trimStart().startsWith('{')) return new Map(new URLSearchParams(body))
  try {
    const value = JSON.parse(body) as Record<string, unknown>
    const fields = (typeof value.data === 'object' && value.data ? value.data : value) as Record<
      string,
      unknown
    >
    return new Map(Object.entries(fields).map(([name, field]) => [name, String(field)]))
  } catch (error) {
    throw new Problem('malformed_json', `The body is not JSON: ${(error as Error).message}`)
  }
}

async function findKey(ctx: Ctx, clientId: string): Promise<Key | undefined> {
  if (clientId.includes('\0')) return undefined
  const [row] = await ctx.instance.database.run({
    text: `SELECT id, store_id, hidden->>'secret_hash' FROM application_keys WHERE client_id = $1`,
    values: [clientId],
  })
  return row && { id: row[0] as string, storeId: row[1] as string, secretHash: row[2] as string }
}

/** Bookkeeping, not a change of the key: it keeps its version. */
async function noteUse(ctx: Ctx, key: Key): Promise<void> {
  await ctx.instance.database.run({
    text: `UPDATE application_keys SET hidden = (hidden::jsonb || jsonb_build_object('last_used_at', $3::text))::json
           WHERE store_id = $1 AND id = $2`,
    values: [key.storeId, key.id, ctx.clock.now().toISOString()],
  })
}
