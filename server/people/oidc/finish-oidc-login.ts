import { action } from '../../kernel/declare/action.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { admitUser, lockAdmission, type Newcomer } from './admit-user.ts'
import { identify } from './identify.ts'
import { findProfile } from './oidc-profiles.ts'
import { type PersonClaims, personOf } from './person.ts'
import { converse } from './provider-refusal.ts'
import { issueSignInCode } from './sign-in-code.ts'
import { callbackQuery } from './sign-in-query.ts'
import { redirectBack, refusalHere, refuseAt, refuseHere, SignInRefusal } from './sign-in-refusal.ts'
import { type SignInRequest, takeSignInRequest } from './sign-in-request.ts'

/** The address that the provider redirects the browser to (OpenID Connect Core §3.1.2.5). It creates new users. */
export const finishOidcLogin = action({
  name: 'finish-oidc-login',
  route: 'GET /oidc-idp/callback/stores/:store_id/authentication-realms/:realm_id/oidc-profiles/:id',
  about:
    'The address that the OpenID Connect provider redirects the browser to. It redirects to the storefront, with a code ' +
    'that is valid for one token, or with an error.',
  area: 'open',
  signsIn: true,
  storeIn: 'store_id',
  status: 307,
  shows: { others: { 400: refusalHere } },
  query: callbackQuery,

  async run(ctx, { params, query }) {
    const { realm_id: realmId, id: profileId } = params
    const state = new URLSearchParams(query).get('state') ?? ''
    const [profile, lookup] = await Promise.all([
      findProfile(ctx, realmId, profileId),
      takeSignInRequest(ctx, state, realmId, profileId),
    ])
    if (!profile) throw notFound('oidc profile', profileId)
    if (lookup.outcome === 'unknown')
      return refuseHere('state does not belong to a sign-in of this server; start again at the storefront.')
    const { request } = lookup
    if (lookup.outcome === 'replayed' && !request.reportsReplay) {
      return refuseHere('This sign-in has already finished; start again at the storefront.')
    }
    try {
      if (lookup.outcome !== 'taken') throw lateRefusal(lookup.outcome)
      const identity = await converse(ctx, profileId, () => identify(ctx, profile, request, state, query))
      const code = await signIn(ctx, request, { realmId, profileId, identity })
      return redirectBack(request, { code })
    } catch (error) {
      return refuse(request, error)
    }
  },
})

const lateRefusal = (outcome: 'replayed' | 'expired') =>
  new SignInRefusal(
    'invalid_request',
    outcome === 'expired' ? 'The sign-in took too long.' : 'The sign-in has already finished.',
  )

/** The browser belongs to a person, so the storefront gets the refusal instead of a Problem. */
function refuse(request: SignInRequest, error: unknown): Answer {
  if (error instanceof SignInRefusal) return refuseAt(request, error)
  if (error instanceof Problem && error.status < 500) {
    return refuseAt(request, new SignInRefusal('access_denied', 'The user cannot be created.'))
  }
  throw error
}

/** Issues a code for the user. A first sign-in creates the user in the same transaction. */
async function signIn(ctx: Ctx, request: SignInRequest, newcomer: Newcomer): Promise<string> {
  const code = await issueSignInCode(ctx, request, newcomer)
  if (code) return code
  const person = await fetchPerson(ctx, newcomer)
  const enter = () =>
    ctx.transaction(async (ctx) => {
      const policy = await lockAdmission(ctx, newcomer.realmId)
      // A concurrent first sign-in of the same person may have created the user while this one waited.
      const existingCode = await issueSignInCode(ctx, request, newcomer)
      if (existingCode) return existingCode
      await admitUser(ctx, newcomer, person, policy)
      return (await issueSignInCode(ctx, request, newcomer)) as string
    })
  return enter().catch((error: unknown) => {
    // A concurrent first sign-in of the same person has created the user by now.
    if (error instanceof Problem && error.code === 'conflict') return enter()
    throw error
  })
}

async function fetchPerson(ctx: Ctx, { profileId, identity }: Newcomer): Promise<PersonClaims> {
  const { claims, moreClaims } = identity
  const isComplete = personOf(claims) && claims.name
  const person = personOf(claims, isComplete ? {} : await converse(ctx, profileId, moreClaims))
  if (person) return person
  throw new SignInRefusal('access_denied', 'The provider did not return an email address for this user.')
}
