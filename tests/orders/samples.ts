import type { ModuleSamples } from '../support/module-samples.ts'
import { filledCart, guestBody, order } from './buying.ts'

export const orderSamples: ModuleSamples = {
  makers: { order: (client) => order(client) },
  bodies: { checkout: async () => guestBody().data },
  paths: { checkout: async (client) => `${await filledCart(client)}/checkout` },
  // A new order is not paid, so it cannot be fulfilled.
  notInUpdates: ['order.status', 'order.shipping'],
}
