import { mustBeWithinRate, mustHaveRateLeft } from '../../kernel/attempts/rates.ts'
import { inTurn } from '../../kernel/attempts/slow-hash.ts'
import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { counter } from '../../kernel/metrics/metrics.ts'
import { named, namedSchema } from '../../kernel/openapi/named-schemas.ts'
import { json } from '../../kernel/shape/answer.ts'
import { about, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import { columns, optionalText } from '../../kernel/storage/columns.ts'
import type { Tuple } from '../../kernel/storage/database.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { isBasic, readCredentials } from './client-credentials.ts'
import { storeOfClientId } from './client-ids.ts'
import { isSlowHash, matchesSecret, upgradeHash } from './key-secret.ts'

const grants = ['client_credentials', 'implicit'] as const

const issued = counter('sutler_tokens_total', 'Requests for access tokens with a known grant.', [
  'kind',
  'outcome',
])

const credentials = namedSchema('AccessTokenRequest', {
  type: 'object',
  required: ['grant_type'],
  properties: {
    grant_type: {
      enum: grants,
      description: '`implicit` needs no secret; its tokens have fewer rights.',
    },
    client_id: {
      type: 'string',
      description: 'Required, unless HTTP Basic sends it.',
      examples: ['storefront'],
    },
    client_secret: {
      type: 'string',
      format: 'password',
      description: 'Required for `client_credentials`, unless HTTP Basic sends it.',
      examples: ['nine otters under the old bridge'],
    },
  },
})

const accessToken = named(
  'AccessToken',
  shown.group({
    access_token: shown.text,
    token_type: shown.constant('Bearer'),
    identifier: about('The grant that the token was issued for.', shown.constant(...grants)),
    expires_in: about('The lifetime of the token in seconds.', shown.integer),
    expires: about('When the token expires, in seconds since the Unix epoch.', shown.integer),
  }),
)

/** Exchanges an application key for a bearer token (RFC 6749 §4.4; `implicit` is the public contract's own grant). */
export const getAccessToken = action({
  name: 'get-access-token',
  route: 'POST /oauth/access_token',
  about:
    'Exchanges a client id and, for `client_credentials`, its secret for an access token. The body is a form or JSON of at most 16 KiB, regardless of the Content-Type. The two may also be sent with HTTP Basic.',
  area: 'open',
  ownTransactions: true,
  status: 200,
  rawBody: true,
  rawBodies: {
    'application/x-www-form-urlencoded': credentials,
    'application/json': {
      anyOf: [credentials, { type: 'object', required: ['data'], properties: { data: credentials } }],
    },
  },
  refuses: ['rate_limited'],
  shows: { body: accessToken },
  signsIn: true,

  async run(ctx, { rawBody, headers: { authorization } }) {
    const basic = isBasic(authorization as string | undefined)
    const sent = readCredentials(String(rawBody), authorization as string | undefined)
    const grant = sent.grant_type
    if (grant !== 'client_credentials' && grant !== 'implicit') {
      const detail = `grant_type must be client_credentials or implicit, not ${JSON.stringify(grant ?? null)}.`
      throw new Problem('bad_request', detail, { source: 'grant_type' })
    }
    const clientId = sent.client_id
    if (!clientId)
      throw new Problem('bad_request', 'The field client_id is required.', { source: 'client_id' })
    const key = await findKey(ctx, clientId)
    const secret = sent.client_secret ?? ''
    const isValid = key && (grant === 'implicit' || (await verifySecret(ctx, key, secret)))
    if (!isValid) {
      issued.inc({ kind: grant, outcome: 'refused' })
      mustBeWithinRate(ctx, 'wrongKeys')
      // RFC 6749 §5.2
      const headers = basic ? { 'www-authenticate': 'Basic realm="Sutler"' } : {}
      throw new Problem('unauthorized', 'The client id or the client secret is not valid.', { headers })
    }
    mustBeWithinRate(ctx, 'accessTokens', key.id)
    await recordUse(ctx, key)

    const { tokens } = ctx.instance
    const { token, expires } = await tokens.issue(key.storeId, key.id, grant, grant === 'implicit')
    issued.inc({ kind: grant, outcome: 'issued' })
    return json(200, {
      access_token: token,
      token_type: 'Bearer',
      identifier: grant,
      expires_in: tokens.lifetimeS,
      expires,
    } satisfies ShownValue<typeof accessToken>)
  },
})

const keyColumns = columns({
  id: 'id',
  storeId: 'store_id',
  secretHash: "hidden->>'secret_hash'",
  lastUsedAt: ["hidden->>'last_used_at'", optionalText],
})

type StoredKey = ReturnType<typeof keyColumns.read>

async function findKey(ctx: Ctx, clientId: string): Promise<StoredKey | undefined> {
  if (clientId.includes('\0')) return undefined
  const { database, nodes } = ctx.instance
  const text = `SELECT ${keyColumns.sql} FROM application_keys WHERE client_id = $1`
  // The index of one PostgreSQL has the keys of all stores, and nobody needs to know the store before.
  if (!(await nodes.areMany())) return read(await database.quick({ text, values: [clientId] }))
  const storeId = await storeOfClientId({ run: (sql) => database.quick(sql) }, clientId)
  if (storeId === undefined) return undefined
  return read(await database.quick({ text: `${text} AND store_id = $2`, values: [clientId, storeId] }))
}

function read([row]: readonly Tuple[]): StoredKey | undefined {
  return row && keyColumns.read(row)
}

/**
 * Whether this is the secret of the key. A correct secret is accepted even if others at the same address sent too many
 * wrong ones. The exception is a slow hash from before secrets had a minimum length: its checks are limited and queued.
 */
async function verifySecret(ctx: Ctx, key: StoredKey, secret: string): Promise<boolean> {
  const { id, storeId, secretHash } = key
  if (!isSlowHash(secretHash)) return matchesSecret(secretHash, secret)
  mustHaveRateLeft(ctx, 'wrongKeys')
  const isMatch = await inTurn(ctx, () => {
    // Others may have used up the rate while this request waited.
    mustHaveRateLeft(ctx, 'wrongKeys')
    return matchesSecret(secretHash, secret)
  })
  const newHash = isMatch ? upgradeHash(secretHash, secret) : undefined
  if (newHash !== undefined) {
    await ctx.instance.database.run({
      text: `UPDATE application_keys SET hidden = (hidden::jsonb || jsonb_build_object('secret_hash', $4::text))::json
             WHERE store_id = $1 AND id = $2 AND hidden->>'secret_hash' = $3`,
      values: [storeId, id, secretHash, newHash],
    })
  }
  return isMatch
}

const recordEveryMs = 1000

/**
 * Stores when the key was last used. This is not a change of the key, so its version stays. Uses within a second are
 * recorded once, because they would all wait for the same row.
 */
async function recordUse(ctx: Ctx, key: StoredKey): Promise<void> {
  const recordedMs = key.lastUsedAt === undefined ? 0 : Date.parse(key.lastUsedAt)
  if (Math.abs(ctx.clock.now().getTime() - recordedMs) < recordEveryMs) return
  await ctx.instance.database.run({
    text: `UPDATE application_keys SET hidden = (hidden::jsonb || jsonb_build_object('last_used_at', $3::text))::json
           WHERE store_id = $1 AND id = $2`,
    values: [key.storeId, key.id, ctx.clock.now().toISOString()],
  })
}
