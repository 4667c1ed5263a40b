import { expect, vi } from 'vitest'
import { shopOf } from '../../builders/shop/publishing.ts'
import type { Any } from '../../support/requests.ts'
import type { Client, World } from '../../support/world.ts'

/** A merchant with price books, and shoppers who search. */
export const merchantOf = (world: World) => {
  const shop = shopOf(world)
  let count = 0
  const searchAs = async (who: Client, searches: object[], query = ''): Promise<Any[]> => {
    const { status, body } = await who.post(`/catalog/multi-search${query}`, { searches })
    expect([status, body?.errors]).toEqual([200, undefined])
    return body.results
  }
  return {
    ...shop,
    /** Publishes a catalog, and waits until it is: also before tests begin. */
    publish: async (catalog: string): Promise<void> => {
      const { id } = await shop.send('POST', `/catalogs/${catalog}/releases`, undefined, 201)
      const status = async () =>
        (await shop.get(`/catalogs/${catalog}/releases/${id}`)).data.meta.release_status
      const ended = async () => /PUBLISHED|FAILED/.exec(await status())?.[0]
      expect(await vi.waitUntil(ended, { timeout: 30_000, interval: 30 })).toBe('PUBLISHED')
    },
    pricebook: async (): Promise<string> => {
      const data = { type: 'pricebook', attributes: { name: `Book ${++count}` } }
      return (await shop.send('POST', '/pcm/pricebooks', data, 201)).id
    },
    price: async (book: string, sku: string, currencies: object, more: object = {}): Promise<string> => {
      const data = { type: 'product-price', attributes: { sku, currencies, ...more } }
      return (await shop.send('POST', `/pcm/pricebooks/${book}/prices`, data, 201)).id
    },
    searchAs,
    /** The results of searches, as an anonymous shopper has them. */
    search: (...searches: object[]) => searchAs(world.shopper, searches),
    /** The names of what one search finds, in their order. */
    names: async (search: object): Promise<string[]> => {
      const [{ hits }] = (await searchAs(world.shopper, [search])) as [Any]
      return hits.map(({ document }: Any) => document.attributes.name)
    },
  }
}

export const usd = (amount: number) => ({ USD: { amount, includes_tax: false } })
