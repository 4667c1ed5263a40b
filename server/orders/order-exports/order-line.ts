import type { OrderRow } from '../order/orders.ts'
import { balanceOf, noPayments } from '../payment-state/payment-of.ts'

const addressParts = [
  'first_name',
  'last_name',
  'company_name',
  'line_1',
  'line_2',
  'city',
  'county',
  'region',
  'postcode',
  'country',
  'phone_number',
  'instructions',
] as const

const amounts = ['with_tax', 'without_tax', 'tax', 'discount', 'shipping', 'shipping_discount'] as const

/** The columns of an export of orders: one line for each order. */
export const columns: readonly string[] = [
  ...['id', 'order_number', 'external_ref', 'status', 'payment', 'shipping', 'created_at', 'updated_at'],
  ...['customer_id', 'customer_name', 'customer_email', 'account_id', 'contact_name', 'contact_email'],
  'currency',
  ...amounts.map((name) => `${name}_amount`),
  ...['paid_amount', 'authorized_amount', 'balance_owing_amount', 'skus'],
  ...addressParts.map((name) => `billing_${name}`),
  ...addressParts.map((name) => `shipping_${name}`),
]

/** The cells of an order. Amounts are in the smallest unit of the currency. */
export function lineOf({ id, createdAt, updatedAt, doc, hidden }: OrderRow): readonly string[] {
  const { customer, contact, billing_address: billing, shipping_address: shipping } = doc
  const { prices, payments = noPayments, currency } = hidden
  if (!prices || !currency) throw new Error('an order has prices')
  return [
    ...[id, doc.order_number, doc.external_ref, doc.status, doc.payment, doc.shipping, createdAt, updatedAt],
    ...[hidden.customer_id, customer?.name, customer?.email],
    ...[hidden.account_id, contact?.name, contact?.email],
    currency.code,
    ...amounts.map((name) => prices[name]),
    ...[payments.paid, payments.authorized, balanceOf(prices.with_tax, payments)],
    hidden.product_skus?.join(','),
    ...addressParts.map((name) => billing?.[name]),
    ...addressParts.map((name) => shipping?.[name]),
  ].map((cell) => String(cell ?? ''))
}
