import type { Client } from '../../support/client.ts'
import type { ModuleSamples, SharedSamples } from '../../support/module-samples.ts'

const password = 'eleven horses by the river'

/** What a member signs in with, who has an account. `own`: a username. */
export async function memberCredentials(_client: Client, samples: SharedSamples, own: object = {}) {
  const user = await samples.make(samples.named('user-authentication-info'))
  const account = await samples.make(samples.named('account'))
  const memberships = `${account.path}/account-memberships`
  await samples.make(samples.named('account-membership'), memberships, { account_member_id: user.id })
  const link = samples.named('user-authentication-password-profile-info')
  const links = `${user.path}/user-authentication-password-profile-info`
  const { password_profile_id, username } = (await samples.make(link, links, { password, ...own })).body.data
  const fields = { authentication_mechanism: 'password', password_profile_id, username, password }
  return { data: { type: 'account_management_authentication_token', ...fields } }
}

export const accounts: ModuleSamples = {
  makers: {
    'account-member': async (client, samples, collection) => {
      const { id } = await samples.make(samples.named('user-authentication-info'))
      return (await client.get(`${collection}/${id}`)).body.data
    },
    'account-membership-of-member': async (_client, samples, collection) => {
      const account = await samples.make(samples.named('account'))
      const [, , , account_member_id] = collection.split('/')
      const memberships = `${account.path}/account-memberships`
      const fields = { account_member_id }
      return (await samples.make(samples.named('account-membership'), memberships, fields)).body.data
    },
  },
  // The store's settings say which of its fields must be given.
  needsAllFields: ['account-address'],
  bodies: {
    'create-account-member-tokens': (client, samples) => memberCredentials(client, samples),
  },
  signIns: {
    'account-member': async (client, samples) => {
      const credentials = await memberCredentials(client, samples)
      return (await client.post('/v2/account-members/tokens', credentials)).body.data[0].token
    },
  },
}
