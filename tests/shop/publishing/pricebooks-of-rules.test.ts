import { afterAll, beforeAll, expect, test } from 'vitest'
import { deltaOf } from '../../builders/shop/deltas.ts'
import { publishedOf, shopOf } from '../../builders/shop/publishing.ts'
import { storeOf } from '../../builders/shop/storefront.ts'
import { untilWaiting } from '../../support/in-the-way.ts'
import type { Any } from '../../support/requests.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let shop: ReturnType<typeof shopOf>
let store: ReturnType<typeof storeOf>
beforeAll(async () => {
  world = await openWorld({ alone: true })
  shop = shopOf(world)
  store = storeOf(world, shop)
})
afterAll(() => world.close())

let count = 0

/** A catalog whose rules choose price books, with a product that costs 1000 by its own one; VIPs pay 900. */
async function vipShop() {
  const channel = `vip-${++count}`
  const sku = `${channel}-loaf`
  const [retail, old] = [await store.pricebook(), await store.pricebook()]
  const { hierarchy, node } = await store.shelf()
  const product = await shop.product({ sku })
  await shop.put(hierarchy, node, product)
  await store.dollars(retail, sku, 1000)
  await store.dollars(old, sku, 900)
  const catalog = await shop.catalog([hierarchy], { pricebook_id: retail, enable_price_segmentation: true })
  const rule = await store.lead(catalog, channel, { pricebook_ids: [{ id: old, priority: 1 }] })
  const release = await shop.publish(catalog)
  return {
    ...{ channel, sku, retail, old, hierarchy, node, product, catalog, release, rule: rule.id as string },
    book: async (amount: number) => {
      const book = await store.pricebook()
      await store.dollars(book, sku, amount)
      return book
    },
    pays: async (of = channel) => {
      const { data } = await store.read(of, `/catalog/products/${product}`)
      return data.attributes.price?.USD.amount
    },
  }
}

const strongest = (...books: string[]) => books.map((id, i) => ({ id, priority: books.length - i }))

const rename = (id: string, attributes: object) =>
  shop.send('PUT', `/catalogs/rules/${id}`, { type: 'catalog_rule', id, attributes }, 200)

const ruleOf = async (id: string): Promise<Any> => (await shop.get(`/catalogs/rules/${id}`)).data

const inEffect = (id: string) => until(async () => ((await ruleOf(id)).meta.in_effect ? true : undefined))

/** While a statement of ours is in the way of others. */
async function whileLocked<T>(text: string, values: unknown[], act: () => Promise<T>): Promise<T> {
  const connection = await world.server.instance.database.pool.connect()
  try {
    await connection.query('BEGIN')
    await connection.query(text, values)
    return await act()
  } finally {
    await connection.query('COMMIT')
    connection.release()
  }
}

/** While the job that adds price books to a release cannot end. */
const whileAdding = <T>(act: () => Promise<T>) =>
  whileLocked('LOCK TABLE published_price_modifiers IN EXCLUSIVE MODE', [], act)

/** While a release of the catalog is being made, from what there was when it was begun. */
const whilePublishing = <T>(catalog: string, act: (release: string) => Promise<T>) =>
  whileLocked(
    'SELECT FROM catalog_editions WHERE store_id = $1 AND catalog_id = $2 FOR UPDATE',
    [world.storeId, catalog],
    async () => {
      const { id } = await shop.send('POST', `/catalogs/${catalog}/releases`, undefined, 201)
      await untilWaiting(world, 1)
      return act(id)
    },
  )

