import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { text } from '../../kernel/shape/fields.ts'
import { merchantRealmId } from '../identity/store-realms.ts'
import { tokenEpochOf } from '../identity/user-token-epoch.ts'
import { findUserWithAnyPassword, hasPassword } from '../passwords/sign-in-with-password.ts'
import { replacePassword } from '../passwords/user-authentication-password-profile-infos.ts'
import { beginSession, deviceOf, endSessions } from './colleague-sessions.ts'
import { answerWithToken, colleagueToken, roleOf } from './colleague-token.ts'

const source = 'data.current_password'

/** A colleague replaces their own password, and goes on with a new sign-in in place of all earlier ones. */
export const changeOwnPassword = action({
  name: 'change-own-password',
  route: 'PUT /v2/permissions/own/password',
  about:
    'Changes the password of the colleague who calls. A wrong current password counts as one at the sign-in. All sign-ins of the colleague end; the response has the token, and the cookie, of a new one.',
  area: 'own-permissions',
  signsIn: true,
  ownTransactions: true,
  status: 201,
  refuses: ['rate_limited', 'conflict'],
  shows: { data: colleagueToken, cookie: true },
  body: {
    type: 'own_password',
    example: {
      ...{ current_password: 'eleven horses by the river', password: 'four other unrelated words' },
    },
    fields: {
      current_password: text({ required: true, max: 1024, about: 'The current password.' }),
      password: text({ required: true, max: 1024, about: 'The new password: at least 12 characters.' }),
    },
  },

  async run(ctx, { body: { current_password, password }, headers }) {
    const { sessionId, keyId: userId } = ctx.who
    if (sessionId === undefined)
      throw new Problem('unprocessable', 'An application key has no password. Sign in as a colleague.')
    const realmId = await merchantRealmId(ctx)
    const user = { id: userId, scope: [realmId] }
    if (!(await hasPassword(ctx, user)))
      throw new Problem(
        'unprocessable',
        'You have no password: you sign in with a provider. A Store Admin can send you a link that sets one.',
      )
    const signedIn = await findUserWithAnyPassword(ctx, user, current_password)
    if (!signedIn) throw new Problem('unprocessable', `${source} is not your current password.`, { source })
    if (password === current_password)
      throw new Problem('unprocessable', 'data.password must differ from the current password.', {
        source: 'data.password',
      })
    const change = { id: signedIn.linkId, scope: [realmId, userId], password }
    const cookie = await replacePassword(ctx, change, signedIn, async (inside) => {
      await endSessions(inside, userId)
      const tokenEpoch = await tokenEpochOf(inside, userId)
      return beginSession(inside, { userId, tokenEpoch }, deviceOf(ctx, headers))
    })
    const role = await roleOf(ctx, userId)
    if (!role) throw new Problem('forbidden', 'You have no role in this store any more.')
    return answerWithToken(ctx, headers, cookie, userId, role)
  },
})
