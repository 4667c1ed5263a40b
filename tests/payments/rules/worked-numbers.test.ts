import { expect, test } from 'vitest'
import {
  afterReport,
  newTransaction,
  paymentOf,
  type Report,
  type Transaction,
} from '../../../server/orders/index.ts'
import { read } from '../../support/source-files.ts'

/** The numbers of docs/payments.md, read from its tables. */

const text = read('docs/payments.md')
const rowsAfter = (heading: string): string[][] => {
  const table = text.slice(text.indexOf(heading)).split('\n\n')[1] ?? ''
  const rows = table.split('\n').map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  return rows.slice(2)
}

/** `purchase complete 400, …` as transactions. */
const transactionsIn = (cell: string): Transaction[] =>
  cell.split(', ').map((one) => {
    const [type, status, amount] = one.split(' ') as [Transaction['type'], Transaction['status'], string]
    return { type, status, amount: Number(amount), refundedAmount: type === 'refund' ? Number(amount) : 0 }
  })

test('the amounts of an order follow from its transactions', () => {
  const rows = rowsAfter('could complete two\nof them.')
  expect(rows).toHaveLength(5)
  for (const [total, transactions = '', ...amounts] of rows) {
    const { paid, authorized, pending, balanceOwing } = paymentOf(Number(total), transactionsIn(transactions))
    expect([paid, authorized, pending, balanceOwing], transactions).toEqual(amounts.map(Number))
  }
})

interface Event {
  readonly at: number
  readonly report: Report
  readonly starts?: Transaction
}

const paid: Report = { is: 'paid' }
const pay = (at: number, method: 'purchase' | 'authorize', amount: number): Event => ({
  ...{ at, starts: newTransaction(method, amount) },
  report: method === 'purchase' ? paid : { is: 'authorized' },
})

function mustGo(heading: string, total: number, events: readonly (readonly Event[])[]): void {
  const rows = rowsAfter(heading)
  expect(rows).toHaveLength(events.length)
  const transactions: Transaction[] = []
  rows.forEach(([name = '', ...expected], i) => {
    for (const { at, report, starts } of events[i] ?? []) {
      transactions[at] = afterReport(starts ?? (transactions[at] as Transaction), report)
    }
    const { payment, status, paid, authorized, balanceOwing } = paymentOf(total, transactions)
    expect([payment, status, `${paid}`, `${authorized}`, `${balanceOwing}`], name).toEqual(expected)
  })
}

test('an order that is paid with two cards, and refunded', () => {
  mustGo('authorization, refunds 1000 of the second transaction', 10_000, [
    [pay(0, 'authorize', 4000)],
    [pay(1, 'purchase', 6000)],
    [{ at: 0, report: paid }],
    [{ at: 1, report: { is: 'refunded', amount: 1000 } }],
    [{ at: 0, report: { is: 'refunded', amount: 4000 } }],
    [{ at: 1, report: { is: 'refunded', amount: 6000 } }],
  ])
})

test('an order that is authorized and captured in two parts', () => {
  mustGo('The total is 7763', 7763, [
    [pay(0, 'authorize', 3000)],
    [{ at: 0, report: paid }],
    [pay(1, 'authorize', 4763)],
    [{ at: 1, report: paid }],
  ])
})
