/** The state machine of payment intents, as Stripe documents it. It has no network and no keys. */

export type Status =
  | 'requires_payment_method'
  | 'requires_confirmation'
  | 'requires_action'
  | 'requires_capture'
  | 'succeeded'
  | 'canceled'

export interface Intent {
  readonly id: string
  readonly object: 'payment_intent'
  status: Status
  amount: number
  amount_received: number
  readonly currency: string
  readonly capture_method: 'automatic' | 'manual'
  readonly client_secret: string
  payment_method: string | null
  readonly metadata: Readonly<Record<string, string>>
  last_payment_error: object | null
  next_action: { readonly type: string } | null
  cancellation_reason: string | null
  refunded: number
  readonly refunds: Refund[]
}

interface Refund {
  readonly id: string
  readonly object: 'refund'
  readonly amount: number
  status: 'succeeded' | 'failed'
  failure_reason?: string
  readonly payment_intent: string
  readonly metadata: Readonly<Record<string, string>>
}

/** A response that is not a success. */
export class Refusal extends Error {
  readonly status: number
  readonly error: Readonly<Record<string, unknown>>

  constructor(status: number, error: Readonly<Record<string, unknown>>) {
    super(String(error.message))
    this.status = status
    this.error = error
  }
}

const invalid = (message: string, code?: string, param?: string) =>
  new Refusal(400, { type: 'invalid_request_error', message, ...(code && { code }), ...(param && { param }) })

const unexpected = ({ status }: Intent, verb: string) =>
  invalid(
    `This PaymentIntent's state does not allow it to be ${verb}: ${status}.`,
    'payment_intent_unexpected_state',
  )

/** The test cards: what becomes of their confirmation. */
const cards: Readonly<Record<string, 'pays' | 'declines' | 'challenges' | 'shows a voucher'>> = {
  pm_card_visa: 'pays',
  pm_card_chargeDeclined: 'declines',
  pm_card_threeDSecure2Required: 'challenges',
  pm_konbini: 'shows a voucher',
  // The token of a card.
  tok_visa: 'pays',
}

type Params = URLSearchParams

let counter = 0
const newId = (prefix: string) => `${prefix}_${++counter}double`

export function createIntent(params: Params): Intent {
  const amount = Number(params.get('amount'))
  if (!Number.isInteger(amount) || amount < 1)
    throw invalid('Invalid integer', 'parameter_invalid_integer', 'amount')
  const currency = params.get('currency') ?? ''
  if (!/^[a-z]{3}$/.test(currency)) throw invalid(`Invalid currency: ${currency}`, undefined, 'currency')
  const keys = [...params.keys()]
  if (
    keys.some((one) => one.startsWith('automatic_')) &&
    keys.some((one) => one.startsWith('payment_method_types'))
  )
    throw invalid('You may only specify one of these: automatic_payment_methods, payment_method_types.')
  const method = params.get('payment_method') ?? params.get('payment_method_data[card][token]')
  if (method !== null && !cards[method])
    throw invalid(`No such PaymentMethod: '${method}'`, 'resource_missing', 'payment_method')
  const id = newId('pi')
  return {
    ...{ id, object: 'payment_intent', amount, amount_received: 0, currency, refunded: 0 },
    status: method === null ? 'requires_payment_method' : 'requires_confirmation',
    capture_method: params.get('capture_method') === 'manual' ? 'manual' : 'automatic',
    client_secret: `${id}_secret_double`,
    payment_method: method,
    metadata: metadataIn(params),
    ...{ last_payment_error: null, next_action: null, cancellation_reason: null, refunds: [] },
  }
}

const metadataIn = (params: Params): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...params].flatMap(([key, value]) => {
      const name = /^metadata\[(\w+)\]$/.exec(key)?.[1]
      return name ? [[name, value]] : []
    }),
  )

function receive(intent: Intent): void {
  if (intent.capture_method === 'manual') intent.status = 'requires_capture'
  else Object.assign(intent, { status: 'succeeded', amount_received: intent.amount })
}

function waitFor(intent: Intent, type: string): void {
  Object.assign(intent, { status: 'requires_action', next_action: { type } })
}

