import { action } from '../kernel/action.ts'
import { choice, text } from '../kernel/fields.ts'
import { noContent } from '../kernel/http/answer.ts'

/** Asks for a password that is good for one sign-in. The answer is the same whether or not the user exists. */
export const createOneTimePasswordTokenRequest = action({
  name: 'create-one-time-password-token-request',
  route: 'POST /v2/authentication-realms/:realm_id/password-profiles/:id/one-time-password-token-request',
  about: 'Asks for a password that is good for one sign-in, to be sent to the user.',
  area: 'one-time-password-token-requests',
  status: 202,
  body: {
    type: 'one_time_password_token_request',
    alsoType: ['one-time-password-token-request'],
    fields: {
      username: text({ required: true, min: 1, max: 320, about: 'Whose password.' }),
      purpose: choice(['reset_password', 'passwordless_authentication'], {
        required: true,
        about: 'Why it is wanted; passed on to whoever sends it.',
      }),
    },
  },
  unsupported: true,
  run: async () => ({ ...noContent, status: 202 }),
})
