import { setTimeout as sleep } from 'node:timers/promises'
import type { StripeDouble } from '../stripe-double/index.ts'
import type { Sender } from './sender.ts'

/** What is for sale. */
export interface Shop {
  readonly productId: string
  readonly code: string
  /** Where the webhooks of Stripe go. */
  readonly webhooks: string
}

/** Signs the webhooks of Stripe. */
export const webhookSecret = 'whsec_a secret that only Stripe and the shop know'

const sku = 'MUG'

/** A mug at ten dollars, a code for a tenth off that all orders together may use so often, and so many mugs. */
export async function openShop(
  sender: Sender,
  { checkouts, double }: { readonly checkouts: number; readonly double: StripeDouble },
): Promise<Shop> {
  const make = async (path: string, data: object): Promise<string> =>
    (await sender.must(201, 'POST', path, data)).id
  await sender.must(200, 'PUT', '/v2/gateways/manual', { enabled: true, shoppers_may_pay: true })
  const stripe = { enabled: true, login: double.key, webhook_secret: webhookSecret }
  await sender.must(200, 'PUT', '/v2/gateways/stripe_payment_intents', stripe)
  const product = { name: 'Mug', sku, slug: 'mug', commodity_type: 'physical', status: 'live' }
  const productId = await make('/pcm/products', { type: 'product', attributes: product })
  const hierarchy = await make('/pcm/hierarchies', { type: 'hierarchy', attributes: { name: 'Shop' } })
  const nodes = `/pcm/hierarchies/${hierarchy}/nodes`
  const node = await make(nodes, { type: 'node', attributes: { name: 'Mugs' } })
  const products = [{ type: 'product', id: productId }]
  await sender.must(201, 'POST', `${nodes}/${node}/relationships/products`, products)
  const book = await make('/pcm/pricebooks', { type: 'pricebook', attributes: { name: 'Retail' } })
  const price = { sku, currencies: { USD: { amount: 1000, includes_tax: false } } }
  await make(`/pcm/pricebooks/${book}/prices`, { type: 'product-price', attributes: price })
  const catalog = await make('/catalogs', {
    type: 'catalog',
    attributes: { name: 'Everyone', hierarchy_ids: [hierarchy], pricebook_id: book },
  })
  const release = `/catalogs/${catalog}/releases/${await make(`/catalogs/${catalog}/releases`, {})}`
  while ((await sender.must(200, 'GET', release)).meta.release_status !== 'PUBLISHED') await sleep(50)
  await make(`/v2/inventories/${productId}`, { type: 'stock', quantity: checkouts })
  const promotion = await make('/v2/promotions', {
    ...{ type: 'promotion', name: 'Spring', description: 'A tenth off', promotion_type: 'percent_discount' },
    ...{ enabled: true, automatic: false, start: '2020-01-01', end: '2999-01-01' },
    schema: { currencies: [{ currency: 'USD', percentage: 10 }] },
  })
  const codes = [{ code: 'SPRING', uses: checkouts }]
  await sender.must(201, 'POST', `/v2/promotions/${promotion}/codes`, { type: 'promotion_codes', codes })
  const [{ id: storeId }] = await sender.must(200, 'GET', '/v2/stores')
  return { productId, code: 'SPRING', webhooks: `/webhooks/stripe/stores/${storeId}` }
}
