import { expect, test } from 'vitest'
import type { HistoryEntry } from '../../console/src/api/history-entry.ts'
import { timelineOf } from '../../console/src/screens/orders/timeline.ts'
import { type Contents, linesOf, stepsOf } from '../../console/src/screens/orders/totals.ts'

const order = (amounts: Readonly<Record<string, number>>) => ({
  meta: {
    display_price: Object.fromEntries(
      Object.entries(amounts).map(([name, amount]) => [name, { amount, currency: 'USD' }]),
    ),
  },
})

const mug = {
  ...{ id: 'a', type: 'order_item', name: 'Mug', quantity: 3, value: { amount: 3000 } },
  discounts: [{ id: 'p', code: 'auto_p', amount: { amount: -300 } }],
}
const promotion = { id: 'b', type: 'promotion_item', name: 'Spring', code: 'auto_p', value: { amount: -300 } }
const contents: Contents = { items: [mug, promotion], taxes: [], customDiscounts: [], promotions: [] }

const amountsOf = (some: ReturnType<typeof stepsOf>) =>
  some.map(({ kind, name, amount }) => [kind, name, amount])

test('what a promotion takes off lines counts once, by its name', () => {
  expect(linesOf(contents).map(({ discounts }) => discounts)).toEqual([
    [{ id: 'p', name: 'Spring', amount: -300 }],
  ])
  const total = { without_discount: 3500, shipping: 500, discount: -300, with_tax: 3200, tax: 0 }
  expect(amountsOf(stepsOf(order(total), contents))).toEqual([
    ['lines', '', 3000],
    ['shipping', '', 500],
    ['discount', 'Spring', -300],
    ['total', '', 3200],
  ])
})

test('a tax is added or in the prices, and what nothing explains is said to be so', () => {
  const before = { without_discount: 3000, discount: -400, shipping: 0 }
  const last = (more: Readonly<Record<string, number>>) =>
    amountsOf(stepsOf(order({ ...before, ...more }), contents)).slice(2, -1)
  const other = ['otherDiscounts', '', -100]
  expect(last({ with_tax: 3120, tax: 520 })).toEqual([other, ['tax', '', 520]])
  expect(last({ with_tax: 2600, tax: 433 })).toEqual([other, ['includedTax', '', 433]])
  expect(last({ with_tax: 2700, tax: 433 })).toEqual([other, ['outerTax', '', 100]])
  expect(last({ with_tax: 2500, tax: 0 })).toEqual([other, ['other', '', -100]])
})

test('what one request did to an order and its payments is one step of the timeline', () => {
  const author = { id: 'ada', name: 'Ada', email: undefined, kind: 'colleague-token' }
  const entry = (position: number, more: Partial<HistoryEntry>): HistoryEntry => ({
    ...{ position, requestId: 'r', event: 'updated', type: 'order', at: '2026-01-02T03:04:05Z' },
    ...{ author, changes: [], after: undefined },
    ...more,
  })
  const steps = timelineOf([
    entry(4, { event: 'order.refunded' }),
    entry(3, { changes: [{ path: 'payment', before: 'paid', after: 'refunded' }] }),
    entry(2, {
      type: 'transaction',
      after: { currency: 'USD', amount: 900, transaction_type: 'refund', status: 'complete' },
      changes: [{ path: 'refunded_amount', before: 200, after: 900 }],
    }),
    entry(1, { requestId: 'q', event: 'created' }),
  ])
  expect(steps.map(({ said }) => said)).toEqual([
    [{ what: 'refunded', amount: { amount: 700, currency: 'USD' } }],
    [{ what: 'placed' }],
  ])
})
