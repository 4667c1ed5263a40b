import { customerRealmId } from '../identity/index.ts'
import { unauthorized } from '../kernel/auth/tokens.ts'
import { action } from '../kernel/declare/action.ts'
import { json } from '../kernel/http/answer.ts'
import { choice, text } from '../kernel/shape/fields.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { checker } from '../kernel/write/checker.ts'
import { redeemSignInCode } from '../oidc/index.ts'
import { customerOfUser } from './customer-of-user.ts'
import { type Identified, issueCustomerToken } from './customer-token.ts'
import { customerWithPassword } from './customer-with-password.ts'

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

/** Signs a customer in. The token goes beside the bearer token of whoever called. */
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
  },

  async run(ctx, { body }) {
    const customer = await (body.authentication_mechanism === 'oidc' ? withCode : withPassword)(ctx, body)
    const { id, token, expires } = await issueCustomerToken(ctx, customer)
    return json(200, { data: { type: 'token', id, customer_id: customer.id, token, expires } })
  },
})

type Body = Readonly<Record<string, string | undefined>>

const mustHaveCode = checker(
  {
    type: 'object',
    required: ['oauth_authorization_code', 'oauth_redirect_uri', 'oauth_code_verifier'],
  },
  'data',
)

async function withCode(ctx: Ctx, body: Body): Promise<Identified> {
  mustHaveCode(body)
  const realmId = await customerRealmId(ctx)
  const { userId, tokenEpoch } = await redeemSignInCode(ctx, realmId, {
    code: body.oauth_authorization_code ?? '',
    redirectUri: body.oauth_redirect_uri ?? '',
    codeVerifier: body.oauth_code_verifier ?? '',
  })
  return { ...(await customerOfUser(ctx, realmId, userId)), tokenEpoch }
}

async function withPassword(ctx: Ctx, body: Body): Promise<Identified> {
  mustHaveCredentials(body)
  const { email = '', password = '' } = body
  const customer = await customerWithPassword(ctx, email, password)
  if (!customer) throw unauthorized('The email address or the password is not valid.')
  return customer
}

const mustHaveCredentials = checker({ type: 'object', required: ['email', 'password'] }, 'data')
