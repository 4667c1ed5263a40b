import { amountFields, displayAmount } from '../../carts/index.ts'
import { isSeller } from '../../kernel/auth/principal.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { choice, field, flag, group, integer, list, text } from '../../kernel/shape/fields.ts'
import type { Row, Whole } from '../../kernel/shape/model.ts'
import { linkTo, readOnly, relationshipTo, shown } from '../../kernel/shape/shown.ts'
import { orders, transactionStatuses, transactionTypes } from '../../orders/index.ts'
import type { Notation } from '../../store/index.ts'
import { gatewaySlugs } from '../gateways/gateway-kinds.ts'
import type { Excess } from '../rules/excess.ts'
import type { Outcome, Receipt } from '../rules/gateway.ts'
import type { Reason } from '../rules/reason.ts'
import { concerns } from './concerns.ts'
import { nextActionsOf, verbs } from './next-actions.ts'

const amount = (about: string) => group(amountFields, { required: true, about })
const mechanisms = ['manual', 'automatic'] as const

const reasonFields = {
  code: text({ required: true, about: 'What the gateway calls the reason.', example: 'card_declined' }),
  reason: text({ required: true, about: 'The reason in words.', example: 'Your card was declined.' }),
}

const fields = {
  reference: text({
    about: 'What the gateway calls the payment. Absent until the gateway knows it.',
    example: 'manual',
  }),
  name: text({ max: 255, personal: true, about: 'The name of the way of paying.', example: 'Gift card' }),
  custom_reference: text({
    max: 255,
    personal: true,
    about: 'A reference of your own, such as the number of a gift card.',
  }),
  gateway: choice(gatewaySlugs, { required: true, about: 'The gateway of the payment.' }),
  amount: integer({ required: true, min: 0, about: 'The amount in the smallest unit of the currency.' }),
  refunded_amount: integer({ default: 0, min: 0, about: 'How much of it is refunded.' }),
  failed_refund_amount: integer({
    min: 0,
    about:
      'How much was to be refunded and came back to the merchant, as a bank did not take it, sometimes days later. It is not in `refunded_amount`. Absent if no refund has failed.',
  }),
  currency: text({ required: true, about: 'The code of the currency.', example: 'USD' }),
  transaction_type: choice(transactionTypes, { required: true, about: 'What the payment did last.' }),
  'transaction-type': choice(transactionTypes, { required: true, about: 'The same, for older clients.' }),
  status: choice(transactionStatuses, { required: true, about: 'What has become of it.' }),
  capture_mechanism: choice(mechanisms, {
    about: 'Whether the gateway captured it, or the merchant elsewhere.',
  }),
  refund_mechanism: choice(mechanisms, {
    about: 'Whether the gateway refunded it, or the merchant elsewhere.',
  }),
  failure_details: group(reasonFields, { about: 'Why the payment has failed.' }),
  payment_details: group(
    {
      detailed_status: text({
        about:
          'How the payment stands, in a word of the gateway. For Stripe: the status of the payment intent.',
        example: 'requires_action',
      }),
    },
    { about: 'What only the gateway of the payment says. The manual gateway has none.' },
  ),
  /** The key that the client has sent to the gateway with the payment. */
  request_key: text({ hidden: true, readOnly: true, personal: true }),
  /** What the gateway says about the merchant's settings. */
  merchant_failure: field<Reason | undefined>({ type: 'object' }, { hidden: true, readOnly: true }),
  /** The way of paying that the request for the form has named. */
  form_payment: text({ hidden: true, readOnly: true, personal: true }),
  /** Whether the shopper pays it in a form in the browser, with any card. */
  is_form: flag({ hidden: true, readOnly: true }),
  /** What it was before all of it was refunded. */
  received_as: choice(['purchase', 'capture'], { hidden: true, readOnly: true }),
  /** Why the merchant has to look at it. */
  concern: choice(concerns, { hidden: true, readOnly: true }),
  excess: field<Excess | undefined>({ type: 'object' }, { hidden: true, readOnly: true }),
  notation: field<Notation | undefined>({ type: 'object' }, { hidden: true, readOnly: true }),
}

