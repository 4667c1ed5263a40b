import { setTimeout as sleep } from 'node:timers/promises'
import type { CreatedObject, OwnServer } from '../own-server.ts'
import type { World } from './acts.ts'
import type { Client } from './client.ts'

const productsOfShop = 120
const accountsOfStore = 50

/** Opens a shop by requests only, so that it is the same at every commit: products with prices and stock. */
export async function openWorld({ call, database }: OwnServer, client: Client): Promise<World> {
  const make = async (path: string, type: string, attributes: object, more: object = {}) =>
    (await call<{ data: CreatedObject }>('POST', path, { type, attributes, ...more }, 201)).data.id
  const hierarchyId = await make('/pcm/hierarchies', 'hierarchy', { name: 'Shop' })
  const at = `/pcm/hierarchies/${hierarchyId}/nodes`
  const nodeId = await make(at, 'node', { name: 'Shelf' })
  const pricebookId = await make('/pcm/pricebooks', 'pricebook', { name: 'Book' })
  const currencies = { USD: { amount: 1000, includes_tax: false } }
  const productIds: string[] = []
  await client.each(productsOfShop, async (i) => {
    const sku = `thing-${i}`
    const product = { name: `Thing ${i}`, sku, slug: sku, commodity_type: 'physical', status: 'live' }
    const id = await make('/pcm/products', 'product', { ...product, description: 'To be worn in winter.' })
    await make(`/pcm/pricebooks/${pricebookId}/prices`, 'product-price', { sku, currencies })
    productIds[i] = id
  })
  const links = productIds.map((id) => ({ type: 'product', id }))
  await call('POST', `${at}/${nodeId}/relationships/products`, links, 201)
  const catalog = { name: 'All', hierarchy_ids: [hierarchyId], pricebook_id: pricebookId }
  const releases = `/catalogs/${await make('/catalogs', 'catalog', catalog)}/releases`
  const { data } = await call<{ data: CreatedObject }>('POST', releases, { type: 'catalog-release' }, 201)
  for (;;) {
    const release = await call<{ data: { meta: { release_status: string } } }>(
      'GET',
      `${releases}/${data.id}`,
    )
    if (release.data.meta.release_status === 'PUBLISHED') break
    await sleep(20)
  }
  await call('PUT', '/v2/gateways/manual', { type: 'gateway', enabled: true })
  // The first half has stock that is counted.
  for (const id of productIds.slice(0, productsOfShop / 2)) {
    await call('POST', `/v2/inventories/${id}`, { type: 'stock', quantity: 1_000_000 }, 201)
  }
  // A page of them is full from the beginning.
  await client.each(accountsOfStore, (i) =>
    call('POST', '/v2/accounts', { type: 'account', name: `Account ${i}`, legal_name: 'Bench Ltd' }, 201),
  )
  const apis = '/v2/settings/extensions/custom-apis'
  const api = { type: 'custom_api', name: 'Wishes', slug: 'wishes', api_type: 'wish_ext' }
  const customApiId = (await call<{ data: CreatedObject }>('POST', apis, api, 201)).data.id
  for (const [slug, kind] of Object.entries({ title: 'string', amount: 'integer' })) {
    const field = { type: 'custom_field', name: slug, slug, field_type: kind }
    await call('POST', `${apis}/${customApiId}/fields`, field, 201)
  }
  const [[storeId] = []] = await database.run({ text: 'SELECT id FROM stores', values: [] })
  return {
    ...{ client, storeId: storeId as string, customApiId, productIds },
    counted: productIds.slice(0, productsOfShop / 2),
  }
}
