import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  afterReport,
  afterReports,
  type Report,
  type Transaction,
  transactionStatuses,
  transactionTypes,
} from '../../../server/orders/index.ts'
import { read } from '../../support/source-files.ts'

/** The rows of the table of docs/payments.md, by type, status and report. */
const documented = new Map(
  [...read('docs/payments.md').matchAll(/^\| (\S+ (?:pending|complete)) \| (\w+) \| (\S+ \w+) \|$/gm)].map(
    ([, from, word, to]) => [`${from} ${word}`, to],
  ),
)

const words = ['paid', 'authorized', 'failed', 'cancelled', 'refunded'] as const
const every = transactionTypes.flatMap((type) =>
  transactionStatuses.flatMap((status) => words.map((word) => ({ type, status, word }))),
)

test('the documentation has all rows', () => {
  expect(documented.size).toBe(21)
})

test.each(every)('a report "$word" makes of $type $status what the documentation says', (one) => {
  const { type, status, word } = one
  const transaction: Transaction = { type, status, amount: 400, refundedAmount: 0 }
  const report: Report = word === 'refunded' ? { is: word, amount: 400 } : { is: word }
  const after = afterReport(transaction, report)
  const to = documented.get(`${type} ${status} ${word}`)
  if (to === undefined) expect(after).toBe(transaction)
  else {
    const [newType, newStatus] = to.split(' ')
    const refundedAmount = word === 'refunded' ? 400 : 0
    expect(after).toMatchObject({ type: newType, status: newStatus, amount: 400, refundedAmount })
  }
})

test('a refund of a part changes only the refunded amount, and a late report of less changes nothing', () => {
  const paid: Transaction = { type: 'purchase', status: 'complete', amount: 400, refundedAmount: 0 }
  const part = afterReport(paid, { is: 'refunded', amount: 150 })
  expect(part).toEqual({ ...paid, refundedAmount: 150 })
  expect(afterReport(part, { is: 'refunded', amount: 150 })).toBe(part)
  expect(afterReport(part, { is: 'refunded', amount: 100 })).toBe(part)
  expect(afterReport(part, { is: 'refunded', amount: 400 })).toEqual({
    ...paid,
    ...{ type: 'refund', refundedAmount: 400, receivedAs: 'purchase' },
  })
})

test('what is refunded after refunds have failed is the same in each order of the reports', () => {
  const captured: Transaction = { type: 'capture', status: 'complete', amount: 400, refundedAmount: 0 }
  // 300 and 100 are refunded, the 300 come back, 50 are refunded, and 100 come back.
  const reports: Report[] = [
    { is: 'refunded', amount: 300 },
    { is: 'refunded', amount: 400 },
    { is: 'refunded', amount: 100, failed: 300 },
    { is: 'refunded', amount: 150, failed: 300 },
    { is: 'refunded', amount: 50, failed: 400 },
  ]
  const inOrder = reports.map((_, i) => afterReports(captured, reports.slice(0, i + 1)))
  expect(inOrder.map(({ type, refundedAmount }) => [type, refundedAmount])).toEqual([
    ...[
      ['capture', 300],
      ['refund', 400],
      ['capture', 100],
      ['capture', 150],
      ['capture', 50],
    ],
  ])
  fc.assert(
    fc.property(fc.shuffledSubarray(reports, { minLength: reports.length }), (shuffled) => {
      const { type, refundedAmount } = afterReports(captured, [...shuffled, ...shuffled])
      expect([type, refundedAmount]).toEqual(['capture', 50])
    }),
  )
})

test('the amount of a payment is what was received, and never more than was requested', () => {
  const held: Transaction = { type: 'authorize', status: 'complete', amount: 400, refundedAmount: 0 }
  expect(afterReport(held, { is: 'paid', amount: 250 }).amount).toBe(250)
  expect(afterReport(held, { is: 'paid', amount: 500 }).amount).toBe(400)
})
