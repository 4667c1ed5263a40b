import { itemPath } from '../carts/samples.ts'
import { productForSale } from '../storefront/samples.ts'
import type { ModuleSamples } from '../support/module-samples.ts'

export const cartItemSamples: ModuleSamples = {
  completions: {
    'add-cart-items.cart_item': async (client, samples) => ({
      id: await productForSale(client, samples),
      sku: undefined,
      bundle_configuration: undefined,
      // The empty text stands for no group.
      shipping_group_id: '',
    }),
    'add-cart-items.custom_item': async () => ({ shipping_group_id: '' }),
    'add-cart-items.cart_items': async () => ({ cart_id: 'another-cart' }),
  },
  paths: { 'update-cart-item': itemPath, 'delete-cart-item': itemPath },
}
