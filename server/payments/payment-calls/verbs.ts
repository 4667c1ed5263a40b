import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { choice, field, integer, text } from '../../kernel/shape/fields.ts'
import { cancellationReasons } from '../rules/gateway.ts'
import { mayCancel, mayCapture, startRefund } from '../rules/requests.ts'
import { transactions } from '../transactions/transactions.ts'
import { changeTransaction } from './change-transaction.ts'
import { gatewayCall } from './gateway-call.ts'

const options = field<object | undefined>(
  { type: 'object', additionalProperties: true },
  { about: 'Options of the gateway. The manual gateway has none.' },
)
const body = { type: 'transaction', typeOptional: true, optional: true } as const
const shows = { resource: transactions }

/** Asks the gateway how a payment stands. */
export const confirmTransaction = action({
  name: 'confirm-transaction',
  route: 'POST /v2/orders/:order_id/transactions/:id/confirm',
  about:
    'Asks the gateway how a pending payment stands, and records it. Once it is recorded, nothing changes.',
  area: 'payments',
  status: 200,
  queuesBy: 'order_id',
  callsOut: gatewayCall,
  body: { ...body, fields: { options } },
  shows,
  run: (ctx, { params }) =>
    changeTransaction(ctx, params, {
      decide: (_money, value) => ({ value }),
      question: (receipt) => ({ verb: 'read', receipt }),
    }),
})

/** Receives what an authorization holds. */
export const captureTransaction = action({
  name: 'capture-transaction',
  route: 'POST /v2/orders/:order_id/transactions/:id/capture',
  about: 'Receives all that an authorization holds.',
  area: 'transactions',
  status: 200,
  queuesBy: 'order_id',
  callsOut: gatewayCall,
  body: {
    ...body,
    fields: {
      options,
      custom_reference: text({
        max: 255,
        about: 'Replaces the reference of the transaction. An empty text removes it; without one, it stays.',
      }),
    },
  },
  shows,
  run: (ctx, { params, body }) =>
    changeTransaction(ctx, params, {
      decide: mayCapture,
      question: (receipt) => ({ verb: 'capture', receipt }),
      labels: (mechanism) => ({
        capture_mechanism: mechanism,
        ...(body.custom_reference !== undefined && { custom_reference: body.custom_reference || undefined }),
      }),
    }),
})

/** Returns money to the shopper. */
export const refundTransaction = action({
  name: 'refund-transaction',
  route: 'POST /v2/orders/:order_id/transactions/:id/refund',
  about:
    'Refunds a part of a payment. Without an amount, marks all of it as refunded: the merchant has returned the money elsewhere.',
  area: 'transactions',
  status: 200,
  queuesBy: 'order_id',
  callsOut: gatewayCall,
  body: {
    ...body,
    fields: {
      options,
      amount: integer({ about: 'How much to refund, in the smallest unit of the currency.' }),
    },
  },
  shows,
  run: (ctx, { params, body }) =>
    changeTransaction(ctx, params, {
      decide: (money, transaction) => startRefund(money, transaction, body.amount),
      question: (receipt, refundedAmount) => ({ verb: 'refund', receipt, refundedAmount }),
      isElsewhere: body.amount === undefined,
      labels: (mechanism) => ({ refund_mechanism: mechanism }),
    }),
})

const noCancellation = () =>
  new Problem('unprocessable', 'Cancellation is not supported for Manual payment gateway', {
    title: 'Unsupported gateway operation',
  })

/** Gives up a payment that has received nothing. */
export const cancelTransaction = action({
  name: 'cancel-transaction',
  route: 'POST /v2/orders/:order_id/transactions/:id/cancel',
  about: 'Gives up a payment that is pending or authorized. The manual gateway refuses this.',
  area: 'transactions',
  status: 200,
  queuesBy: 'order_id',
  callsOut: gatewayCall,
  body: { ...body, fields: { options, reason: choice(cancellationReasons, { about: 'Why.' }) } },
  shows,
  refuses: ['unprocessable'],
  run: (ctx, { params, body }) =>
    changeTransaction(ctx, params, {
      decide: (_money, transaction, isManual) => {
        // A manual payment happens elsewhere, and so does its cancellation.
        if (isManual) throw noCancellation()
        return mayCancel(transaction)
      },
      question: (receipt) => ({ verb: 'cancel', receipt, reason: body.reason }),
    }),
})