test('VIPs pay the old price until the new price book is in the release, then the new one', async () => {
  const vips = await vipShop()
  const book = await vips.book(850)
  const visibility = `/catalogs/${vips.catalog}/visibility?product=${vips.product}`
  const headers = { 'ep-channel': vips.channel }
  const checkOf = async () =>
    (await world.admin.get(visibility, headers)).body.data.checks.find(({ check }: Any) => check === 'rule')
  await whileAdding(async () => {
    const changed = await rename(vips.rule, {
      name: 'VIPs, spring',
      pricebook_ids: strongest(book, vips.retail),
    })
    expect(changed.meta).toEqual({ in_effect: false, waits_for_pricebook_ids: [book] })
    expect((await ruleOf(vips.rule)).attributes.name).toBe('VIPs, spring')
    expect(await vips.pays()).toBe(900)

    const validated = await world.admin.post('/catalogs/rules/validate', {
      data: { match_type: 'resolve_for_shopper', channels: [vips.channel] },
    })
    expect(validated.body.data).toMatchObject([
      {
        id: vips.rule,
        meta: { resolved_for_shopper: true, in_effect: false, waits_for_pricebook_ids: [book] },
      },
    ])
    const { body } = await world.admin.get('/catalog/products', { ...headers, prefer: 'explain' })
    expect(body.meta.explanation).toMatchObject({
      pricebook_ids: [vips.old],
      catalog_rule: { id: vips.rule },
      waiting_catalog_rule: { id: vips.rule, name: 'VIPs, spring', waits_for_pricebook_ids: [book] },
    })
    const traced = body.meta.explanation.catalog_rules.find(({ rule_id }: Any) => rule_id === vips.rule)
    expect(traced).toMatchObject({ chosen: true, waits_for_pricebook_ids: [book] })
    const { verdict, detail } = await checkOf()
    expect(verdict).toBe('waits_for_pricebooks')
    expect(detail).toContain(`"VIPs, spring" (${vips.rule})`)
    expect(detail).toContain(book)
  })
  await inEffect(vips.rule)
  expect(await vips.pays()).toBe(850)
  expect((await ruleOf(vips.rule)).meta).toEqual({ in_effect: true })
  expect((await checkOf()).verdict).toBe('in_effect')
  // As if the catalog had been published with the price book.
  const again = await shop.catalog([vips.hierarchy], {
    pricebook_ids: [...strongest(vips.retail, vips.old, book)],
  })
  await shop.publish(again)
  expect(await publishedOf(world, vips.catalog)).toEqual(await publishedOf(world, again))
})

test('a release with added price books equals a release from scratch', async () => {
  const [retail, added, bystander] = [
    await store.pricebook(),
    await store.pricebook(),
    await store.pricebook(),
  ]
  const { hierarchy, node } = await store.shelf()
  const { parent, child } = await store.shirt()
  const [bread, butter, draft] = [
    await shop.product({ sku: 'scratch-bread' }),
    await shop.product({ sku: 'scratch-butter' }),
    await shop.product({ sku: 'scratch-draft', status: 'draft' }),
  ]
  const of = (id: string, quantity = 1) => ({ id, type: 'product', quantity, default: true })
  const breakfast = await shop.product({
    components: { all: { name: 'All', options: [of(bread), of(butter, 2)] } },
  })
  const nested = await shop.product({
    sku: 'scratch-nested',
    components: { all: { name: 'All', options: [of(breakfast), of(child.id)] } },
  })
  const unfilled = await shop.product({
    sku: 'scratch-unfilled',
    components: { all: { name: 'All', min: 1, options: [of(draft)] } },
  })
  // Butter is an option, and listed nowhere.
  await shop.put(hierarchy, node, parent.id, bread, breakfast, nested, unfilled)
  const sale = (amount: number) => ({
    currencies: { USD: { amount: amount * 10, includes_tax: false } },
    sales: {
      Spring: {
        schedule: { valid_from: '2026-03-01T00:00:00Z', valid_to: '2100-06-01T00:00:00Z' },
        currencies: { USD: { amount: amount * 8 } },
      },
    },
  })
  for (const book of [retail, added, bystander]) {
    for (const sku of ['scratch-bread', 'scratch-butter', 'scratch-unfilled', parent.sku]) {
      await store.price(book, sku, sale(book === retail ? 10 : 7))
    }
    await store.modifier(book, {
      name: 'PriceL',
      modifier_type: 'price_increment',
      currencies: { USD: { amount: 3 } },
    })
  }
  const catalog = await shop.catalog([hierarchy], { pricebook_id: retail, enable_price_segmentation: true })
  await shop.publish(catalog)
  for (const book of [added, bystander]) {
    const rule = await store.lead(catalog, `scratch ${book}`, { pricebook_ids: strongest(book) })
    await inEffect(rule.id)
  }
  const again = await shop.catalog([hierarchy], { pricebook_ids: strongest(retail, added, bystander) })
  await shop.publish(again)
  const scratch = await publishedOf(world, again)
  expect(scratch.search[2]?.length).toBeGreaterThan(9)
  expect(await publishedOf(world, catalog)).toEqual(scratch)
  // And the release after it finds nothing to do.
  await shop.publish(catalog)
  expect(await publishedOf(world, catalog)).toEqual(scratch)
})

