import { expect, test } from 'vitest'
import type { OrderMoney, Transaction } from '../../../server/orders/index.ts'
import { problemOf } from '../../../server/payments/rules/refusals.ts'
import {
  mayCapture,
  type Refusal,
  startPayment,
  startRefund,
} from '../../../server/payments/rules/requests.ts'

const one = (type: Transaction['type'], status: Transaction['status'], amount: number): Transaction => ({
  ...{ type, status, amount, refundedAmount: type === 'refund' ? amount : 0 },
})
const order = (total: number, ...transactions: Transaction[]): OrderMoney => ({
  ...{ total, transactions, isCancelled: false },
})
const cancelled = (of: OrderMoney): OrderMoney => ({ ...of, isCancelled: true })

const pays = (
  of: OrderMoney,
  amount?: number,
  gateway = 'manual',
  method: 'purchase' | 'authorize' = 'purchase',
) => startPayment(of, { gateway, method, amount })

const paid = one('purchase', 'complete', 100)
const held = one('authorize', 'complete', 100)

const refused: [title: string, refusal: Refusal | undefined, status: number, detail: string][] = [
  [
    'a payment of a cancelled order',
    pays(cancelled(order(100))).refusal,
    422,
    'The order is cancelled; it takes no payments.',
  ],
  [
    'a payment of a paid order',
    pays(order(100, paid)).refusal,
    409,
    'The order has no balance owing; it takes no further payments.',
  ],
  [
    'a payment of an authorized order',
    pays(order(100, held)).refusal,
    409,
    'The order has no balance owing; it takes no further payments.',
  ],
  [
    'a second payment of nothing',
    pays(order(0, one('purchase', 'complete', 0))).refusal,
    409,
    'The order has no balance owing; it takes no further payments.',
  ],
  [
    'a payment beside pending ones',
    pays(order(100, one('purchase', 'pending', 100))).refusal,
    409,
    'Pending transactions cover the balance of the order; confirm or cancel them first.',
  ],
  [
    'a payment of more than is owed',
    pays(order(100, one('purchase', 'complete', 40)), 61).refusal,
    400,
    'data.amount must be from 1 to 60.',
  ],
  ['a payment of nothing', pays(order(100), 0).refusal, 400, 'data.amount must be from 1 to 100.'],
  ['an amount where nothing is to pay', pays(order(0), 1).refusal, 400, 'data.amount must be 0.'],
  [
    'a card for a total of zero',
    pays(order(0), undefined, 'stripe').refusal,
    422,
    'data.gateway must be "manual" where the total of the order is zero.',
  ],
  [
    'an authorization of nothing',
    pays(order(0), undefined, 'manual', 'authorize').refusal,
    422,
    'data.method must be "purchase" where the total of the order is zero.',
  ],
  [
    'a second capture',
    mayCapture(order(100), one('capture', 'complete', 100)).refusal,
    422,
    'Transaction cannot be captured in its current state: only a complete authorization can be.',
  ],
  [
    'a capture for a cancelled order',
    mayCapture(cancelled(order(100, held)), held).refusal,
    422,
    'The order is cancelled; it takes no payments.',
  ],
  [
    'a refund of an authorization',
    startRefund(order(100, held), held, undefined).refusal,
    422,
    'Transaction cannot be refunded in its current state: only a complete purchase or capture can be.',
  ],
  [
    'a refund of a part-paid order',
    startRefund(order(200, paid), paid, 10).refusal,
    422,
    'Transaction cannot be refunded in its current state: its order must be paid or cancelled.',
  ],
  [
    'a refund of more than is left',
    startRefund(order(100, paid), { ...paid, refundedAmount: 70 }, 31).refusal,
    400,
    'data.amount must be from 1 to 30.',
  ],
]

test.each(refused)('%s is refused', (_title, refusal, status, detail) => {
  const problem = problemOf(refusal as Refusal)
  expect([problem.status, problem.detail]).toEqual([status, detail])
})

test('a cancelled order can be refunded, also where it was paid in part', () => {
  expect(startRefund(cancelled(order(200, paid)), paid, undefined)).toEqual({ value: 100 })
})

test('a refund without an amount is for the whole transaction, also after parts', () => {
  const part = { ...paid, refundedAmount: 70 }
  expect(startRefund(order(100, part), part, undefined)).toEqual({ value: 100 })
  expect(startRefund(order(100, part), part, 30)).toEqual({ value: 100 })
})
