import type { Merchant } from './merchant.ts'
import type { PlannedProduct } from './products.ts'

const sku = 'DESK-SET'

/** Creates a bundle of two products, for less than they cost alone, and puts it on a shelf. */
export async function addBundle(
  merchant: Merchant,
  products: readonly PlannedProduct[],
  { pricebook, hierarchy, node }: Readonly<Record<'pricebook' | 'hierarchy' | 'node', string>>,
): Promise<void> {
  const [first, second] = products.filter(({ ware }) => ware.options === undefined)
  if (!first || !second) return
  const optionOf = (product: PlannedProduct) => [
    { type: 'product', id: merchant.idOf(`product ${product.sku}`), quantity: 1 },
  ]
  const attributes = {
    ...{ name: 'A set for the desk', sku, slug: sku.toLowerCase(), status: 'live' },
    description: `The ${first.name} and the ${second.name} together.`,
    commodity_type: 'physical',
    components: {
      first: { name: first.ware.name, min: 1, max: 1, options: optionOf(first) },
      second: { name: second.ware.name, min: 1, max: 1, options: optionOf(second) },
    },
  }
  const { id } = await merchant.create('/pcm/products', `product ${sku}`, { type: 'product', attributes })
  const amount = Math.round((first.price + second.price) * 0.9)
  const currencies = Object.fromEntries(
    ['USD', 'EUR', 'GBP'].map((code) => [code, { amount, includes_tax: true }]),
  )
  const price = { type: 'product-price', attributes: { sku, currencies } }
  await merchant.create(`/pcm/pricebooks/${pricebook}/prices`, `price ${sku}`, price)
  await merchant.do('POST', `/pcm/hierarchies/${hierarchy}/nodes/${node}/relationships/products`, [
    { type: 'product', id },
  ])
}
