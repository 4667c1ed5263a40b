/** What Sutler knows about one payment gateway. */
interface GatewayKind {
  readonly name: string
  /** The settings that responses show, by the names of their fields. */
  readonly settings: readonly string[]
  /** The settings that are sealed, and shown only in the response to the request that sends them. */
  readonly secrets: readonly string[]
  /** The settings that an enabled gateway can do without. */
  readonly optional: readonly string[]
  /** The secrets that an enabled gateway can do without. */
  readonly optionalSecrets?: readonly string[]
}

const stripeKey = {
  ...{ settings: [], secrets: ['login'], optional: [], optionalSecrets: ['webhook_secret'] },
} as const
// The public contract has no key for them: the vendor of the contract has it. Sutler pays with the merchant's own.
const stripeAccount = {
  ...{ settings: ['stripe_account'], secrets: [], optional: ['test'] },
  optionalSecrets: ['login', 'webhook_secret'],
} as const

/** The payment gateways, by slug. */
const kinds = {
  adyen: {
    ...{
      name: 'Adyen',
      settings: ['merchant_account', 'username'],
      secrets: ['password'],
      optional: ['test'],
    },
  },
  authorize_net: { name: 'Authorize.net', settings: ['login'], secrets: ['password'], optional: ['test'] },
  braintree: {
    name: 'Braintree',
    settings: ['merchant_id', 'public_key'],
    secrets: ['private_key'],
    optional: ['environment'],
  },
  card_connect: {
    ...{
      name: 'CardConnect',
      settings: ['merchant_id', 'username'],
      secrets: ['password'],
      optional: ['test'],
    },
  },
  cyber_source: { name: 'CyberSource', settings: ['login'], secrets: ['password'], optional: ['test'] },
  elastic_path_payments_stripe: { name: 'Elastic Path Payments powered by Stripe', ...stripeAccount },
  manual: { name: 'Manual', settings: [], secrets: [], optional: ['shoppers_may_pay'] },
  paypal_express_checkout: {
    ...{ name: 'PayPal Express Checkout', settings: ['payer_id'], secrets: [], optional: ['test'] },
  },
  stripe: { name: 'Stripe', ...stripeKey },
  stripe_connect: { name: 'Stripe Connect', ...stripeAccount },
  stripe_payment_intents: { name: 'Stripe Payment Intents', ...stripeKey },
} as const satisfies Record<string, GatewayKind>

export type GatewaySlug = keyof typeof kinds

export const gatewaySlugs = Object.keys(kinds) as readonly GatewaySlug[]

export const gatewayKind = (slug: GatewaySlug): GatewayKind => kinds[slug]

/** The settings of a gateway that are sealed. */
export const secretsOf = (slug: GatewaySlug): readonly string[] => {
  const { secrets, optionalSecrets = [] } = gatewayKind(slug)
  return [...secrets, ...optionalSecrets]
}

/** What must be stored before the gateway can be enabled. */
export const requiredBy = (slug: GatewaySlug): readonly string[] => [
  ...kinds[slug].settings,
  ...kinds[slug].secrets,
]
