import { limitAttempts } from '../../kernel/attempts/attempts.ts'
import { mustBeWithinRate } from '../../kernel/attempts/rates.ts'
import { input } from '../../kernel/body/input.ts'
import type { ActionCall } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { readSingleton } from '../../kernel/request/singletons.ts'
import { type Fields, type New, reference, text } from '../../kernel/shape/fields.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import type { Ctx, Work } from '../../kernel/work/context.ts'
import { add, insert } from '../../kernel/write/by-rules.ts'
import { foldCase } from '../identity/fold-case.ts'
import { accountRealmId } from '../identity/store-realms.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import { type SignIn, tokenEpochOf } from '../identity/user-token-epoch.ts'
import { redeemSignInCode } from '../oidc/sign-in-code.ts'
import { signInWithOneTimePassword, signInWithPassword } from '../passwords/sign-in-with-password.ts'
import { userAuthenticationPasswordProfileInfos } from '../passwords/user-authentication-password-profile-infos.ts'
import { accountAuthenticationSettings } from './account-authentication-settings.ts'
import { accountMemberToken, accountMemberTokenHeader } from './account-member-token.ts'
import { autoCreateAccount } from './auto-create-account.ts'

/** The `type` of a sign-in and of its tokens. */
export const tokenType = 'account_management_authentication_token'

type SignInCall = Pick<ActionCall<string, Fields>, 'rawBody' | 'headers'>

/** A way to sign in: its fields, and how it finds the user. */
interface Mechanism {
  readonly fields: Fields
  signIn(ctx: Ctx, call: SignInCall): Promise<SignIn>
}

function mechanism<const F extends Fields>(
  fields: F,
  signIn: (ctx: Ctx, values: New<F>, headers: SignInCall['headers']) => Promise<SignIn>,
): Mechanism {
  const reader = input({ type: tokenType, fields })
  return {
    fields,
    signIn: (ctx, { rawBody, headers }) => signIn(ctx, reader.create(rawBody), headers),
  }
}

const password_profile_id = reference('password_profile', {
  required: true,
  about: 'The password profile, which must be in the account realm.',
})
const username = text({ required: true, min: 1, max: 320, about: 'The username in the password profile.' })

const password = mechanism(
  {
    password_profile_id,
    username,
    password: text({ required: true, stored: false, max: 1024, about: 'The password of this username.' }),
  },
  async (ctx, values) => signInWithPassword(ctx, await accountRealmId(ctx), values),
)

const passwordless = mechanism(
  {
    password_profile_id,
    username,
    one_time_password_token: text({
      required: true,
      stored: false,
      max: 255,
      about: 'The one-time password of a one-time password token request. It is valid once.',
    }),
  },
  async (ctx, values) => signInWithOneTimePassword(ctx, await accountRealmId(ctx), values),
)

const { name, email, given_name, middle_name, family_name } = userAuthenticationInfos.fields

const selfSignup = mechanism(
  {
    password_profile_id,
    username,
    password: userAuthenticationPasswordProfileInfos.fields.password,
    name,
    email,
    given_name,
    middle_name,
    family_name,
  },
  signUp,
)

const oidc = mechanism(
  {
    oauth_authorization_code: text({
      required: true,
      stored: false,
      max: 4096,
      about: 'The authorization code. It is valid once.',
    }),
    oauth_redirect_uri: text({ required: true, max: 2048, about: 'The address that the code was sent to.' }),
    oauth_code_verifier: text({
      required: true,
      stored: false,
      max: 1024,
      about: 'The code verifier of the code challenge that started the sign-in (RFC 7636).',
    }),
  },
  async (ctx, { oauth_authorization_code, oauth_redirect_uri, oauth_code_verifier }) =>
    redeemSignInCode(ctx, await accountRealmId(ctx), {
      code: oauth_authorization_code,
      redirectUri: oauth_redirect_uri,
      codeVerifier: oauth_code_verifier,
    }),
)

/** Continues an earlier sign-in: for tokens of the member's other accounts, or for tokens that expire later. */
const ownToken = mechanism({}, async (ctx, _values, headers) => {
  const token = headers[accountMemberTokenHeader]
  if (typeof token !== 'string' || token === '') {
    throw new Problem(
      'bad_request',
      'Send the token of the earlier sign-in in the header EP-Account-Management-Authentication-Token.',
      {
        source: 'EP-Account-Management-Authentication-Token',
      },
    )
  }
  const { id, claims, session } = await accountMemberToken.verify(ctx.instance, ctx.store.id, token)
  return { userId: id, tokenEpoch: claims.epoch as number, signedInS: session.signed_in_s as number }
})

export const mechanisms = {
  password,
  passwordless,
  self_signup: selfSignup,
  oidc,
  account_management_authentication_token: ownToken,
} as const satisfies Record<string, Mechanism>

/** The fields of all mechanisms, none of them required: the chosen mechanism checks its own. */
export const fieldsOfAll: Fields = Object.fromEntries(
  // If mechanisms share a field, the first one counts. It is the least strict: at a sign-in, a password may have any
  // length.
  Object.values(mechanisms)
    .reverse()
    .flatMap(({ fields }: Mechanism) => Object.entries(fields))
    .map(([key, field]) => [key, { ...field, options: { ...field.options, required: false } }]),
)

type NewMember = New<typeof userAuthenticationInfos.fields> &
  New<typeof userAuthenticationPasswordProfileInfos.fields>

/** Creates a member if the setting allows it: a user with a username and a password. */
async function signUp(work: Work, newcomer: NewMember): Promise<SignIn> {
  const { enable_self_signup } = await readSingleton(work, accountAuthenticationSettings)
  if (!enable_self_signup)
    throw new Problem('forbidden', 'Shoppers cannot sign up: the setting enable_self_signup is off.')
  mustBeWithinRate(work, 'signUps')
  await countIfTaken(work, newcomer)
  const id = newId()
  return work.actingAs(id).transaction((inner) => makeMember(inner, id, newcomer))
}

/** A conflict reveals that the user exists, so a caller can try only a few usernames. */
async function countIfTaken(work: Work, { username, password_profile_id }: NewMember): Promise<void> {
  const name = await foldCase(work, username)
  await limitAttempts(work, { action: 'sign-up', owner: `${password_profile_id} ${name}` }, async () => {
    const [taken] = await work.store.run(
      `SELECT 1 FROM user_authentication_password_profile_infos
       WHERE store_id = $1 AND password_profile_id = $2 AND ${caseless('username')} = $3`,
      password_profile_id,
      name,
    )
    return taken ? undefined : true
  })
}

async function makeMember(work: Work, id: string, newcomer: NewMember): Promise<SignIn> {
  const realmId = await accountRealmId(work)
  const { username, password, password_profile_id, ...person } = newcomer
  // Without the rules of the resource: those of changes by shoppers of themselves.
  const user = await insert(work, userAuthenticationInfos, [realmId], { ...person, email_claimed: true }, id)
  const link = { username, password, password_profile_id }
  await add(work, userAuthenticationPasswordProfileInfos, [realmId, user.id], link)
  await autoCreateAccount(work, user)
  return { userId: user.id, tokenEpoch: await tokenEpochOf(work, user.id) }
}
