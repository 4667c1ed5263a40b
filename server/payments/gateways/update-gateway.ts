import { action } from '../../kernel/declare/action.ts'
import { objectAnswer, withData } from '../../kernel/http/object-answer.ts'
import { findByName } from '../../kernel/query/find.ts'
import { type Changes, choice, flag, text } from '../../kernel/shape/fields.ts'
import { change } from '../../kernel/write/by-rules.ts'
import { gatewayKind, gatewaySlugs, requiredBy, secretsOf } from './gateway-kinds.ts'
import { gateways } from './gateways.ts'

/** Longer than any key of these services. */
const textMax = 4096

/** A line break in a key would end in a header of a request to the service. */
const pattern = /^[^\p{Cc}]*$/u

const setting = (about: string, example: string) =>
  text({ nullable: true, max: textMax, pattern, about, example })

/** No error message repeats it. */
const secret = (about: string, example: string) =>
  text({ nullable: true, max: textMax, pattern, about, example, stored: false })

const fields = {
  enabled: flag({ about: 'Whether orders can be paid with the gateway.', example: true }),
  test: flag({ about: 'Whether payments use the test environment, where the service has one.' }),
  shoppers_may_pay: flag({
    about:
      'Of the manual gateway: whether shoppers may say that they have paid. No service checks it, so this is for shops whose storefront does.',
    example: false,
  }),
  environment: choice(['', 'sandbox', 'production'], {
    nullable: true,
    about: 'The environment of Braintree.',
  }),
  login: secret('The secret key of Stripe, or the login of Authorize.net or CyberSource.', 'sk_test_key'),
  username: setting('The name of the user at Adyen or CardConnect.', 'riverside'),
  password: secret(
    'The password at Adyen or CardConnect, the transaction key of Authorize.net, or the SOAP key of CyberSource.',
    'a long random secret',
  ),
  merchant_account: setting('The merchant account at Adyen.', 'RiversideShop'),
  merchant_id: setting('The merchant id at Braintree or CardConnect.', 'riverside'),
  public_key: setting('The public API key of Braintree.', 'a public key'),
  private_key: secret('The private API key of Braintree.', 'a private key'),
  stripe_account: setting('The connected Stripe account.', 'acct_riverside'),
  webhook_secret: secret(
    'The signing secret of the webhook endpoint at Stripe, so that Stripe can tell what has become of payments.',
    'whsec_of_the_endpoint',
  ),
  payer_id: setting('The merchant account at PayPal.', 'riverside'),
}

/** The values of a request by name; null removes one. */
type RequestValues = Readonly<Record<string, string | boolean | null | undefined>>
type SecretChanges = Readonly<Record<string, string | null>>

/** Changes the settings that are sent. The others, and the stored secrets, do not change. */
export const updateGateway = action({
  name: 'update-gateway',
  route: 'PUT /v2/gateways/:id',
  about:
    'Changes the settings that are sent and keeps the others. An empty text keeps the stored value; null removes it. ' +
    'Settings of other gateways are ignored. An enabled gateway needs its settings: ' +
    `${gatewaySlugs
      .filter((slug) => requiredBy(slug).length)
      .map(aboutSettings)
      .join('; ')}. ` +
    'Only the response to the request that sends a secret shows it.',
  area: 'gateways',
  status: 200,
  shows: { resource: gateways },
  refuses: ['precondition_failed'],
  body: { type: 'gateway', typeOptional: true, fields },

  async run(ctx, { params, body, ifMatch }) {
    const { id, doc } = await findByName(ctx, gateways, params.id)
    const { settings, optional } = gatewayKind(doc.slug)
    const secrets = secretsOf(doc.slug)
    const sent = Object.entries(body as RequestValues).filter(
      ([, value]) => value !== undefined && value !== '',
    )
    const newSecrets = Object.fromEntries(sent.filter(([name]) => secrets.includes(name))) as SecretChanges
    const shown = ['enabled', ...settings, ...optional]
    const changes: Changes<typeof gateways.fields> = Object.fromEntries(
      sent.filter(([name]) => shown.includes(name)).map(([name, value]) => [name, value ?? undefined]),
    )
    const hasSecrets = Object.keys(newSecrets).length > 0
    const all = hasSecrets ? { ...changes, new_secrets: newSecrets } : changes
    const answer = objectAnswer(200, gateways, await change(ctx, gateways, [], id, all, ifMatch), ctx)
    // Clients that keep a state of their own compare what they sent with the response.
    const repeated = Object.entries(newSecrets).filter(([, secret]) => secret !== null)
    return repeated.length ? withData(answer, Object.fromEntries(repeated)) : answer
  },
})

function aboutSettings(slug: (typeof gatewaySlugs)[number]): string {
  const words = requiredBy(slug).map((name) => `\`${name}\``)
  return `${slug}: ${words.join(', ')}`
}
