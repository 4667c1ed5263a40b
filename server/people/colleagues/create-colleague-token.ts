import { limitAttempts } from '../../kernel/attempts/attempts.ts'
import { unauthorized } from '../../kernel/auth/tokens.ts'
import { input } from '../../kernel/body/input.ts'
import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { record } from '../../kernel/feed/record.ts'
import { choice, type Fields, type New, reference, text } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { merchantRealmId } from '../identity/store-realms.ts'
import type { SignIn } from '../identity/user-token-epoch.ts'
import { redeemSignInCode } from '../oidc/sign-in-code.ts'
import { signInWithOneTimePassword, signInWithPassword } from '../passwords/sign-in-with-password.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { beginSession, continueSession, cookieIn, deviceOf, mustBeSameOrigin } from './colleague-sessions.ts'
import { answerWithToken, colleagueToken, roleOf, tokenType } from './colleague-token.ts'
import { acceptFirstLink, isFirstLink } from './first-colleague.ts'
import { oldestProfile } from './password-of-colleague.ts'
import { enterStore, storeToEnter } from './store-to-enter.ts'

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

const ofFirst = 'Only for the link that the start of the server prints while the store has no colleague.'

const invitation = way(
  {
    invitation: secret('The secret at the end of the link. It is valid once.'),
    password: secret('The new password of the colleague: at least 12 characters.'),
    name: text({ min: 1, max: 512, about: `The name of the first colleague. ${ofFirst}` }),
    email: text({ format: 'email', max: 320, about: `The email address of the first colleague. ${ofFirst}` }),
  },
  (ctx, realmId, values) =>
    isFirstLink(values.invitation)
      ? acceptFirstLink(ctx, realmId, values)
      : acceptInvitation(ctx, realmId, values),
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
      store: storeToEnter,
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
    const inside = await enterStore(ctx, named, 'data.store')
    const { signIn } = ways[mechanism as keyof typeof ways]
    const member = await limitGuesses(inside, mechanism, () => signIn(inside, rawBody)).catch(
      (error: unknown) => refuse(inside, mechanism, error),
    )
    const role = await roleOf(inside, member.userId)
    if (!role) return refuse(inside, mechanism, noRole(), member.userId)
    const device = deviceOf(ctx, headers)
    const cookie = await beginSession(inside.actingAs(member.userId), member, device)
    ctx.instance.onWrite(inside.store.id)
    return answerWithToken(inside, headers, cookie, member.userId, role)
  },
})

/**
 * Passwords are counted by their user. A code of a provider, or the secret of a link, is nobody's before it is right:
 * without a limit by address, anyone could fill the feed with refused sign-ins.
 */
async function limitGuesses(ctx: Ctx, mechanism: string, signIn: () => Promise<SignIn>): Promise<SignIn> {
  if (mechanism !== 'oidc' && mechanism !== 'invitation') return signIn()
  let refusal: unknown
  const member = await limitAttempts(ctx, { action: `sign-in of a colleague by ${mechanism}` }, () =>
    signIn().catch((error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'unauthorized') throw error
      refusal = error
      return undefined
    }),
  )
  if (!member) throw refusal
  return member
}

/** Gives a new token for the cookie of an earlier sign-in. */
async function goOn(ctx: Ctx, headers: Parameters<typeof cookieIn>[0]) {
  mustBeSameOrigin(headers, ctx.baseUrl)
  const cookie = cookieIn(headers)
  const inside = cookie && ctx.inStore(cookie.storeId)
  const userId = inside && (await continueSession(inside, cookie.sessionId, cookie.secret))
  const role = userId && (await roleOf(inside, userId))
  if (!cookie || !inside || !userId || !role) throw unauthorized('The sign-in has ended; sign in again.')
  return answerWithToken(inside, headers, cookie, userId, role)
}

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
