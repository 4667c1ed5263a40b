import { Problem } from '../../kernel/errors.ts'
import type { Values } from '../../kernel/shape/fields.ts'
import { CallUnderWay } from '../../kernel/work/after-call.ts'
import type { Work } from '../../kernel/work/context.ts'
import {
  isPending,
  newTransaction,
  paymentOf,
  portionsOfOrder,
  type Transaction,
  type WholeOrder,
} from '../../orders/index.ts'
import type { GatewayRow } from '../gateways/gateways.ts'
import type { Charge } from '../rules/gateway.ts'
import { afterAnswer, newPayment } from '../rules/gateway-payment.ts'
import { startPayment } from '../rules/requests.ts'
import { isAutomatic } from '../stripe/intent-params.ts'
import { accept } from '../transactions/decide.ts'
import { type LockedOrder, moneyOf } from '../transactions/payments-of-orders.ts'
import { changePaymentsBy, type SettledOrder, settleNew } from '../transactions/settle.ts'
import { receiptOf, type TransactionRow, transactions } from '../transactions/transactions.ts'
import { isLocal, mustTakePayment, settingsOf } from './find-gateway.ts'
import { ask, askLater, type GatewayRequest } from './gateway-call.ts'
import { manualGateway } from './manual-gateway.ts'
import type { paymentFields } from './pay-order.ts'

type Body = Values<typeof paymentFields>

/** A transaction for a new payment, and what its gateway has to be asked; nothing if all is done. */
interface PreparedPayment {
  readonly row: TransactionRow
  readonly request?: GatewayRequest
}

/** Thrown where the pending payments of the order decide about another one: their gateways are asked first. */
export class PendingPayments extends Error {}

/**
 * Checks a payment and stores its transaction, before its gateway is asked. `isPendingRead`: what is pending has been
 * read at its gateway.
 */
export const preparePayment = (
  work: Work,
  orderId: string,
  body: Body,
  isPendingRead: boolean,
): Promise<PreparedPayment> =>
  changePaymentsBy(work, orderId, {
    read: () => Promise.all([settingsOf(work, body.gateway), portionsOfOrder(work, orderId)]),
    deed: (locked, [settings, portions]) =>
      prepare(work, { ...locked, portions }, settings, body, isPendingRead),
  })

async function prepare(
  work: Work,
  locked: LockedOrder,
  settings: GatewayRow,
  body: Body,
  isPendingRead: boolean,
): Promise<SettledOrder<PreparedPayment>> {
  const { gateway, method, amount } = body
  const { charge, key, earlier } = await admit(work, locked.order, settings, body)
  const again = earlier ?? (isForm(body) ? await findForm(work, locked, body) : undefined)
  if (again) return { result: await askAgain(work, again) }
  if (!isPendingRead && dependsOnPending(locked, body)) throw new PendingPayments()
  const started = accept(startPayment(locked.money, { gateway, method, amount }))
  const { paymentmethod_meta: meta } = body
  const labels = {
    gateway,
    ...(meta?.name !== undefined && { name: meta.name }),
    ...(meta?.custom_reference !== undefined && { custom_reference: meta.custom_reference }),
    ...(key !== undefined && { request_key: key }),
    ...(isForm(body) && { is_form: true, form_payment: body.payment }),
  }
  const question = { verb: 'pay', charge: { ...charge, amount: started.amount } } as const
  if (isLocal(gateway)) {
    const paid = afterAnswer(newPayment(started), await ask(manualGateway, question, { key: '' }))
    const { result: row, ...settled } = await settleNew(work, locked, paid, labels)
    return { result: { row }, ...settled }
  }
  const begun = newPayment(started)
  const { result: row, ...settled } = await settleNew(work, locked, begun, labels, isChargedNow(started))
  return { result: { row, request: await askLater(work, row, question) }, ...settled }
}

interface AdmittedPayment {
  readonly charge: Omit<Charge, 'amount'>
  readonly key: string | undefined
  /** The transaction of an earlier request with the key. */
  readonly earlier: TransactionRow | undefined
}

/** Refuses a payment that the gateway does not take, whatever other payments the order has. */
async function admit(
  work: Work,
  order: WholeOrder,
  settings: GatewayRow,
  body: Body,
): Promise<AdmittedPayment> {
  const charge = chargeOf(order, body)
  const key = requestKeyIn(body)
  const earlier = key === undefined ? undefined : await transactionWithKey(work, order.id, key)
  const { total } = moneyOf(order, [])
  if (!earlier) mustTakePayment(work, { ...charge, gateway: body.gateway, total }, settings)
  return { charge, key, earlier }
}

