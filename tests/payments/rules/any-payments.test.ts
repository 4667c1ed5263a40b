import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  afterReport,
  type OrderMoney,
  type PaymentMethod,
  paymentMethods,
  paymentOf,
  type Transaction,
} from '../../../server/orders/index.ts'
import {
  mayCancel,
  mayCapture,
  type Refusal,
  startPayment,
  startRefund,
} from '../../../server/payments/rules/requests.ts'
import { tries } from '../../support/long.ts'
import { Purse } from './oracle.ts'

/** A step of a random sequence. `which` chooses among the transactions. */
type Step =
  | {
      readonly is: 'pay'
      readonly method: PaymentMethod
      readonly amount: number | undefined
      readonly isManual: boolean
    }
  | {
      readonly is: 'report'
      readonly which: number
      readonly word: 'paid' | 'authorized' | 'failed' | 'cancelled'
      readonly part: number | undefined
    }
  | { readonly is: 'capture' | 'cancel'; readonly which: number }
  | { readonly is: 'refund'; readonly which: number; readonly amount: number | undefined }
  | { readonly is: 'cancel order' }

const which = fc.nat(5)
const amount = fc.option(fc.integer({ min: -1, max: 30 }), { nil: undefined, freq: 3 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('pay'),
      method: fc.constantFrom(...paymentMethods),
      amount,
      isManual: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('report'),
      which,
      word: fc.constantFrom('paid', 'authorized', 'failed', 'cancelled'),
      part: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined, freq: 8 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constantFrom('capture', 'cancel'), which }) },
  { weight: 3, arbitrary: fc.record({ is: fc.constant('refund'), which, amount }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('cancel order') }) },
) as fc.Arbitrary<Step>

/** The order by the server's rules, and the same order coin by coin. */
class Both {
  order: OrderMoney
  readonly purse: Purse
  readonly refusals: Refusal[] = []

  constructor(total: number) {
    this.order = { total, isCancelled: false, transactions: [] }
    this.purse = new Purse(total)
  }

  #put(at: number, transaction: Transaction): void {
    this.order = { ...this.order, transactions: this.order.transactions.with(at, transaction) }
  }

  take(step: Step): void {
    if (step.is === 'cancel order') this.order = { ...this.order, isCancelled: true }
    else if (step.is === 'pay') this.#pay(step)
    else {
      const { transactions } = this.order
      const at = transactions.length ? step.which % transactions.length : -1
      const transaction = transactions[at]
      if (transaction) this.#change(at, transaction, step)
    }
  }

  #pay({ method, amount, isManual }: Step & { is: 'pay' }): void {
    const owed = this.purse.count('owed')
    const { value, refusal } = startPayment(this.order, {
      gateway: isManual ? 'manual' : 'stripe',
      method,
      amount,
    })
    if (refusal) {
      this.#mustRefusePayment(refusal, method, amount, isManual)
      return
    }
    expect(value.amount).toBe(amount ?? owed)
    const at = this.order.transactions.length
    this.order = { ...this.order, transactions: [...this.order.transactions, value] }
    this.purse.take(at, value.amount, method.startsWith('authorize') ? 'awaited' : 'pending')
  }

  #mustRefusePayment(
    refusal: Refusal,
    method: PaymentMethod,
    amount: number | undefined,
    isManual: boolean,
  ): void {
    this.refusals.push(refusal)
    const owed = this.purse.count('owed')
    const { total, isCancelled, transactions } = this.order
    const isFree = total === 0
    const isOpen = transactions.some(({ status }) => status === 'pending')
    const isWrongAmount = amount !== undefined && (amount < (isFree ? 0 : 1) || amount > owed)
    const isRight = {
      'order-cancelled': isCancelled,
      'order-settled': owed === 0 && ['paid', 'authorized', 'refunded'].includes(this.purse.payment()),
      'balance-pending': owed === 0 && isOpen,
      'zero-total': isFree && (!isManual || method !== 'purchase'),
      'amount-out-of-range': isWrongAmount,
    }[refusal.reason as string]
    expect(isRight, JSON.stringify(refusal)).toBe(true)
  }

  #change(at: number, transaction: Transaction, step: Exclude<Step, { is: 'pay' | 'cancel order' }>): void {
    if (step.is === 'report') this.#report(at, transaction, step)
    else if (step.is === 'refund') this.#refund(at, transaction, step.amount)
    else this.#captureOrCancel(at, transaction, step.is)
  }

  #captureOrCancel(at: number, transaction: Transaction, verb: 'capture' | 'cancel'): void {
    const { refusal } = verb === 'capture' ? mayCapture(this.order, transaction) : mayCancel(transaction)
    if (refusal) this.refusals.push(refusal)
    else if (verb === 'capture') {
      this.#put(at, afterReport(transaction, { is: 'paid' }))
      this.purse.move(at, ['held'], 'received')
    } else {
      this.#put(at, afterReport(transaction, { is: 'cancelled' }))
      this.purse.move(at, ['awaited', 'pending', 'held'], 'owed')
    }
  }

  #report(at: number, transaction: Transaction, { word, part }: Step & { is: 'report' }): void {
    const { purse } = this
    const open = ['awaited', 'pending'] as const
    const isHeld = transaction.type === 'authorize' && transaction.status === 'complete'
    const isOpen = transaction.status === 'pending'
    const received = part !== undefined && part < transaction.amount ? part : transaction.amount
    this.#put(at, afterReport(transaction, word === 'paid' ? { is: word, amount: received } : { is: word }))
    if (word === 'paid' && (isOpen || isHeld)) {
      purse.move(at, [...open, 'held'], 'received', transaction.amount === 0 ? undefined : received)
      if (transaction.amount > 0) purse.move(at, [...open, 'held'], 'owed')
    }
    if (word === 'authorized' && isOpen) purse.move(at, open, 'held')
    if (word === 'failed' && isOpen) purse.move(at, open, 'owed')
    if (word === 'cancelled' && (isOpen || isHeld)) purse.move(at, [...open, 'held'], 'owed')
  }

  #refund(at: number, transaction: Transaction, amount: number | undefined): void {
    const { purse } = this
    const { value, refusal } = startRefund(this.order, transaction, amount)
    if (refusal) {
      this.refusals.push(refusal)
      return
    }
    expect(this.order.isCancelled || purse.payment() === 'paid').toBe(true)
    this.#put(at, afterReport(transaction, { is: 'refunded', amount: value }))
    purse.move(at, ['received'], 'returned', amount)
  }

  mustAgree(): void {
    const { purse, order } = this
    expect(paymentOf(order.total, order.transactions)).toEqual({
      payment: purse.payment(),
      status: purse.status(),
      paid: purse.count('received', 'returned'),
      authorized: purse.count('awaited', 'held'),
      pending: purse.count('pending'),
      balanceOwing: purse.count('owed'),
    })
    order.transactions.forEach(({ refundedAmount, type, status, amount }, at) => {
      expect(refundedAmount).toBe(purse.countOf(at, 'returned'))
      if (status === 'complete') expect(amount).toBe(purse.countOf(at, 'held', 'received', 'returned'))
      if (type === 'refund') expect(refundedAmount).toBe(amount)
    })
  }
}

