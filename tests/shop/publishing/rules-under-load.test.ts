import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shopOf } from '../../builders/shop/publishing.ts'
import { storeOf } from '../../builders/shop/storefront.ts'
import type { Any } from '../../support/requests.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let shop: ReturnType<typeof shopOf>
let store: ReturnType<typeof storeOf>
beforeAll(async () => {
  world = await openWorld()
  shop = shopOf(world)
  store = storeOf(world, shop)
})
afterAll(() => world.close())

/** What two products cost by a price book: some price only the first. */
interface Book {
  readonly id: string
  readonly prices: readonly [number, number | undefined]
}

interface Rule {
  readonly id: string
  readonly catalog: Catalog
  readonly books: readonly Book[]
}

interface Catalog {
  readonly id: string
  readonly own: Book
}

/** The oracle: what both products cost by the strongest book that prices each. */
function pricesBy({ catalog, books }: Rule): string {
  const counting = books.length ? books : [catalog.own]
  const of = (product: 0 | 1) => counting.find(({ prices }) => prices[product] !== undefined)?.prices[product]
  return [of(0), of(1)].join()
}

/** A shopper who reads the list again and again, and what each answer may have been. */
function shopper(channel: string, tag: string | undefined, products: readonly string[], first: string) {
  const allowed: { from: number; prices: readonly string[] }[] = [{ from: 0, prices: [first] }]
  const wrong: unknown[] = []
  let [reads, stopped] = [0, false]
  const read = async () => {
    const begun = performance.now()
    const headers = { 'ep-channel': channel, ...(tag && { 'ep-context-tag': tag }) }
    const { status, body } = await world.shopper.get('/catalog/products', headers)
    const ended = performance.now()
    const amounts = new Map(
      (body.data ?? []).map(({ id, attributes }: Any) => [id, attributes.price?.USD.amount]),
    )
    const answer = status === 200 ? products.map((id) => amounts.get(id)).join() : String(status)
    const possible = allowed.filter(({ from }, i) => {
      const next = allowed[i + 1]?.from ?? Number.POSITIVE_INFINITY
      return from <= ended && next >= begun
    })
    if (!possible.some(({ prices }) => prices.includes(answer)))
      wrong.push({ channel, tag, answer, possible })
    reads++
  }
  const running = (async () => {
    while (!stopped) {
      await read()
      await sleep(5)
    }
  })()
  return {
    /** From now on, one of these. */
    expect: (...prices: string[]) => void allowed.push({ from: performance.now(), prices }),
    stop: async () => {
      stopped = true
      await running
      await read()
      return { wrong, reads }
    },
  }
}

const steps = fc.array(
  fc.record({
    what: fc.constantFrom('same rule', 'same rule', 'special rule'),
    newBooks: fc.nat(2),
    oldBooks: fc.nat(1),
    move: fc.boolean(),
  }),
  { minLength: 10, maxLength: 10 },
)

test('while rules change and catalogs are published, each price follows the old rules or the new ones', async () => {
  let amount = 100
  const skus = ['load-1', 'load-2']
  const book = async (both: boolean): Promise<Book> => {
    const id = await store.pricebook()
    const prices = [++amount, both ? ++amount : undefined] as const
    for (const [i, price] of prices.entries()) {
      if (price !== undefined) await store.dollars(id, skus[i] as string, price)
    }
    return { id, prices }
  }
  const { hierarchy, node } = await store.shelf()
  const products = [await shop.product({ sku: skus[0] }), await shop.product({ sku: skus[1] })]
  await shop.put(hierarchy, node, ...products)
  const catalog = async (): Promise<Catalog> => {
    const own = await book(true)
    const attributes = { pricebook_id: own.id, enable_price_segmentation: true }
    const id = await shop.catalog([hierarchy], attributes)
    await shop.publish(id)
    return { id, own }
  }
  const catalogs = [await catalog(), await catalog()] as const

  const inEffect = (id: string) =>
    until(async () => {
      const { data } = await shop.get(`/catalogs/rules/${id}`)
      return data.meta.in_effect ? true : undefined
    })
  const namesOf = (books: readonly Book[]) =>
    books.length ? books.map(({ id }, i) => ({ id, priority: books.length - i })) : null

  let stopped = false
  let deleted = 0
  const publisher = (async () => {
    for (let i = 0; !stopped; i++) {
      const { id } = catalogs[i % 2 === 0 ? 0 : 1]
      const { id: release } = await shop.publish(id)
      if (i % 3 !== 2) continue
      const { status } = await world.admin.delete(`/catalogs/${id}/releases/${release}`)
      expect(status).toBe(204)
      deleted++
    }
  })()

  const merchant = async (channel: string) => {
    const create = async (of: Catalog, books: readonly Book[], more: object): Promise<Rule> => {
      const { id } = await store.lead(of.id, channel, { pricebook_ids: namesOf(books), ...more })
      return { id, catalog: of, books }
    }
    let usual = await create(catalogs[0], [], {})
    let special: Rule | undefined
    let newest = [catalogs[0].own]
    const plain = shopper(channel, undefined, products, pricesBy(usual))
    // Another merchant's rule with the same tag would match as many criteria as `usual`, and may be older.
    const tag = `special-${channel}`
    const tagged = shopper(channel, tag, products, pricesBy(usual))
    for (const { what, newBooks, oldBooks, move } of fc.sample(steps, 1)[0] ?? []) {
      const books = newest.slice(0, oldBooks)
      for (let i = 0; i < newBooks; i++) books.unshift(await book(i === 0))
      // Whatever it names prices both.
      if (books.length && !books.some(({ prices }) => prices[1] !== undefined)) books.push(catalogs[0].own)
      newest = [...books, ...newest].slice(0, 3)
      const before = { usual: pricesBy(usual), special: pricesBy(special ?? usual) }
      if (what === 'same rule') {
        const to = move
          ? (catalogs.find(({ id }) => id !== usual.catalog.id) ?? usual.catalog)
          : usual.catalog
        const next = { id: usual.id, catalog: to, books }
        plain.expect(before.usual, pricesBy(next))
        if (!special) tagged.expect(before.usual, pricesBy(next))
        const attributes = { catalog_id: to.id, pricebook_ids: namesOf(books) }
        await shop.send(
          'PUT',
          `/catalogs/rules/${usual.id}`,
          { type: 'catalog_rule', id: usual.id, attributes },
          200,
        )
        await inEffect(usual.id)
        usual = next
      } else if (special) {
        tagged.expect(before.special, before.usual)
        expect((await world.admin.delete(`/catalogs/rules/${special.id}`)).status).toBe(204)
        special = undefined
      } else {
        const of = catalogs[move ? 1 : 0]
        tagged.expect(before.special, pricesBy({ id: '', catalog: of, books }))
        special = await create(of, books, { tags: [tag] })
        await inEffect(special.id)
      }
      plain.expect(pricesBy(usual))
      tagged.expect(pricesBy(special ?? usual))
    }
    return [await plain.stop(), await tagged.stop()]
  }
  const results = (await Promise.all([merchant('load-a'), merchant('load-b')])).flat()
  stopped = true
  await publisher
  expect(results.flatMap(({ wrong }) => wrong)).toEqual([])
  for (const { reads } of results) expect(reads).toBeGreaterThan(20)
  expect(deleted).toBeGreaterThan(0)
}, 180_000)
