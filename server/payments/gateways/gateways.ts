import { isDeepStrictEqual } from 'node:util'
import type { Keys } from '../../kernel/auth/keys.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { choice, field, flag, list, text } from '../../kernel/shape/fields.ts'
import type { Draft, Row } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { renewMember } from '../../kernel/work/sealed-members.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { gatewayKind, gatewaySlugs, requiredBy } from './gateway-kinds.ts'
import { openSecrets, sealSecrets } from './sealed-secrets.ts'

const setting = (about: string) => text({ about })

/** It is among the sealed secrets, and never stored under its name. */
const secret = text({ readOnly: true, about: 'Only in the response to the request that sends it.' })

const fields = {
  slug: choice(gatewaySlugs, {
    required: true,
    immutable: true,
    about: 'The name in addresses and payments.',
  }),
  name: text({ required: true, readOnly: true, about: 'The name of the service.' }),
  enabled: flag({ default: false, about: 'Whether orders can be paid with the gateway.' }),
  test: flag({ about: 'Whether payments use the test environment, where the service has one.' }),
  shoppers_may_pay: flag({
    about:
      'Of the manual gateway: whether shoppers may say that they have paid. Without it, only requests with a client_credentials token may.',
  }),
  environment: choice(['sandbox', 'production'], { about: 'The environment of Braintree.' }),
  login: setting('The login of Authorize.net or CyberSource.'),
  username: setting('The name of the user at Adyen or CardConnect.'),
  merchant_account: setting('The merchant account at Adyen.'),
  merchant_id: setting('The merchant id at Braintree or CardConnect.'),
  public_key: setting('The public API key of Braintree.'),
  stripe_account: setting('The connected Stripe account.'),
  payer_id: setting('The merchant account at PayPal.'),
  ...{ password: secret, private_key: secret, webhook_secret: secret },
  /** The secrets of a request by name; null removes one. */
  new_secrets: field<Readonly<Record<string, string | null>> | undefined>(
    { type: 'object', additionalProperties: { type: ['string', 'null'] } },
    { stored: false },
  ),
  sealed_secrets: text({ hidden: true, readOnly: true }),
  secret_names: list(text({}), { hidden: true, readOnly: true, default: [] }),
}

export type GatewayRow = Row<typeof fields>

/** A service that takes payments, and its settings. Every store has all of them, disabled, from its first day. */
export const gateways = resource({
  type: 'gateway',
  noun: ['gateway', 'gateways'],
  about:
    'A service that takes payments. Every store has all gateways; a merchant configures and enables them.',
  path: '/v2/gateways',
  table: 'gateways',
  key: { field: 'slug' },
  fields,
  operations: ['list', 'get'],
  whole: true,
  counted: false,
  most: { n: gatewaySlugs.length, detail: (n) => `A store has ${n} gateways.` },
  order: { by: 'slug', about: 'in the order of their slugs' },
  area: 'gateways',
  envelope: { times: 'none', digits: 3, fields: 'top', links: 'none', href: 'absolute' },
  meta: {
    fields: { secrets: list(text({}), { about: 'The names of the secrets that are stored.' }) },
    of: ({ hidden }) => ({ secrets: hidden.secret_names ?? [] }),
  },
  beforeWrite: ({ instance }, draft) => {
    storeSecrets(instance.sealKeys, draft)
    mustBeComplete(draft)
  },
})

/** Merges the secrets of the request into the stored ones. */
function storeSecrets(keys: Keys, { values, before }: Draft<typeof fields>): void {
  if (!values.new_secrets) return
  const stored = openSecrets(keys, before?.hidden.sealed_secrets)
  const merged = { ...stored, ...values.new_secrets }
  const secrets = Object.entries(merged).filter((one): one is [string, string] => one[1] !== null)
  // A new seal of the same secrets would be a change of the row.
  if (secrets.length && isDeepStrictEqual(Object.fromEntries(secrets), stored)) return
  values.sealed_secrets = secrets.length ? sealSecrets(keys, Object.fromEntries(secrets)) : undefined
  values.secret_names = secrets.map(([name]) => name)
}

/** An enabled gateway has all that its payments need. */
function mustBeComplete({ values }: Draft<typeof fields>): void {
  if (!values.enabled) return
  const stored = new Set<string>(values.secret_names)
  for (const [name, value] of Object.entries(values)) if (value !== undefined) stored.add(name)
  const missing = requiredBy(values.slug).find((setting) => !stored.has(setting))
  if (missing === undefined) return
  const detail = `data.${missing} is required: ${gatewayKind(values.slug).name} cannot be enabled without it.`
  throw new Problem('invalid_field', detail, { source: `data.${missing}` })
}

/** Gives a new store all gateways. */
export async function addGateways(work: Work): Promise<void> {
  for (const slug of gatewaySlugs) {
    const { name, optional } = gatewayKind(slug)
    const flags = (['test', 'shoppers_may_pay'] as const).filter((flag) => optional.includes(flag))
    await add(work, gateways, [], { slug, name, ...Object.fromEntries(flags.map((flag) => [flag, false])) })
  }
}

export const renewGatewaySecrets = renewMember({
  table: 'gateways',
  member: 'sealed_secrets',
  name: 'slug',
  describe: (slug, storeId) => `the secrets of the gateway ${slug} of the store ${storeId}`,
})
