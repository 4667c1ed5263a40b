import type { Client } from '../../support/client.ts'
import type { ModuleSamples, SharedSamples } from '../../support/module-samples.ts'

const linkTo = (type: string) => async (_client: Client, samples: SharedSamples) => ({
  data: [{ type, id: (await samples.make(samples.named(type))).id }],
})

export const cartSamples: ModuleSamples = {
  completions: {
    // A payment sets the payment intent, and a snapshot is in the future.
    cart: async () => ({ payment_intent_id: '', snapshot_date: '2099-12-24T18:00:00Z' }),
  },
  bodies: {
    'associate-cart-with-account': linkTo('account'),
    'associate-cart-with-customer': linkTo('customer'),
  },
  notInUpdates: ['cart.payment_intent_id', 'cart.snapshot_date'],
}

/** The path of a new cart, which takes either custom discounts or rule promotions. */
export async function cartPath(client: Client, takesPromotions = false): Promise<string> {
  const settings = { custom_discounts_enabled: !takesPromotions, use_rule_promotions: takesPromotions }
  const { body } = await client.post('/v2/carts', { data: { name: 'Sample', discount_settings: settings } })
  return `/v2/carts/${body.data.id}`
}

/** The path of an item in a new cart. */
export async function itemPath(client: Client, _samples?: unknown, takesPromotions = false): Promise<string> {
  const items = `${await cartPath(client, takesPromotions)}/items`
  const item = { type: 'custom_item', name: 'Wrap', quantity: 1, price: { amount: 100 } }
  const added = await client.post(items, { data: item })
  return `${items}/${added.body.data[0].id}`
}
