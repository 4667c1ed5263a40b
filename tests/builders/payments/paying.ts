import assert from 'node:assert/strict'
import type { Client, Reply } from '../../support/client.ts'
import type { Any } from '../../support/requests.ts'
import { order, wrap } from '../orders/buying.ts'

/** Enables the manual gateway of the store. */
export async function takeManualPayments(admin: Client): Promise<void> {
  const { status } = await admin.put('/v2/gateways/manual', {
    data: { enabled: true, shoppers_may_pay: true },
  })
  assert.equal(status, 200)
}

/** An order with this total. */
export const orderOf = (client: Client, total: number): Promise<Any> =>
  order(client, wrap({ price: { amount: total } }))

export const pay = (client: Client, orderId: string, data: object = {}): Promise<Reply> =>
  client.post(`/v2/orders/${orderId}/payments`, { data: { gateway: 'manual', method: 'purchase', ...data } })

/** Captures, refunds, confirms or cancels a transaction. */
export const act = (client: Client, transaction: Any, verb: string, data?: object): Promise<Reply> => {
  const orderId = transaction.relationships.order.data.id
  const path = `/v2/orders/${orderId}/transactions/${transaction.id}/${verb}`
  return client.post(path, data && { data })
}

/** A payment that succeeds. */
export async function paid(client: Client, orderId: string, data: object = {}): Promise<Any> {
  const { status, body } = await pay(client, orderId, data)
  assert.deepEqual([status, body.errors], [200, undefined])
  return body.data
}

/** The state and the amounts of an order: payment, status, paid, authorized, balance owing. */
export async function moneyOf(admin: Client, orderId: string): Promise<unknown[]> {
  const { data } = (await admin.get(`/v2/orders/${orderId}`)).body
  const { paid, authorized, balance_owing: balance } = data.meta.display_price
  return [data.payment, data.status, paid.amount, authorized.amount, balance.amount]
}
