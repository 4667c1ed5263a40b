import type { Client } from '../../support/client.ts'
import type { ModuleSamples, SharedSamples } from '../../support/module-samples.ts'
import { bundleForSale, productForSale } from '../shop/storefront-samples.ts'
import { cartPath, itemPath } from './cart-samples.ts'
import { customDiscount } from './custom-discounts.ts'

const tax = { type: 'tax_item', rate: 0.2 }
const discount = customDiscount(-1)

/** A cart takes five discounts, and each of its items too: every second one is for the item. */
let discounts = 0
const toItemOf = async (client: Client, path: string) => ({
  item: { data: { id: await firstItem(client, path) } },
})

/** The id of an item of the cart at, or above, this path. */
async function firstItem(client: Client, path: string): Promise<string> {
  const { body } = await client.get(path.replace(/\/[a-z-]+$/, '/items'))
  return body.data[0].id
}

/** The path of a cart with an item. */
const cartWithItem = async (client: Client, takesPromotions = false) =>
  (await itemPath(client, undefined, takesPromotions)).replace(/\/items\/.*/, '')
const taxPath = async (client: Client) => {
  const path = `${await itemPath(client)}/taxes`
  return `${path}/${(await client.post(path, { data: tax })).body.data.id}`
}
const componentTaxesPath = async (client: Client, samples: SharedSamples) => {
  const { id, component, bundle_configuration } = await bundleForSale(client, samples)
  const items = `${await cartPath(client)}/items`
  const item = { type: 'cart_item', id, quantity: 1, bundle_configuration }
  const added = await client.post(items, { data: item })
  return `${items}/${added.body.data[0].id}/components/${component}/taxes`
}
const componentTaxPath = async (client: Client, samples: SharedSamples) => {
  const path = await componentTaxesPath(client, samples)
  return `${path}/${(await client.post(path, { data: tax })).body.data.id}`
}
const discountPath = async (client: Client) => {
  const path = `${await cartWithItem(client)}/custom-discounts`
  return `${path}/${(await client.post(path, { data: [discount] })).body.data[0].id}`
}
const itemDiscountPath = async (client: Client) => {
  const path = `${await itemPath(client)}/custom-discounts`
  return `${path}/${(await client.post(path, { data: discount })).body.data.id}`
}

const groupPath = async (client: Client) => {
  const path = `${await cartWithItem(client)}/shipping-groups`
  return `${path}/${(await client.post(path, { data: { type: 'shipping_group' } })).body.data.id}`
}

interface Currency {
  readonly code: string
}

let codes = 0

/** A code for any cart. */
async function codeForCarts(client: Client): Promise<string> {
  const promotion = {
    ...{ type: 'promotion', name: 'Spring', description: 'A tenth off', promotion_type: 'percent_discount' },
    ...{ enabled: true, start: '2020-01-01', end: '2999-01-01' },
    schema: {
      currencies: (await client.get('/v2/currencies')).body.data.map(({ code: currency }: Currency) => ({
        currency,
        percentage: 10,
      })),
    },
  }
  const path = `/v2/promotions/${(await client.post('/v2/promotions', { data: promotion })).body.data.id}`
  const code = `SAMPLE-${++codes}`
  await client.post(`${path}/codes`, { data: { type: 'promotion_codes', codes: [{ code }] } })
  return code
}

/** Shoppers may not send these. */
const ofShoppers = { custom_attributes: undefined, tax: undefined }

export const cartItemSamples: ModuleSamples = {
  completions: {
    'add-cart-items.cart_item': async (client, samples) => ({
      id: await productForSale(client, samples),
      sku: undefined,
      bundle_configuration: undefined,
      // The empty text stands for no group.
      shipping_group_id: '',
      ...ofShoppers,
    }),
    'add-cart-items.custom_item': async () => ({ shipping_group_id: '', ...ofShoppers }),
    'add-cart-items.promotion_item': async (client) => ({ code: await codeForCarts(client) }),
    'add-cart-items.cart_items': async () => ({ cart_id: 'another-cart' }),
    'add-custom-discounts.custom_discount': async (client, _samples, path) => ({
      amount: -1,
      relationships: discounts++ % 2 ? await toItemOf(client, path) : undefined,
    }),
  },
  paths: {
    'add-cart-items': async (client) => `${await cartWithItem(client, true)}/items`,
    'update-cart-item': itemPath,
    'update-cart-items': async (client) => `${await cartWithItem(client)}/items`,
    'add-tax-items': async (client) => `${await cartWithItem(client)}/taxes`,
    'delete-cart-code': async (client) => {
      const path = await cartWithItem(client, true)
      const code = await codeForCarts(client)
      await client.post(`${path}/items`, { data: { type: 'promotion_item', code } })
      return `${path}/discounts/${code}`
    },
    'delete-cart-item': itemPath,
    'get-cart-shipping-group': groupPath,
    'update-cart-shipping-group': groupPath,
    'delete-cart-shipping-group': groupPath,
    'add-tax-item': async (client) => `${await itemPath(client)}/taxes`,
    'update-tax-item': taxPath,
    'delete-tax-item': taxPath,
    'add-tax-item-to-component': componentTaxesPath,
    'update-tax-item-of-component': componentTaxPath,
    'delete-tax-item-of-component': componentTaxPath,
    'add-custom-discounts': async (client) => `${await cartWithItem(client)}/custom-discounts`,
    'update-custom-discount': discountPath,
    'delete-custom-discount': discountPath,
    'add-custom-discount-to-item': async (client) => `${await itemPath(client)}/custom-discounts`,
    'update-custom-discount-of-item': itemDiscountPath,
    'delete-custom-discount-of-item': itemDiscountPath,
  },
  bodies: {
    'update-cart-item': async () => ({ data: { quantity: 2 } }),
    'update-cart-items': async (client, _samples, path) => ({
      data: [{ id: await firstItem(client, path), quantity: 2 }],
    }),
    'add-tax-items': async (client, _samples, path) => ({
      data: [{ ...tax, relationships: await toItemOf(client, path) }],
    }),
    'add-tax-item': async () => ({ data: tax }),
    'update-tax-item': async () => ({ data: { ...tax, rate: 0.1 } }),
    'add-tax-item-to-component': async () => ({ data: tax }),
    'update-tax-item-of-component': async () => ({ data: { ...tax, rate: 0.1 } }),
    'update-custom-discount': async () => ({ data: discount }),
    'update-custom-discount-of-item': async () => ({ data: discount }),
    'add-custom-discount-to-item': async () => ({ data: discount }),
    'add-custom-discounts': async () => ({ data: [discount] }),
  },
}