/** What a payment or a confirm also answers, while it waits for the shopper. It is not stored, since it has secrets. */
const forBrowsers = {
  client_parameters: group(
    {
      token: text({ about: 'What the gateway calls the payment.' }),
      secret: text({ about: 'With it, the browser of the shopper goes on with the payment.' }),
    },
    { readOnly: true, about: 'What the browser needs. Only in responses to payments and confirms.' },
  ),
  payment_intent: group(
    {
      id: text({ required: true, about: 'What Stripe calls the payment.' }),
      client_secret: text({ required: true, about: 'As `client_parameters.secret`.' }),
      status: text({ required: true, about: 'The status at Stripe.', example: 'requires_action' }),
    },
    { readOnly: true, about: 'The payment intent of Stripe. Only in responses to payments and confirms.' },
  ),
} as const

export type TransactionFields = typeof fields
export type TransactionRow = Row<TransactionFields>
/** A transaction that was read to be changed. */
export type WholeTransaction = Whole<TransactionFields, unknown>

/** The payment of a transaction, as its gateway needs it. */
export const receiptOf = ({ doc }: Pick<TransactionRow, 'doc'>): Receipt => ({
  ...{ reference: doc.reference ?? '', amount: doc.amount, refundedAmount: doc.refunded_amount },
})

/** What one payment of an order has come to: see docs/payments.md. */
export const transactions = resource({
  type: 'transaction',
  noun: ['transaction', 'transactions'],
  about: 'What a payment of an order has come to. Its capture and its refunds change it.',
  path: '/v2/orders/:order_id/transactions',
  parent: () => orders,
  table: 'order_transactions',
  fields,
  operations: ['list', 'get'],
  order: 'created_at',
  whole: true,
  counted: false,
  most: { n: 1000, detail: (n) => `An order can have at most ${n} transactions.` },
  area: 'orders',
  visible: 'all',
  constraints: {
    order_transactions_reference_key: {
      code: 'conflict',
      detail: 'Another transaction has this payment of the gateway.',
    },
  },
  envelope: { times: 'meta.timestamps', digits: 0, fields: 'top', links: 'none', href: 'absolute' },
  meta: {
    fields: {
      display_price: amount('The amount in the format of its currency.'),
      display_refunded_amount: group(
        { total: amount('How much is refunded.') },
        { required: true, about: 'What is refunded.' },
      ),
    },
    of: ({ doc, hidden }) => {
      const { notation } = hidden
      if (!notation) throw new Error('a transaction has the notation of its currency')
      const refunded = displayAmount(doc.refunded_amount, notation)
      return {
        display_price: displayAmount(doc.amount, notation),
        display_refunded_amount: { total: refunded },
      }
    },
  },
  also: {
    fields: {
      relationships: readOnly(shown.group({ order: relationshipTo(linkTo('order')) }), {
        about: 'The order that it pays.',
      }),
      next_actions: list(choice(verbs, {}), {
        required: true,
        readOnly: true,
        maxItems: verbs.length,
        about:
          'What can be done with the transaction next. A capture needs an order that is not cancelled, and a refund one that is paid or cancelled.',
      }),
      gateway_failure: group(reasonFields, {
        readOnly: true,
        about:
          'What the gateway said where the payment has failed by the settings of the merchant. Only in responses to client_credentials tokens.',
      }),
      ...forBrowsers,
    },
    of: ({ scope: [id = ''], doc, hidden }, ctx) => ({
      next_actions: nextActionsOf(doc),
      relationships: { order: { data: { type: 'order', id } } },
      gateway_failure: isSeller(ctx.who) ? hidden.merchant_failure : undefined,
      ...{ client_parameters: undefined, payment_intent: undefined },
    }),
  },
})

/** What the browser of the shopper needs, as members of the transaction. */
export const membersForBrowser = ({ token, secret, status }: NonNullable<Outcome['browser']>) => ({
  client_parameters: { token, secret },
  payment_intent: { id: token, client_secret: secret, status },
})