/**
 * Whether the pending payments of the order decide about a payment. One that is refused anyway is not worth any work.
 */
function dependsOnPending({ money }: LockedOrder, body: Body): boolean {
  // A form keeps its intent, whatever was declined in it.
  if (isForm(body) || !money.transactions.some(isPending)) return false
  const { gateway, method, amount } = body
  return !startPayment({ ...money, transactions: [] }, { gateway, method, amount }).refusal
}

/** A setup waits for the shopper, who may not pay at all. */
const isChargedNow = ({ type }: Transaction): boolean => !type.endsWith('-setup')

/** Refuses a list of ways of paying beside a choice that Stripe makes. */
export function mustChooseWays({
  payment_method_types: types,
  options,
}: Pick<Body, 'payment_method_types' | 'options'>): void {
  if (!types || !isAutomatic(options)) return
  const detail =
    'data.payment_method_types and data.options.automatic_payment_methods exclude each other: send one of them.'
  throw new Problem('invalid_field', detail, { source: 'data.payment_method_types' })
}

function chargeOf(order: WholeOrder, body: Body): Omit<Charge, 'amount'> {
  const { method, payment, options, payment_method_types: types } = body
  mustChooseWays(body)
  const { currency } = order.hidden
  return {
    ...{ method, metadata: { order_id: order.id }, payment, options, paymentMethodTypes: types },
    ...{ currency: currency.code, decimalPlaces: currency.decimal_places },
  }
}

const keyMax = 255

/** The key of the client for this payment, which older storefronts send among the options. */
function requestKeyIn({ gateway, options }: Body): string | undefined {
  const key = options?.idempotency_key
  if (key === undefined || key === null || isLocal(gateway)) return undefined
  if (typeof key === 'string' && key.length > 0 && key.length <= keyMax) return key
  const detail = `data.options.idempotency_key must be a text of 1 to ${keyMax} characters.`
  throw new Problem('invalid_field', detail, { source: 'data.options.idempotency_key' })
}

async function transactionWithKey(
  { store }: Work,
  orderId: string,
  key: string,
): Promise<TransactionRow | undefined> {
  const [row] = await store.run(
    `SELECT id FROM order_transactions WHERE store_id = $1 AND order_id = $2 AND hidden->>'request_key' = $3`,
    orderId,
    key,
  )
  return row && store.findWhole(transactions, row[0] as string, [orderId])
}

/** Whether the shopper chooses how to pay in a form in the browser. */
const isForm = ({ gateway, method, payment }: Body): boolean =>
  !isLocal(gateway) && (payment === undefined || method.endsWith('_setup'))

/**
 * The pending transaction of the same form, also of one whose gateway has not answered yet. A shopper who opens the
 * page again goes on with its intent: a second one could be paid beside it. Without an amount, that is the last form
 * for what is owed. A form for another way of paying is another one: the intent would charge the first.
 */
async function findForm(
  { store }: Work,
  { order, money }: LockedOrder,
  { gateway, method, amount, payment }: Body,
): Promise<TransactionRow | undefined> {
  if (money.isCancelled) return undefined
  if (amount === undefined && paymentOf(money.total, money.transactions).balanceOwing > 0) return undefined
  const [row] = await store.run(
    `SELECT id FROM order_transactions
     WHERE store_id = $1 AND order_id = $2 AND doc->>'status' = 'pending'
       AND hidden->>'is_form' = 'true' AND doc->>'gateway' = $3 AND doc->>'transaction_type' = $4
       AND coalesce(doc->>'amount' = $5::text, true) AND hidden->>'form_payment' IS NOT DISTINCT FROM $6::text
     ORDER BY created_at DESC, id DESC LIMIT 1`,
    ...[order.id, gateway, newTransaction(method, 0).type, amount === undefined ? null : String(amount)],
    payment ?? null,
  )
  return row && store.findWhole(transactions, row[0] as string, [order.id])
}

const underWay =
  'An earlier request for the same payment waits for its gateway. Send the request again when it has ended.'

/** How the payment of an earlier request stands: its browser may have lost the response. */
async function askAgain(work: Work, row: TransactionRow): Promise<PreparedPayment> {
  const { reference, status } = row.doc
  if (status !== 'pending') return { row }
  if (reference === undefined) throw new CallUnderWay(underWay)
  const question = { verb: 'read', receipt: receiptOf(row), isForm: row.hidden.is_form === true } as const
  return { row, request: await askLater(work, row, question) }
}
