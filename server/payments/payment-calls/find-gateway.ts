import { isSeller } from '../../kernel/auth/principal.ts'
import { Problem } from '../../kernel/errors.ts'
import { findByName } from '../../kernel/query/find.ts'
import type { Instance, Work } from '../../kernel/work/context.ts'
import { type PaymentMethod, paymentMethods } from '../../orders/index.ts'
import type { GatewayAccess } from '../gateways/gateway-access.ts'
import { type GatewaySlug, gatewaySlugs } from '../gateways/gateway-kinds.ts'
import { type GatewayRow, gateways } from '../gateways/gateways.ts'
import type { Gateway } from '../rules/gateway.ts'
import { currencyMismatch } from '../stripe/decimal-places.ts'
import { stripeGateway } from '../stripe/stripe-gateway.ts'
import { manualGateway } from './manual-gateway.ts'

type Services = Instance['services']

/** A gateway that payments can use. */
interface Implementation {
  readonly methods: readonly PaymentMethod[]
  /** The merchant moves the money, so that no call leaves the server. */
  readonly isLocal: boolean
  /** The secrets without which it cannot pay. */
  readonly secrets: readonly string[]
  /** Why it cannot take amounts of a currency; undefined if it can. */
  mismatch(currency: string, decimalPlaces: number): string | undefined
  open(access: GatewayAccess, services: Services): Gateway
}

/** How long one request to a gateway may take: banks take seconds to decide about a card. */
const requestMaxMs = 12_000

const stripe: Implementation = {
  methods: paymentMethods,
  isLocal: false,
  mismatch: currencyMismatch,
  secrets: ['login'],
  open: ({ secrets: { login: key = '' }, stripeAccount: account }, { stripe: url = '' }) =>
    stripeGateway({
      key,
      url,
      timeoutMs: requestMaxMs,
      retries: 1,
      ...(account !== undefined && { account }),
    }),
}

const manual: Implementation = {
  methods: manualGateway.methods,
  isLocal: true,
  secrets: [],
  mismatch: () => undefined,
  open: () => manualGateway,
}

/** The gateways that payments can use. The others only keep their settings. */
const implementations: Partial<Record<GatewaySlug, Implementation>> = {
  manual,
  stripe,
  stripe_payment_intents: stripe,
  stripe_connect: stripe,
  elastic_path_payments_stripe: stripe,
}

/** The gateways whose payments are payment intents of Stripe. */
export const stripeGateways = gatewaySlugs.filter((slug) => implementations[slug] === stripe)

/** The gateway of a payment; refuses one that no payment can use. */
function implementationOf(slug: GatewaySlug): Implementation {
  const found = implementations[slug]
  if (found) return found
  const usable = Object.keys(implementations).join(', ')
  const detail = `Payments with ${slug} are not implemented. Use one of these gateways: ${usable}.`
  throw new Problem('unprocessable', detail, { source: 'data.gateway' })
}

/** Whether its payments need no call to another server. */
export const isLocal = (slug: GatewaySlug): boolean => implementationOf(slug).isLocal

/** The gateway, with the access of a store to its service. */
export const openGateway = (access: GatewayAccess, services: Services): Gateway =>
  implementationOf(access.slug).open(access, services)

/** The settings of a store's gateway. */
export const settingsOf = (work: Work, slug: GatewaySlug): Promise<GatewayRow> =>
  findByName(work, gateways, slug)

interface NewPayment {
  readonly gateway: GatewaySlug
  readonly method: PaymentMethod
  readonly currency: string
  readonly decimalPlaces: number
  /** What the order or the cart costs. */
  readonly total: number
}

/**
 * Refuses a new payment with a gateway that is disabled, or that has no such method or currency. `settings` are those
 * of the gateway.
 */
export function mustTakePayment(work: Work, payment: NewPayment, settings: GatewayRow): void {
  const { gateway: slug, method, currency, decimalPlaces, total } = payment
  const gateway = implementationOf(slug)
  const { doc, hidden } = settings
  if (!doc.enabled) {
    const detail = `The gateway ${slug} is disabled. A merchant enables it with PUT /v2/gateways/${slug}.`
    throw new Problem('unprocessable', detail, { source: 'data.gateway' })
  }
  if (gateway.isLocal && !doc.shoppers_may_pay) mustBeSeller(work, slug, total)
  if (!gateway.methods.includes(method)) {
    const detail = `data.method must be one of these with the gateway ${slug}: ${gateway.methods.join(', ')}.`
    throw new Problem('unprocessable', detail, { source: 'data.method' })
  }
  mustHaveSecrets(slug, hidden.secret_names)
  const mismatch = gateway.mismatch(currency, decimalPlaces)
  if (mismatch !== undefined) throw new Problem('unprocessable', mismatch, { source: 'data.gateway' })
}

/**
 * Refuses (403) a shopper whose payment nobody checks: the gateway takes their word for it. An order that costs nothing
 * needs no payment to be checked.
 */
function mustBeSeller(work: Work, slug: GatewaySlug, total: number): void {
  if (isSeller(work.who) || total === 0) return
  const detail = `Shoppers may not pay with the gateway ${slug}: its setting shoppers_may_pay is off. Pay with another gateway, or send a client_credentials token. A merchant changes the setting with PUT /v2/gateways/${slug}.`
  throw new Problem('forbidden', detail, { source: 'data.gateway' })
}

function mustHaveSecrets(slug: GatewaySlug, names: readonly string[] = []): void {
  const missing = implementationOf(slug).secrets.find((name) => !names.includes(name))
  if (missing === undefined) return
  const detail = `The gateway ${slug} cannot pay without ${missing}. A merchant sets it with PUT /v2/gateways/${slug}.`
  throw new Problem('unprocessable', detail, { source: 'data.gateway' })
}

/** Refuses to ask a gateway that has lost the merchant's key. It may be disabled: that concerns new payments only. */
export async function mustBeReachable(work: Work, slug: GatewaySlug): Promise<void> {
  const { hidden } = await settingsOf(work, slug)
  mustHaveSecrets(slug, hidden.secret_names)
}
