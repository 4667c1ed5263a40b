import { withinLimits } from '../../kernel/attempts/attempts.ts'
import { action } from '../../kernel/declare/action.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { findByName } from '../../kernel/query/find.ts'
import { choice, text } from '../../kernel/shape/fields.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { foldCase } from '../identity/fold-case.ts'
import { giveOneTimePassword, newOneTimePassword } from './one-time-passwords.ts'
import { passwordProfiles } from './password-profiles.ts'

export const createOneTimePasswordTokenRequest = action({
  name: 'create-one-time-password-token-request',
  route: 'POST /v2/authentication-realms/:realm_id/password-profiles/:id/one-time-password-token-request',
  about:
    'Requests a one-time password, which is valid for one sign-in within ten minutes. The server reports it in an event, for ' +
    'a service that sends it to the user. The response is the same whether or not the user exists.',
  area: 'one-time-password-token-requests',
  ownTransactions: true,
  status: 202,
  signsIn: true,
  shows: { body: null },
  body: {
    type: 'one_time_password_token_request',
    alsoType: ['one-time-password-token-request'],
    fields: {
      username: text({ required: true, min: 1, max: 320, about: 'The user who wants to sign in.' }),
      purpose: choice(['reset_password', 'passwordless_authentication', 'password_reset'], {
        required: true,
        about: 'The purpose of the password, passed on to the service that sends it.',
      }),
    },
  },

  async run(ctx, { params, body }) {
    const scope = isId(params.realm_id) ? [params.realm_id] : undefined
    if (!scope) throw notFound('password profile', params.id)
    await requestOneTimePassword(ctx, await findByName(ctx, passwordProfiles, params.id, scope), body)
    return { status: 202, body: '' }
  },
})

/** Requests the password of a username of the profile. The caller learns nothing of whether there is such a user. */
export async function requestOneTimePassword(
  ctx: Ctx,
  profile: Row<typeof passwordProfiles.fields>,
  { username, purpose }: { readonly username: string; readonly purpose: string },
): Promise<void> {
  if (!profile.doc.enable_one_time_password_token) {
    throw new Problem(
      'unprocessable',
      'The password profile does not allow one-time passwords: its enable_one_time_password_token is false.',
    )
  }
  const attempt = {
    action: 'one-time-password-token-request',
    owner: `${profile.id} ${await foldCase(ctx, username)}`,
  }
  // From here on the response must not depend on whether the user exists, so too many requests are dropped silently.
  if (await withinLimits(ctx, attempt)) {
    await ctx.later(giveOneTimePassword, {
      ...(await newOneTimePassword(ctx)),
      realmId: profile.scope[0] as string,
      profileId: profile.id,
      username,
      purpose,
    })
  }
}
