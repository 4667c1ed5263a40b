import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { text } from '../../kernel/shape/fields.ts'
import { merchantRealmId } from '../identity/store-realms.ts'
import { requestOneTimePassword } from '../passwords/create-one-time-password-token-request.ts'
import { passwordProfiles } from '../passwords/password-profiles.ts'
import { oldestProfile } from './password-of-colleague.ts'
import { enterStore, storeToEnter } from './store-to-enter.ts'

/** As the request of account members, for people without any token. */
export const requestColleaguePassword = action({
  name: 'request-colleague-one-time-password',
  route: 'POST /v2/colleague-one-time-passwords',
  about:
    'Requests a one-time password for a colleague, who gets it by mail or from the service that hears the event. The oldest password profile of the merchant realm must allow it. The response is the same whether or not there is such a colleague.',
  area: 'open',
  signsIn: true,
  ownTransactions: true,
  status: 202,
  refuses: ['unprocessable'],
  shows: { body: null },
  body: {
    type: 'colleague_one_time_password',
    fields: {
      store: storeToEnter,
      username: text({ required: true, min: 1, max: 320, about: 'The username of the colleague.' }),
    },
  },

  async run(ctx, { body: { store, username } }) {
    const inside = await enterStore(ctx, store, 'data.store')
    const realmId = await merchantRealmId(inside)
    const id = await oldestProfile(inside.store, realmId)
    const profile = id && (await inside.store.find(passwordProfiles, id, [realmId]))
    if (!profile)
      throw new Problem('unprocessable', 'The colleagues of this store have no passwords and no codes.')
    await requestOneTimePassword(inside, profile, { username, purpose: 'passwordless_authentication' })
    return { status: 202, body: '' }
  },
})
