import { unauthorized } from '../../kernel/auth/tokens.ts'
import { input } from '../../kernel/body/input.ts'
import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { record } from '../../kernel/feed/record.ts'
import { isId } from '../../kernel/ids.ts'
import { json } from '../../kernel/shape/answer.ts'
import { choice, type Fields, type New, reference, text } from '../../kernel/shape/fields.ts'
import { about, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { merchantRealmId } from '../identity/store-realms.ts'
import type { SignIn } from '../identity/user-token-epoch.ts'
import { redeemSignInCode } from '../oidc/sign-in-code.ts'
import { signInWithOneTimePassword, signInWithPassword } from '../passwords/sign-in-with-password.ts'
import { type ColleagueRole, roleById } from '../permissions/role-kinds.ts'
import {
  beginSession,
  continueSession,
  cookieHeader,
  cookieIn,
  mustBeSameOrigin,
  type SessionCookie,
} from './colleague-sessions.ts'
import { acceptInvitation, oldestProfile } from './invitations.ts'
import { roleIdOf } from './role-assignments.ts'

/** The `type` of a sign-in and of its token. */
const tokenType = 'colleague_token'

/** A way to sign in: its fields, and how it finds the user in the merchant realm. */
interface SignInWay {
  readonly fields: Fields
  signIn(ctx: Ctx, rawBody: unknown): Promise<SignIn>
}

function way<const F extends Fields>(
  fields: F,
  signIn: (ctx: Ctx, realmId: string, values: New<F>) => Promise<SignIn>,
): SignInWay {
  const reader = input({ type: tokenType, fields })
  return {
    fields,
    signIn: async (ctx, rawBody) => signIn(ctx, await merchantRealmId(ctx), reader.create(rawBody)),
  }
}

const password_profile_id = reference('password_profile', {
  about: 'The password profile, which must be in the merchant realm. By default its oldest one.',
})
const username = text({ required: true, min: 1, max: 320, about: 'The username in the password profile.' })

const secret = (about: string, more = {}) =>
  text({ required: true, stored: false, max: 1024, about, ...more })

const password = way(
  { password_profile_id, username, password: secret('The password of this username.') },
  async (ctx, realmId, { password_profile_id: profile, ...values }) =>
    signInWithPassword(ctx, realmId, {
      ...values,
      password_profile_id: profile ?? (await usualProfile(ctx, realmId)),
    }),
)

const oneTimePassword = way(
  {
    password_profile_id,
    username,
    one_time_password_token: secret('The one-time password of a one-time password token request.'),
  },
  async (ctx, realmId, { password_profile_id: profile, ...values }) =>
    signInWithOneTimePassword(ctx, realmId, {
      ...values,
      password_profile_id: profile ?? (await usualProfile(ctx, realmId)),
    }),
)

const oidc = way(
  {
    oauth_authorization_code: secret('The authorization code. It is valid once.', { max: 4096 }),
    oauth_redirect_uri: text({ required: true, max: 2048, about: 'The address that the code was sent to.' }),
    oauth_code_verifier: secret(
      'The code verifier of the code challenge that started the sign-in (RFC 7636).',
    ),
  },
  (ctx, realmId, { oauth_authorization_code, oauth_redirect_uri, oauth_code_verifier }) =>
    redeemSignInCode(ctx, realmId, {
      code: oauth_authorization_code,
      redirectUri: oauth_redirect_uri,
      codeVerifier: oauth_code_verifier,
    }),
)

const invitation = way(
  {
    invitation: secret('The secret at the end of the link. It is valid once.'),
    password: secret('The new password of the colleague: at least 12 characters.'),
  },
  acceptInvitation,
)

/** The ways that need a secret of the person. `session` goes on with the cookie of an earlier sign-in. */
const ways = {
  password,
  passwordless: oneTimePassword,
  oidc,
  invitation,
} as const satisfies Record<string, SignInWay>

/** The fields of all ways, none of them required: each way checks its own. */
const fieldsOfAll: Fields = Object.fromEntries(
  Object.values(ways)
    .flatMap(({ fields }: SignInWay) => Object.entries(fields))
    .map(([key, field]) => [key, { ...field, options: { ...field.options, required: false } }]),
)

/** The oldest password profile of the realm. Refuses (401) as a wrong password does if there is none. */
async function usualProfile({ store }: Ctx, realmId: string): Promise<string> {
  const id = await oldestProfile(store, realmId)
  if (!id) throw unauthorized('The username or the password is not valid.')
  return id
}

/** The store that a sign-in is for: its id, the prefix of its merchant realm, or nothing where there is one store. */
async function findStoreToEnter(ctx: Ctx, named: string | undefined): Promise<string | undefined> {
  const { database } = ctx.instance
  if (named === undefined) {
    const rows = await database.quick({ text: 'SELECT id FROM stores LIMIT 2', values: [] })
    return rows.length === 1 ? (rows[0]?.[0] ?? undefined) : undefined
  }
  const [row] = await database.quick({
    text: `SELECT store_id FROM merchant_realm_mappings
           WHERE store_id = $1 OR lower(prefix COLLATE "default") = lower($2::text COLLATE "default") LIMIT 1`,
    values: [isId(named) ? named : null, named],
  })
  return row?.[0] ?? undefined
}

const colleagueToken = shown.group({
  type: shown.constant(tokenType),
  token: about('The access token of the colleague, for the header Authorization.', shown.text),
  expires: about('When the token expires. Go on with the mechanism `session`.', shown.time),
  store_id: shown.uuid,
  session_id: shown.uuid,
  user_id: shown.uuid,
  role: about('The name of the role.', shown.text),
})

const names = [...(Object.keys(ways) as (keyof typeof ways)[]), 'session'] as const

/** Signs a colleague in: a user of the merchant realm with a role. Their changes are recorded as theirs. */
export const createColleagueToken = action({
  name: 'create-colleague-token',
  route: 'POST /v2/colleague-tokens',
  about:
    'Signs a colleague in, a user of the merchant realm with a role. The response has an access token for 15 minutes, and a cookie that only this address receives: `session` goes on with it, from a page of this server. The required fields depend on authentication_mechanism.',
  area: 'open',
  signsIn: true,
  ownTransactions: true,
  status: 201,
  refuses: ['rate_limited', 'forbidden'],
  shows: { data: colleagueToken, cookie: true },
  body: {
    type: tokenType,
    fields: {
      authentication_mechanism: choice(names, { required: true, about: 'How the colleague signs in.' }),
      store: text({
        max: 255,
        about:
          'The id of the store, or the prefix of its merchant realm. It may be left out where the server has one store.',
      }),
      ...fieldsOfAll,
    },
    example: {
      ...{ authentication_mechanism: 'password', username: 'ada.marsh@example.com' },
      password: 'eleven horses by the river',
    },
  },

  async run(ctx, { body, rawBody, headers }) {
    const { authentication_mechanism: mechanism, store: named } = body
    if (mechanism === 'session') return goOn(ctx, headers)
    const storeId = await findStoreToEnter(ctx, named)
    if (storeId === undefined) throw noStore(named)
    const inside = ctx.inStore(storeId)
    const { signIn } = ways[mechanism as keyof typeof ways]
    const member = await signIn(inside, rawBody).catch((error: unknown) => refuse(inside, mechanism, error))
    const role = await roleOf(inside, member.userId)
    if (!role) return refuse(inside, mechanism, noRole(), member.userId)
    const device = String(headers['user-agent'] ?? '').slice(0, 512)
    const { id, secret } = await beginSession(inside.actingAs(member.userId), member, {
      ...{ device, address: ctx.clientAddress },
    })
    ctx.instance.onWrite(storeId)
    return answer(inside, { storeId, sessionId: id, secret }, member.userId, role)
  },
})

/** Gives a new token for the cookie of an earlier sign-in. */
async function goOn(ctx: Ctx, headers: Parameters<typeof cookieIn>[0]) {
  mustBeSameOrigin(headers, ctx.baseUrl)
  const cookie = cookieIn(headers)
  const inside = cookie && ctx.inStore(cookie.storeId)
  const userId = inside && (await continueSession(inside, cookie.sessionId, cookie.secret))
  const role = userId && (await roleOf(inside, userId))
  if (!cookie || !inside || !userId || !role) throw unauthorized('The sign-in has ended; sign in again.')
  return answer(inside, cookie, userId, role)
}

async function answer(ctx: Ctx, cookie: SessionCookie, userId: string, role: ColleagueRole) {
  const { storeId, sessionId } = cookie
  const { token, expires } = await ctx.instance.tokens.issueToPerson(storeId, userId, sessionId)
  const data: ShownValue<typeof colleagueToken> = {
    type: tokenType,
    token,
    expires: new Date(expires * 1000).toISOString(),
    ...{ store_id: storeId, session_id: sessionId, user_id: userId, role: role.name },
  }
  return { ...json(201, { data }), headers: { 'set-cookie': cookieHeader(cookie, ctx.baseUrl) } }
}

const roleOf = async ({ store }: Ctx, userId: string): Promise<ColleagueRole | undefined> =>
  roleById((await roleIdOf(store, userId)) ?? '')

/** Records a refused sign-in, without what was sent: it may be a password in the wrong field. */
async function refuse(ctx: Ctx, mechanism: string, error: unknown, userId?: string): Promise<never> {
  const isRefused = error instanceof Problem && (error.code === 'unauthorized' || userId !== undefined)
  if (isRefused) {
    const doc = { mechanism, address: ctx.clientAddress, reason: error.detail }
    const event = { event: `${tokenType}.refused`, type: tokenType, doc }
    await record(ctx, userId === undefined ? event : { ...event, id: userId })
    ctx.instance.onWrite(ctx.store.id)
  }
  throw error
}

const noRole = () =>
  new Problem('forbidden', 'You have no role in this store. Ask a Store Admin to give you one.')

const noStore = (named: string | undefined) =>
  new Problem(
    'unprocessable',
    named === undefined
      ? 'This server has several stores. Send data.store: the id of the store, or the prefix of its merchant realm.'
      : 'data.store must be the id of a store, or the prefix of its merchant realm; there is none.',
    { source: 'data.store' },
  )
