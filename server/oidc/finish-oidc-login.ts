import type { Users, WhenUnlinked } from '../identity/index.ts'
import { action } from '../kernel/declare/action.ts'
import { notFound, Problem } from '../kernel/errors.ts'
import type { Answer } from '../kernel/http/answer.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { admitUser, type Newcomer, takeTurn } from './admit-user.ts'
import { findProfile } from './find-profile.ts'
import { identify } from './identify.ts'
import { type Person, personOf } from './person.ts'
import { converse } from './provider-refusal.ts'
import { issueSignInCode } from './sign-in-code.ts'
import { callbackQuery } from './sign-in-query.ts'
import { backTo, refusalHere, refuseAt, refuseHere, SignInRefusal } from './sign-in-refusal.ts'
import { type SignInRequest, takeSignInRequest } from './sign-in-request.ts'

/** Where the provider sends the browser back to (OpenID Connect Core §3.1.2.5); `users` is how one is made. */
export const finishOidcLogin = (users: Users, whenUnlinked: WhenUnlinked) =>
  action({
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
      const [profile, taken] = await Promise.all([
        findProfile(ctx, realmId, profileId),
        takeSignInRequest(ctx, state, realmId, profileId),
      ])
      if (!profile) throw notFound('oidc profile', profileId)
      if (taken.outcome === 'unknown')
        return refuseHere('state does not belong to a sign-in of this server; start again at the storefront.')
      const { request } = taken
      if (taken.outcome === 'replayed' && !request.reportsReplay) {
        return refuseHere('This sign-in has already finished; start again at the storefront.')
      }
      try {
        if (taken.outcome !== 'taken') throw tooLate(taken.outcome)
        const identity = await converse(ctx, profileId, () => identify(ctx, profile, request, state, query))
        const code = await signIn(ctx, users, whenUnlinked, request, { realmId, profileId, identity })
        return backTo(request, { code })
      } catch (error) {
        return refusedAt(request, error)
      }
    },
  })

const tooLate = (outcome: 'replayed' | 'expired') =>
  new SignInRefusal(
    'invalid_request',
    outcome === 'expired' ? 'The sign-in took too long.' : 'The sign-in has already finished.',
  )

/** The browser is a person's: what the API would answer with a Problem, the storefront is told. */
function refusedAt(request: SignInRequest, error: unknown): Answer {
  if (error instanceof SignInRefusal) return refuseAt(request, error)
  if (error instanceof Problem && error.status < 500) {
    return refuseAt(request, new SignInRefusal('access_denied', 'The user cannot be created.'))
  }
  throw error
}

/** A code for the user; at a first sign-in they become one, in the transaction that makes the code. */
async function signIn(
  ctx: Ctx,
  users: Users,
  whenUnlinked: WhenUnlinked,
  request: SignInRequest,
  newcomer: Newcomer,
): Promise<string> {
  const code = await issueSignInCode(ctx, request, newcomer)
  if (code) return code
  const person = await introduce(ctx, newcomer)
  const enter = () =>
    ctx.transaction(async (ctx) => {
      const policy = await takeTurn(ctx, newcomer.realmId)
      // Someone else's turn may have been their own: of two first sign-ins at once one makes the user.
      const known = await issueSignInCode(ctx, request, newcomer)
      if (known) return known
      await admitUser(ctx, users, whenUnlinked, newcomer, person, policy)
      return (await issueSignInCode(ctx, request, newcomer)) as string
    })
  return enter().catch((error: unknown) => {
    // Someone signed in for the first time twice at once: by now the other request has made the user.
    if (error instanceof Problem && error.code === 'conflict') return enter()
    throw error
  })
}

async function introduce(ctx: Ctx, { profileId, identity }: Newcomer): Promise<Person> {
  const { claims, moreClaims } = identity
  const told = personOf(claims) && claims.name
  const person = personOf(claims, told ? {} : await converse(ctx, profileId, moreClaims))
  if (person) return person
  throw new SignInRefusal('access_denied', 'The provider did not return an email address for this user.')
}
