import { action } from '../kernel/action.ts'
import type { Ctx } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import type { Answer } from '../kernel/http/answer.ts'
import { isId } from '../kernel/ids.ts'
import { inTransaction } from '../kernel/in-transaction.ts'
import type { Resource } from '../kernel/resource.ts'
import { admitUser, findUserOf, type Newcomer } from './admit-user.ts'
import { identify } from './identify.ts'
import { oidcProfiles } from './oidc-profiles.ts'
import { type Person, personOf } from './person.ts'
import { converse } from './provider-refusal.ts'
import { issueSignInCode } from './sign-in-codes.ts'
import { backTo, refuseAt, refuseHere, SignInRefusal } from './sign-in-refusal.ts'
import { type SignInRequest, takeSignInRequest } from './sign-in-requests.ts'

/** Where the provider sends the browser back to (OpenID Connect Core §3.1.2.5); `users` is how one is made. */
export const finishOidcLogin = (users: Resource) =>
  action({
    name: 'finish-oidc-login',
    route: 'GET /oidc-idp/callback/stores/:store_id/authentication-realms/:realm_id/oidc-profiles/:id',
    about:
      'Where the OpenID Connect provider sends the browser back to. It goes on to the storefront, with a code ' +
      'that is good for one token, or with an error.',
    area: 'open',
    storeIn: 'store_id',
    status: 307,

    async run(ctx, { params, query }) {
      const profile =
        isId(params.realm_id) && isId(params.id)
          ? await ctx.store.findWhole(oidcProfiles, params.id, [params.realm_id])
          : undefined
      if (!profile) throw new Problem('not_found', 'oidc profile not found')
      const realmId = profile.scope[0] as string
      const state = new URLSearchParams(query).get('state') ?? ''
      const taken = await takeSignInRequest(ctx, state, realmId, profile.id)
      if (taken.outcome === 'unknown') return refuseHere('state is of no sign-in that was begun here.')
      const { request } = taken
      if (taken.outcome === 'replayed' && !request.reportsReplay) {
        return refuseHere('This sign-in was finished before: begin again at the storefront.')
      }
      try {
        if (taken.outcome !== 'taken') throw tooLate(taken.outcome)
        const identity = await converse(ctx, profile.id, () => identify(ctx, profile, request, state, query))
        const code = await signIn(ctx, users, request, { realmId, profileId: profile.id, identity })
        return backTo(request, { code })
      } catch (error) {
        return refusedAt(request, error)
      }
    },
  })

const tooLate = (outcome: 'replayed' | 'expired') =>
  new SignInRefusal(
    'invalid_request',
    outcome === 'expired' ? 'The sign-in took too long.' : 'The sign-in was finished before.',
  )

/** The browser is a person's: what the API would answer with a Problem, the storefront is told. */
function refusedAt(request: SignInRequest, error: unknown): Answer {
  if (error instanceof SignInRefusal) return refuseAt(request, error)
  if (error instanceof Problem && error.status < 500) {
    return refuseAt(request, new SignInRefusal('access_denied', 'The user cannot be added.'))
  }
  throw error
}

/** A code for the user; at a first sign-in they become one, in the transaction that makes the code. */
async function signIn(
  ctx: Ctx,
  users: Resource,
  request: SignInRequest,
  newcomer: Newcomer,
): Promise<string> {
  const person = (await findUserOf(ctx, newcomer)) ? undefined : await introduce(ctx, newcomer)
  const enter = () =>
    inTransaction(ctx, async (ctx) => {
      const known = await findUserOf(ctx, newcomer)
      const userId = known ?? (person && (await admitUser(ctx, users, newcomer, person)))
      const code = userId && (await issueSignInCode(ctx, request, userId))
      if (!code) throw new SignInRefusal('access_denied', 'The user was deleted meanwhile.')
      return code
    })
  return enter().catch((error: unknown) => {
    // Someone signed in for the first time twice at once: by now the other request has made the user.
    if (error instanceof Problem && error.code === 'conflict') return enter()
    throw error
  })
}

async function introduce(ctx: Ctx, { profileId, identity }: Newcomer): Promise<Person> {
  const { claims, moreClaims } = identity
  const said = personOf(claims) && claims.name
  const person = personOf(said ? claims : { ...(await converse(ctx, profileId, moreClaims)), ...claims })
  if (person) return person
  throw new SignInRefusal('access_denied', 'The provider tells no email address of this user.')
}