test('a new rule applies to nobody until its price books are in the release', async () => {
  const vips = await vipShop()
  const book = await vips.book(800)
  const id = await whileAdding(async () => {
    const rule = await store.lead(vips.catalog, vips.channel, {
      tags: ['gold'],
      pricebook_ids: strongest(book),
    })
    expect(rule.meta).toEqual({ in_effect: false, waits_for_pricebook_ids: [book] })
    const gold = { 'ep-channel': vips.channel, 'ep-context-tag': 'gold' }
    const { body } = await world.admin.get('/catalog/products', { ...gold, prefer: 'explain' })
    expect(body.data[0].attributes.price.USD.amount).toBe(900)
    const traced = body.meta.explanation.catalog_rules.find(({ rule_id }: Any) => rule_id === rule.id)
    expect(traced).toMatchObject({
      chosen: false,
      reason: 'waits_for_pricebooks',
      matched: ['channels', 'tags'],
    })
    return rule.id
  })
  await inEffect(id)
  const gold = await store.read(vips.channel, `/catalog/products/${vips.product}`, {
    'ep-context-tag': 'gold',
  })
  expect(gold.data.attributes.price.USD.amount).toBe(800)
  expect(await vips.pays()).toBe(900)
})

test('a killed worker leaves nothing behind, and the next one starts over', async () => {
  const vips = await vipShop()
  const book = await vips.book(850)
  await whileAdding(async () => {
    await rename(vips.rule, { pricebook_ids: strongest(book) })
    const ended = await until(async () => {
      const { rows } = await world.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO published_price_modifiers%'`,
      )
      return rows.length ? rows.length : undefined
    })
    expect(ended).toBe(1)
    expect(await vips.pays()).toBe(900)
  })
  await inEffect(vips.rule)
  expect(await vips.pays()).toBe(850)
})

test('a rule that is written during publishing waits for the end, as the release may lack its price books', async () => {
  const vips = await vipShop()
  const book = await vips.book(850)
  const other = await store.lead(vips.catalog, 'nobody else', { pricebook_ids: strongest(book) })
  await inEffect(other.id)
  expect((await world.admin.delete(`/catalogs/rules/${other.id}`)).status).toBe(204)
  const release = await whilePublishing(vips.catalog, async (id) => {
    const { meta } = await rename(vips.rule, { pricebook_ids: strongest(book) })
    expect(meta).toEqual({ in_effect: false, waits_for_pricebook_ids: [] })
    expect(await vips.pays()).toBe(900)
    return id
  })
  await shop.published(vips.catalog, release)
  expect([900, 850]).toContain(await vips.pays())
  await inEffect(vips.rule)
  expect(await vips.pays()).toBe(850)
})

test('a release keeps the price books of the rules that are in effect', async () => {
  const vips = await vipShop()
  const book = await vips.book(850)
  const next = await whilePublishing(vips.catalog, async () => {
    const { id } = await shop.send('POST', `/catalogs/${vips.catalog}/releases`, undefined, 201)
    await rename(vips.rule, { pricebook_ids: strongest(book) })
    return id
  })
  await shop.published(vips.catalog, next)
  await inEffect(vips.rule)
  const { rows } = await world.sql(
    `SELECT made_of->'pricebookIds' AS books FROM catalog_editions WHERE release_id = $1`,
    [next],
  )
  expect(rows[0].books.sort()).toEqual([vips.retail, vips.old, book].sort())
  expect(await vips.pays()).toBe(850)
})

