import { singleton } from '../../kernel/declare/singleton.ts'
import { choice, flag, group, integer, reference, text } from '../../kernel/shape/fields.ts'
import { accountRealmId } from '../identity/store-realms.ts'

const secondsPerDay = 86_400
const self = group({ self: text({ format: 'uri' }) }, {})

/** How account members sign in, and what they can change themselves. */
export const accountAuthenticationSettings = singleton({
  name: 'account-authentication-settings',
  type: 'account_authentication_settings',
  about: 'How account members sign up and sign in, and their realm.',
  path: '/v2/settings/account-authentication',
  area: 'account-authentication-settings',
  operations: ['get', 'update'],
  fields: {
    enable_self_signup: flag({ default: false, about: 'Whether shoppers can sign up themselves.' }),
    auto_create_account_for_account_members: flag({
      default: false,
      about: 'Whether a new member gets an account with the same name.',
    }),
    account_member_self_management: choice(['disabled', 'update_only'], {
      default: 'disabled',
      about: 'Whether signed-in members can change their own name, email address and password.',
    }),
    account_management_authentication_token_timeout_secs: integer({
      default: secondsPerDay,
      min: 1,
      max: 365 * secondsPerDay,
      about: 'The lifetime of a sign-in in seconds.',
    }),
  },
  shows: {
    data: {
      id: reference('store', {}),
      relationships: group(
        {
          authentication_realm: group(
            {
              data: group(
                {
                  id: reference('authentication-realm', {}),
                  type: choice(['authentication_realm'], {}),
                  links: self,
                },
                {},
              ),
            },
            {},
          ),
        },
        {},
      ),
      meta: group({ client_id: text({}) }, {}),
    },
    beside: { links: self },
  },
  show: async (ctx, values) => {
    const realm = await accountRealmId(ctx)
    const self = `${ctx.baseUrl}/v2/authentication-realms/${realm}`
    return {
      data: {
        type: 'account_authentication_settings',
        id: ctx.store.id,
        ...values,
        relationships: {
          authentication_realm: { data: { type: 'authentication_realm', id: realm, links: { self } } },
        },
        meta: { client_id: 'account-management' },
      },
      links: { self: `${ctx.baseUrl}/v2/settings/account-authentication` },
    }
  },
})