export function confirmIntent(intent: Intent, params: Params): void {
  intent.payment_method = params.get('payment_method') ?? intent.payment_method
  if (!['requires_payment_method', 'requires_confirmation'].includes(intent.status))
    throw unexpected(intent, 'confirmed')
  const effect = cards[intent.payment_method ?? '']
  if (!effect) throw unexpected(intent, 'confirmed')
  if (effect === 'challenges') waitFor(intent, 'use_stripe_sdk')
  else if (effect === 'shows a voucher') waitFor(intent, 'konbini_display_details')
  else if (effect === 'pays') receive(intent)
  else {
    decline(intent, cardError)
    throw new Refusal(402, cardError)
  }
}

const cardError = {
  type: 'card_error',
  code: 'card_declined',
  decline_code: 'generic_decline',
  message: 'Your card was declined.',
}
const authenticationFailure = {
  type: 'invalid_request_error',
  code: 'payment_intent_authentication_failure',
  message: 'The provided PaymentMethod has failed authentication.',
}

/** Another way of paying may be tried. */
function decline(intent: Intent, error: object): void {
  Object.assign(intent, {
    ...{ status: 'requires_payment_method', payment_method: null, last_payment_error: error },
  })
}

/** The bank ends the hold, which nobody has captured in time. */
export function expireHold(intent: Intent): void {
  if (intent.status !== 'requires_capture') throw new Error(`the intent is ${intent.status}`)
  Object.assign(intent, { status: 'canceled', cancellation_reason: 'automatic' })
}

/** Changes the amount of an intent that nobody has paid. */
export function updateIntent(intent: Intent, params: Params): void {
  const isOpen = intent.status.startsWith('requires_') && intent.status !== 'requires_capture'
  if (!isOpen) throw unexpected(intent, 'updated')
  intent.amount = Number(params.get('amount') ?? intent.amount)
}

/** The shopper answers the challenge of their bank. */
export function authenticate(intent: Intent, isRight: boolean): void {
  if (intent.status !== 'requires_action') throw new Error(`the intent is ${intent.status}`)
  intent.next_action = null
  if (isRight) receive(intent)
  else decline(intent, authenticationFailure)
}

export function captureIntent(intent: Intent, params: Params): void {
  if (intent.status !== 'requires_capture') throw unexpected(intent, 'captured')
  const amount = Number(params.get('amount_to_capture') ?? intent.amount)
  if (!(amount >= 1 && amount <= intent.amount))
    throw invalid('Invalid amount_to_capture', 'amount_too_large')
  Object.assign(intent, { status: 'succeeded', amount_received: amount })
}

export function cancelIntent(intent: Intent, params: Params): void {
  if (intent.status === 'succeeded' || intent.status === 'canceled') throw unexpected(intent, 'canceled')
  const reason = params.get('cancellation_reason')
  Object.assign(intent, { status: 'canceled', next_action: null, cancellation_reason: reason })
}

export function refundIntent(intent: Intent | undefined, params: Params, fails = false): object {
  if (intent?.status !== 'succeeded')
    throw invalid('This PaymentIntent does not have a successful charge to refund.')
  const rest = intent.amount_received - intent.refunded
  if (rest === 0) throw invalid('Charge has already been refunded.', 'charge_already_refunded')
  const amount = Number(params.get('amount') ?? rest)
  if (!(amount >= 1 && amount <= rest))
    throw invalid(`Refund amount is greater than unrefunded amount on charge`)
  if (!fails) intent.refunded += amount
  const refund: Refund = {
    ...{ id: newId('re'), object: 'refund', amount, payment_intent: intent.id },
    ...(fails ? { status: 'failed', failure_reason: 'expired_or_canceled_card' } : { status: 'succeeded' }),
    metadata: metadataIn(params),
  }
  intent.refunds.unshift(refund)
  return refund
}

/** A bank returns the last refund. Whether the charge still counts it then, Stripe does not document. */
export function failRefund(intent: Intent, isStillCounted: boolean): Refund {
  const refund = intent.refunds.find(({ status }) => status === 'succeeded')
  if (!refund) throw new Error('the intent has no refund')
  Object.assign(refund, { status: 'failed', failure_reason: 'lost_or_stolen_card' })
  if (!isStillCounted) intent.refunded -= refund.amount
  return refund
}

/** The intent as a response shows it. */
export function shown({ refunded, refunds: _, ...intent }: Intent, isExpanded: boolean): object {
  const { amount_received: captured, status, id } = intent
  const charge = { id: `ch_${id}`, object: 'charge', amount_captured: captured, amount_refunded: refunded }
  const hasCharge = status === 'succeeded' || status === 'requires_capture'
  return { ...intent, latest_charge: hasCharge ? (isExpanded ? charge : charge.id) : null }
}
