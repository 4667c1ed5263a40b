import type { Any } from '../../support/requests.ts'
import type { World } from '../../support/world.ts'
import type { shopOf } from './publishing.ts'

/** What a page lists, in its order. */
export const idsOf = ({ data }: Any): string[] => data.map(({ id }: Any) => id)

/** What a merchant does so that shoppers see something, and what these see. */
export const storeOf = (world: World, shop: ReturnType<typeof shopOf>) => {
  let counter = 0
  const store = {
    currency: (code: string, format: string, decimal_places = 2) =>
      shop.send(
        'POST',
        '/v2/currencies',
        {
          type: 'currency',
          ...{ code, format, decimal_places, exchange_rate: 1, enabled: true, default: false },
          ...{ decimal_point: '.', thousand_separator: ',' },
        },
        201,
      ),
    pricebook: async (): Promise<string> =>
      (
        await shop.send(
          'POST',
          '/pcm/pricebooks',
          { type: 'pricebook', attributes: { name: `Book ${++counter}` } },
          201,
        )
      ).id,
    price: (book: string, sku: string, attributes: object) =>
      shop.send(
        'POST',
        `/pcm/pricebooks/${book}/prices`,
        { type: 'product-price', attributes: { sku, ...attributes } },
        201,
      ),
    /** So much in dollars. */
    dollars: (book: string, sku: string, amount: number) =>
      store.price(book, sku, { currencies: { USD: { amount, includes_tax: false } } }),
    modifier: (book: string, attributes: object) =>
      shop.send('POST', `/pcm/pricebooks/${book}/modifiers`, { type: 'price-modifier', attributes }, 201),
    shelf: async () => {
      const hierarchy = await shop.hierarchy()
      return { hierarchy, node: await shop.node(hierarchy) }
    },
    /** A parent with one child, in size L, whose option names a price modifier. */
    shirt: async () => {
      const tag = ++counter
      const parent = { id: await shop.product({ sku: `shirt-${tag}-` }), sku: `shirt-${tag}-` }
      const size = await shop.send(
        'POST',
        '/pcm/variations',
        { type: 'product-variation', attributes: { name: 'Size' } },
        201,
      )
      const option = await shop.send(
        'POST',
        `/pcm/variations/${size.id}/options`,
        {
          type: 'product-variation-option',
          attributes: { name: 'L', description: 'Large' },
        },
        201,
      )
      const modifiers = `/pcm/variations/${size.id}/options/${option.id}/modifiers`
      for (const attributes of [
        { type: 'price', reference_name: 'PriceL' },
        { type: 'sku_append', value: 'L' },
        { type: 'status', value: 'live' },
      ]) {
        await shop.send('POST', modifiers, { type: 'product-variation-modifier', attributes }, 201)
      }
      await world.admin.post(`/pcm/products/${parent.id}/relationships/variations`, {
        data: [{ type: 'product-variation', id: size.id }],
      })
      const { body } = await world.admin.post(`/pcm/products/${parent.id}/build`, undefined)
      for (;;) {
        const { data } = await shop.get(`/pcm/jobs/${body.data.id}`)
        if (data.attributes.completed_at) break
      }
      const { data } = await shop.get(`/pcm/products/${parent.id}/children`)
      const [child] = data
      return { parent, child: { id: child.id as string, sku: child.attributes.sku as string } }
    },
    /** Shoppers of this channel see the catalog. */
    lead: (catalog_id: string, channel: string, more: object = {}) =>
      shop.send(
        'POST',
        '/catalogs/rules',
        {
          type: 'catalog_rule',
          attributes: { name: `for ${channel}`, catalog_id, channels: [channel], ...more },
        },
        201,
      ),
    see: (channel: string, path: string, headers: Record<string, string> = {}) =>
      world.shopper.send('GET', path, { headers: { 'ep-channel': channel, ...headers } }),
    read: async (channel: string, path: string, headers: Record<string, string> = {}): Promise<Any> => {
      const { status, body } = await store.see(channel, path, headers)
      if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
      return body
    },
  }
  return store
}
