import { inParallel } from './in-parallel.ts'
import type { Merchant } from './merchant.ts'
import { atOnce, type Sellable } from './products.ts'
import type { Random } from './random.ts'

const located = { 'ep-inventories-multi-location': 'true' }

const locations = [
  { name: 'Warehouse', slug: 'warehouse', address: ['4 Dock Street', 'Portland, OR 97210'] },
  { name: 'Shop', slug: 'shop', address: ['12 Mill Lane', 'Portland, OR 97205'] },
] as const

/** Stocks everything: most of it in the warehouse, and little in the shop. Sold-out products cannot be ordered. */
export async function addStock(
  merchant: Merchant,
  sellable: readonly Sellable[],
  random: Random,
  onStock: () => void,
): Promise<readonly Sellable[]> {
  for (const location of locations) {
    const data = { type: 'inventory_location', attributes: location }
    await merchant.create('/v2/inventories/locations', `location ${location.slug}`, data)
  }
  const levels = sellable.map(() => (random.chance(0.03) ? 0 : random.integer(400, 4000)))
  await inParallel(sellable, atOnce, async ({ id }, i) => {
    const attributes = {
      locations: {
        warehouse: { available: levels[i] },
        shop: { available: (levels[i] as number) > 0 ? 5 : 0 },
      },
    }
    const { status, body } = await merchant.send(
      'POST',
      '/v2/inventories',
      { data: { type: 'stock', id, attributes } },
      located,
    )
    // An earlier run may have stocked it.
    if (status !== 201 && (await merchant.send('GET', `/v2/inventories/${id}`)).status !== 200)
      throw new Error(`stock was refused (${status}): ${JSON.stringify(body?.errors)}`)
    onStock()
  })
  return sellable.filter((_, i) => levels[i] !== 0)
}
