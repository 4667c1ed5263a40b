import type { Client } from '../../support/client.ts'
import type { ModuleSamples } from '../../support/module-samples.ts'
import { order } from '../orders/buying.ts'
import { paid, takeManualPayments } from './paying.ts'

/** The path of a transaction. */
async function transactionPath(client: Client, method = 'purchase'): Promise<string> {
  await takeManualPayments(client)
  const { id } = await order(client)
  return `/v2/orders/${id}/transactions/${(await paid(client, id, { method })).id}`
}

export const transactionSamples: ModuleSamples = {
  makers: {
    transaction: async (client, _samples, collection) => {
      await takeManualPayments(client)
      const orderId = collection.split('/')[3] ?? ''
      return paid(client, orderId, { amount: 1 })
    },
  },
  bodies: {
    'pay-order': async () => ({ data: { gateway: 'manual', method: 'purchase' } }),
    'refund-transaction': async () => ({ data: { amount: 1 } }),
  },
  paths: {
    'pay-order': async (client) => {
      await takeManualPayments(client)
      return `/v2/orders/${(await order(client)).id}/payments`
    },
    'confirm-transaction': async (client) => `${await transactionPath(client)}/confirm`,
    'capture-transaction': async (client) => `${await transactionPath(client, 'authorize')}/capture`,
    'refund-transaction': async (client) => `${await transactionPath(client)}/refund`,
    'cancel-transaction': async (client) => `${await transactionPath(client, 'authorize')}/cancel`,
  },
}
