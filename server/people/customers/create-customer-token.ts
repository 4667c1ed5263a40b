import { unauthorized } from '../../kernel/auth/tokens.ts'
import { checker } from '../../kernel/body/checker.ts'
import { action } from '../../kernel/declare/action.ts'
import { json } from '../../kernel/shape/answer.ts'
import { choice, text } from '../../kernel/shape/fields.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { customerRealmId } from '../identity/store-realms.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import { redeemSignInCode } from '../oidc/sign-in-code.ts'
import { findCustomerWithPassword } from './customer-passwords.ts'
import { issueCustomerToken, type SignedInCustomer } from './customer-token.ts'
import { customers } from './customers.ts'

const customerToken = {
  type: 'object',
  required: ['type', 'id', 'customer_id', 'token', 'expires'],
  properties: {
    type: { const: 'token' },
    id: { type: 'string', format: 'uuid' },
    customer_id: { type: 'string', format: 'uuid' },
    token: { type: 'string', description: 'The token for the header X-Moltin-Customer-Token.' },
    expires: { type: 'integer', description: 'When the token expires, in seconds since the Unix epoch.' },
  },
}

const codeRequired = {
  required: ['oauth_authorization_code', 'oauth_redirect_uri', 'oauth_code_verifier'],
}
const credentialsRequired = { required: ['email', 'password'] }

/** Signs a customer in. Clients send the token in addition to their access token. */
export const createCustomerToken = action({
  name: 'create-customer-token',
  route: 'POST /v2/customers/tokens',
  about: 'Signs a customer in. The response has a token, valid for 24 hours, that identifies the customer.',
  area: 'customer-tokens',
  signsIn: true,
  ownTransactions: true,
  status: 200,
  shows: { data: customerToken },
  refuses: ['rate_limited'],
  body: {
    type: 'token',
    fields: {
      authentication_mechanism: choice(['password', 'oidc'], {
        default: 'password',
        about: 'How the customer signs in.',
      }),
      email: text({ max: 320, about: 'For `password`.', example: 'ada.marsh@example.com' }),
      password: text({
        stored: false,
        max: 1024,
        about: 'For `password`.',
        example: 'eleven horses by the river',
      }),
      oauth_authorization_code: text({ stored: false, max: 4096, about: 'For `oidc`.' }),
      oauth_redirect_uri: text({ max: 2048, about: 'For `oidc`.' }),
      oauth_code_verifier: text({ stored: false, max: 1024, about: 'For `oidc`.' }),
    },
    rules: {
      if: {
        required: ['authentication_mechanism'],
        properties: { authentication_mechanism: { const: 'oidc' } },
      },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: codeRequired,
      else: credentialsRequired,
    },
  },

  async run(ctx, { body }) {
    const customer = await (body.authentication_mechanism === 'oidc' ? signInWithCode : signInWithPassword)(
      ctx,
      body,
    )
    const { id, token, expires } = await issueCustomerToken(ctx, customer)
    return json(200, { data: { type: 'token', id, customer_id: customer.id, token, expires } })
  },
})

type SignInBody = Readonly<Record<string, string | undefined>>

const mustHaveCode = checker({ type: 'object', ...codeRequired }, 'data')

async function signInWithCode(ctx: Ctx, body: SignInBody): Promise<SignedInCustomer> {
  mustHaveCode(body)
  const realmId = await customerRealmId(ctx)
  const { userId, tokenEpoch } = await redeemSignInCode(ctx, realmId, {
    code: body.oauth_authorization_code ?? '',
    redirectUri: body.oauth_redirect_uri ?? '',
    codeVerifier: body.oauth_code_verifier ?? '',
  })
  return { ...(await findOrAddCustomer(ctx, realmId, userId)), tokenEpoch }
}

async function signInWithPassword(ctx: Ctx, body: SignInBody): Promise<SignedInCustomer> {
  mustHaveCredentials(body)
  const { email = '', password = '' } = body
  const customer = await findCustomerWithPassword(ctx, email, password)
  if (!customer) throw unauthorized('The email address or the password is not valid.')
  return customer
}

const mustHaveCredentials = checker({ type: 'object', ...credentialsRequired }, 'data')

type Customer = Omit<SignedInCustomer, 'tokenEpoch'>

/**
 * Finds the customer of a user of the customer realm: the one with the same id, which the first sign-in creates. If
 * another customer has the email address, that is a conflict (409), because anyone could claim an address. A customer
 * who only claims the address loses it, if the provider has verified that it is this user's.
 */
async function findOrAddCustomer(ctx: Ctx, realmId: string, userId: string): Promise<Customer> {
  const customer = await ctx.store.findWhole(customers, userId)
  if (customer) return toCustomer(customer)
  return ctx.actingAs(userId).transaction(async (ctx) => {
    // Of two concurrent first sign-ins, the second finds the customer that the first has created.
    await ctx.store.advisoryLock(userId)
    const existing = await ctx.store.findWhole(customers, userId)
    if (existing) return toCustomer(existing)
    const user = await ctx.store.findWhole(userAuthenticationInfos, userId, [realmId])
    if (!user) throw unauthorized('The user has been deleted.')
    const { name, email } = user.doc
    const email_claimed = user.hidden.email_claimed
    const emailFlags = { email_claimed, email_verified: !email_claimed }
    return toCustomer(await add(ctx, customers, [], { name, email, ...emailFlags }, userId))
  })
}

const toCustomer = ({ id, doc, hidden }: Row<typeof customers.fields>): Customer => ({
  id,
  name: doc.name,
  passwordEpoch: hidden.password_epoch,
})
