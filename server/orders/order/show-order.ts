import { amountFields, cartAmounts, displayAmount, displayCart } from '../../carts/index.ts'
import { type Fields, flag, group, text, type Values } from '../../kernel/shape/fields.ts'
import { balanceOf, noPayments } from '../payment-state/payment-of.ts'
import type { OrderRow } from './orders.ts'

const amount = (about: string) => group(amountFields, { required: true, about })

/** The ten totals of an order: those of its cart, and what is paid. */
export const orderDisplayPrice = group(
  {
    ...cartAmounts,
    balance_owing: amount('What is left to pay: neither paid, nor authorized, nor waiting for a gateway.'),
    paid: amount('What payments have collected.'),
    authorized: amount('What payments may still collect, also where a gateway has not confirmed yet.'),
  },
  { about: 'The totals of the order.' },
)

export const orderMeta = {
  display_price: orderDisplayPrice,
  fully_paid_at: text({ format: 'date-time', about: 'When the order was paid. Absent before.' }),
  is_manual: flag({ about: 'Whether a seller created the order without a cart.' }),
} satisfies Fields

export function metaOf(order: OrderRow): Values<typeof orderMeta> {
  const { fully_paid_at, is_manual } = order.hidden
  return { display_price: displayOrder(order), fully_paid_at, is_manual }
}

export function displayOrder({ hidden }: OrderRow) {
  const { prices, currency, payments = noPayments } = hidden
  if (!prices || !currency) throw new Error('an order has prices')
  return {
    ...displayCart({ prices }, currency),
    balance_owing: displayAmount(balanceOf(prices.with_tax, payments), currency),
    paid: displayAmount(payments.paid, currency),
    authorized: displayAmount(payments.authorized, currency),
  }
}
