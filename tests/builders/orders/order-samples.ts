import type { Client } from '../../support/client.ts'
import type { ModuleSamples } from '../../support/module-samples.ts'
import { address, filledCart, guest, guestBody, order } from './buying.ts'

async function groupPath(client: Client): Promise<string> {
  const groups = `/v2/orders/${(await order(client)).id}/shipping-groups`
  return `${groups}/${(await client.post(groups, { data: { type: 'shipping_group' } })).body.data.id}`
}

async function cancelledOrder(client: Client): Promise<string> {
  const { id } = await order(client)
  await client.put(`/v2/orders/${id}`, { data: { type: 'order', status: 'cancelled' } })
  return id
}

export const orderSamples: ModuleSamples = {
  completions: {
    'add-cart-items.order_items': async (client) => ({ order_id: (await order(client)).id }),
    // Orders are created without a cart, which is simpler.
    order: async () => ({
      ...{ customer: guest, billing_address: address },
      meta: { display_price: { with_tax: { amount: 100_000 } } },
    }),
  },
  bodies: {
    checkout: async () => guestBody(),
    'anonymize-orders': async (client) => ({ data: { order_ids: [await cancelledOrder(client)] } }),
  },
  paths: {
    checkout: async (client) => `${await filledCart(client)}/checkout`,
    'get-order-shipping-group': groupPath,
    'update-order-shipping-group': groupPath,
  },
  // A new order is not paid, so it cannot be fulfilled.
  notInUpdates: ['order.status', 'order.shipping'],
}