/** The sequences that a run has had of each state and refusal: a property that meets none of them proves nothing. */
const met = new Map<string, number>()
const meet = (name: string) => met.set(name, (met.get(name) ?? 0) + 1)

test('after any payments, reports, captures, refunds and cancels, every coin is where the server says', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 })),
      fc.array(step, { maxLength: 30 }),
      (total, steps) => {
        const both = new Both(total)
        both.mustAgree()
        for (const one of steps) {
          both.take(one)
          both.mustAgree()
        }
        meet(both.purse.payment())
        for (const { reason } of both.refusals) meet(reason)
      },
    ),
    { numRuns: tries(3000, 100_000) },
  )
  expect([...met.keys()].sort()).toEqual(
    [
      ...['unpaid', 'partially_authorized', 'authorized', 'partially_paid', 'paid', 'refunded'],
      ...['amount-out-of-range', 'balance-pending', 'not-cancellable', 'not-capturable', 'not-refundable'],
      ...['order-cancelled', 'order-not-refundable', 'order-settled', 'zero-total'],
    ].sort(),
  )
}, 600_000)

test('partial refunds of all that was paid return all of it, and then the order is refunded', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 999 }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(cuts, fc.infiniteStream(fc.integer({ min: 1, max: 400 })), (amounts, parts) => {
      const total = amounts.reduce((sum, one) => sum + one, 0)
      let transactions = amounts.map(
        (one): Transaction => ({ type: 'purchase', status: 'complete', amount: one, refundedAmount: 0 }),
      )
      let returned = 0
      for (let at = 0; at < transactions.length; ) {
        expect(paymentOf(total, transactions).payment).toBe('paid')
        const transaction = transactions[at] as Transaction
        const part = Math.min(parts.next().value, transaction.amount - transaction.refundedAmount)
        const { value } = startRefund({ total, isCancelled: false, transactions }, transaction, part)
        transactions = transactions.with(
          at,
          afterReport(transaction, { is: 'refunded', amount: value as number }),
        )
        returned += part
        if (transactions[at]?.type === 'refund') at++
      }
      expect([returned, paymentOf(total, transactions).payment]).toEqual([total, 'refunded'])
    }),
    { numRuns: tries(300, 10_000) },
  )
})