test('the delta of the next release has the prices that were added to the previous one', async () => {
  const vips = await vipShop()
  await shop.publish(vips.catalog)
  const book = await vips.book(850)
  await rename(vips.rule, { pricebook_ids: strongest(book) })
  await inEffect(vips.rule)
  const next = await shop.publish(vips.catalog)
  const delta = await deltaOf(next)
  expect(delta).toHaveLength(1)
  const [shown] = delta
  expect(shown.id).toBe(vips.product)
  expect(shown.meta.available_prices).toContainEqual(
    expect.objectContaining({ pricebook_id: book, price: { USD: { amount: 850, includes_tax: false } } }),
  )
  // Then it is nothing new.
  const last = await shop.publish(vips.catalog)
  expect(await deltaOf(last)).toEqual([])
})

test('a release that becomes current again has the price books of the current rules', async () => {
  const vips = await vipShop()
  const newest = await shop.publish(vips.catalog)
  const book = await vips.book(850)
  await rename(vips.rule, { pricebook_ids: strongest(book) })
  await inEffect(vips.rule)
  expect((await world.admin.delete(`/catalogs/${vips.catalog}/releases/${newest.id}`)).status).toBe(204)
  expect(await vips.pays()).toBe(850)
})

test('a link to an older release falls back to one with the price books of the rule', async () => {
  const vips = await vipShop()
  await shop.publish(vips.catalog)
  const book = await vips.book(850)
  await rename(vips.rule, { pricebook_ids: strongest(book) })
  await inEffect(vips.rule)
  const { data } = await store.read(vips.channel, `/catalog/products?release=${vips.release.id}`)
  expect(data[0].attributes.price.USD.amount).toBe(850)
})

test('a price book that is deleted while a rule waits for it leaves the rule', async () => {
  const vips = await vipShop()
  const [book, other] = [await vips.book(850), await vips.book(700)]
  await whileAdding(async () => {
    await rename(vips.rule, { pricebook_ids: strongest(book, other) })
    // The one of the version in effect, too: the catalog's own is left, as for a rule that waits for nothing.
    expect((await world.admin.delete(`/pcm/pricebooks/${vips.old}`)).status).toBe(204)
    expect(await vips.pays()).toBe(1000)
  })
  expect((await world.admin.delete(`/pcm/pricebooks/${book}`)).status).toBe(204)
  await inEffect(vips.rule)
  expect(await vips.pays()).toBe(700)
})

test('rules of catalogs without a release, or without price segmentation, take effect at once', async () => {
  const { hierarchy } = await store.shelf()
  const book = await store.pricebook()
  const unpublished = await shop.catalog([hierarchy], { enable_price_segmentation: true })
  const plain = await shop.catalog([hierarchy])
  await shop.publish(plain)
  for (const catalog of [unpublished, plain]) {
    const { meta } = await store.lead(catalog, 'nobody', { pricebook_ids: strongest(book) })
    expect(meta).toEqual({ in_effect: true })
  }
})

test('a previewed price book need not be in the release, and has its live prices', async () => {
  const vips = await vipShop()
  const book = await vips.book(850)
  const path = `/catalogs/${vips.catalog}/releases/latest/products/${vips.product}`
  const preview = (...books: string[]) =>
    world.admin.get(path, {
      'EP-Pricebook-IDs-For-Price-Segmentation-Preview': books.join(),
      prefer: 'explain',
    })
  const { body } = await preview(book, vips.retail)
  expect(body.data.attributes.price.USD.amount).toBe(850)
  expect(body.meta.explanation.unpublished_pricebook_ids).toEqual([book])
  const [missing] = (await preview(vips.catalog)).body.errors
  expect([missing.status, missing.detail]).toEqual(['400', `No price book has the id ${vips.catalog}.`])
  expect(await vips.pays()).toBe(900)
})
