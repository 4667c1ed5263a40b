import { afterAll, beforeAll, expect, test } from 'vitest'
import { shopOf } from '../../builders/shop/publishing.ts'
import { storeOf } from '../../builders/shop/storefront.ts'
import type { Any } from '../../support/requests.ts'
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

test('merchants get an explanation of rule, price book and sale; shoppers do not', async () => {
  const [weak, strong] = [await store.pricebook(), await store.pricebook()]
  const { hierarchy, node } = await store.shelf()
  const product = await shop.product({ sku: 'why' })
  await shop.put(hierarchy, node, product)
  await store.dollars(weak, 'why', 10)
  await store.price(strong, 'why', {
    currencies: { USD: { amount: 9, includes_tax: false } },
    sales: { Gone: { schedule: { valid_to: '2001-01-01T00:00:00Z' }, currencies: { USD: { amount: 1 } } } },
  })
  const catalog = await shop.catalog([hierarchy], {
    pricebook_ids: [
      { id: weak, priority: 1 },
      { id: strong, priority: 2 },
    ],
  })
  const release = await shop.publish(catalog)
  const rule = await store.lead(catalog, 'why')
  const other = await store.lead(catalog, 'another')
  const headers = { 'ep-channel': 'why', prefer: 'respond-async, explain' }
  const list = await world.admin.get('/catalog/products', headers)
  expect(list.body.meta.explanation).toMatchObject({
    catalog_id: catalog,
    release_id: release.id,
    pricebook_ids: [strong, weak],
    catalog_rule: { id: rule.id },
  })
  const verdicts = list.body.meta.explanation.catalog_rules.map(({ rule_id, reason }: Any) => [
    rule_id,
    reason,
  ])
  expect(verdicts).toEqual(
    expect.arrayContaining([
      [rule.id, 'most_criteria_match'],
      [other.id, 'no_criterion_matches'],
    ]),
  )
  expect(list.body.data[0].meta.explanation.price).toMatchObject({
    pricebooks: [
      { pricebook_id: strong, reason: 'chosen' },
      { pricebook_id: weak, reason: 'a stronger price book has a price' },
    ],
    sales: [{ name: 'Gone', reason: 'over' }],
  })
  const one = await world.admin.get(`/catalog/products/${product}`, headers)
  expect(one.body.meta.explanation.catalog_rule.id).toBe(rule.id)
  const inRelease = await world.admin.get(`/catalogs/${catalog}/releases/${release.id}/products`, headers)
  expect(inRelease.body.meta.explanation).not.toHaveProperty('catalog_rule')
  expect(inRelease.body.data[0].meta.explanation.price.pricebooks).toHaveLength(2)
  for (const path of ['/catalog', '/catalog/products', `/catalog/products/${product}`]) {
    expect(JSON.stringify(await store.read('why', path, headers)), path).not.toContain('explanation')
    expect(JSON.stringify(await store.read('why', path)), path).not.toContain('explanation')
  }
})

test('shoppers get explanations if a setting allows it', async () => {
  const open = await openWorld({ env: { SUTLER_EXPLAIN_TO_SHOPPERS: 'true' } })
  try {
    const there = shopOf(open)
    await there.publish(await there.catalog([await there.hierarchy()]))
    const { body } = await open.shopper.get('/catalog', { prefer: 'explain' })
    expect(body.meta.explanation).toMatchObject({ catalog_rule: null, catalog_rules: [] })
  } finally {
    await open.close()
  }
})

test('the visibility of a product explains why it is invisible or cannot be bought', async () => {
  const book = await store.pricebook()
  const { hierarchy, node } = await store.shelf()
  const elsewhere = await store.shelf()
  const [good, draft, loose, away, late, unpriced] = [
    await shop.product({ sku: 'v-good' }),
    await shop.product({ sku: 'v-draft', status: 'draft' }),
    await shop.product({ sku: 'v-loose' }),
    await shop.product({ sku: 'v-away' }),
    await shop.product({ sku: 'v-late', status: 'draft' }),
    await shop.product({ sku: 'v-none' }),
  ]
  await shop.put(hierarchy, node, good, draft, late, unpriced)
  await shop.put(elsewhere.hierarchy, elsewhere.node, away)
  await store.dollars(book, 'v-good', 10)
  const catalog = await shop.catalog([hierarchy], { pricebook_id: book })
  const verdictOn = async (product: string, headers: Record<string, string> = { 'ep-channel': 'seen' }) => {
    const { status, body } = await world.admin.get(
      `/catalogs/${catalog}/visibility?product=${product}`,
      headers,
    )
    expect([status, body.errors]).toEqual([200, undefined])
    const { visible, purchasable, checks } = body.data
    const failed = checks.filter(({ passed }: Any) => !passed).map(({ verdict }: Any) => verdict)
    return { visible, purchasable, failed }
  }
  const missing = ['not_in_release', 'not_in_release', 'not_in_release']
  await store.lead(catalog, 'seen')
  expect((await verdictOn(good)).failed).toEqual([
    'no_release',
    'not_in_release',
    'not_in_release',
    'not_in_release',
  ])
  await shop.publish(catalog)
  await shop.change(late, { status: 'live' })
  expect(await verdictOn(good)).toEqual({ visible: true, purchasable: true, failed: [] })
  expect(await verdictOn(draft)).toMatchObject({
    visible: false,
    failed: ['draft', 'cannot_be_published', ...missing],
  })
  expect((await verdictOn(loose)).failed).toEqual([
    'in_no_node',
    'not_in_the_catalog',
    'cannot_be_published',
    ...missing,
  ])
  expect((await verdictOn(away)).failed).toEqual(['not_in_the_catalog', 'cannot_be_published', ...missing])
  expect((await verdictOn(late)).failed).toEqual(['not_published', ...missing])
  expect(await verdictOn(unpriced)).toEqual({ visible: true, purchasable: false, failed: ['unpriced'] })
  expect((await verdictOn(good, {})).failed).toContain('another_catalog')
  await shop.change(good, { name: 'Another' })
  expect(await verdictOn(good)).toEqual({ visible: true, purchasable: true, failed: ['changed_since'] })
  await shop.send('POST', `/v2/inventories/${good}`, { type: 'stock', quantity: 0 }, 201)
  expect(await verdictOn(good)).toMatchObject({
    visible: true,
    purchasable: false,
    failed: ['changed_since', 'out_of_stock'],
  })

  const unnamed = await world.admin.get(`/catalogs/${catalog}/visibility?product=x`)
  expect([unnamed.status, unnamed.body.errors[0].detail]).toEqual([
    400,
    'The parameter product must be the id of a product (a UUID), not "x".',
  ])
  expect((await world.shopper.get(`/catalogs/${catalog}/visibility?product=${good}`)).status).toBe(403)
})

test('the shop is shown as it was and as it will be', async () => {
  const { hierarchy, node } = await store.shelf()
  const product = await shop.product({ name: 'first' })
  await shop.put(hierarchy, node, product)
  const catalog = await shop.catalog([hierarchy])
  const { attributes } = await shop.publish(catalog)
  await shop.change(product, { name: 'second' })
  await shop.publish(catalog)
  await store.lead(catalog, 'times')
  const at = (time: string) =>
    world.admin.get('/catalog/products', { 'ep-channel': 'times', 'sutler-at': time })
  expect((await at(attributes.published_at)).body.data[0].attributes.name).toBe('first')
  expect((await at('2800-01-01T00:00:00Z')).body.data[0].attributes.name).toBe('second')
  expect((await at('2001-01-01T00:00:00Z')).status).toBe(404)
  const verdict = async (time: string) => {
    const path = `/catalogs/${catalog}/visibility?product=${product}`
    const { body } = await world.admin.get(path, { 'ep-channel': 'times', 'sutler-at': time })
    return body.data.checks.find(({ check }: Any) => check === 'release').verdict
  }
  expect(await verdict(attributes.published_at)).toBe('changed_since')
  expect(await verdict('2800-01-01T00:00:00Z')).toBe('published')
  expect(await verdict('2001-01-01T00:00:00Z')).toBe('no_release')
  const { status } = await world.shopper.get('/catalog', { 'sutler-at': '2800-01-01T00:00:00Z' })
  expect(status).toBe(403)
})

test('a configured bundle has the price of its selection', async () => {
  const book = await store.pricebook()
  const { hierarchy, node } = await store.shelf()
  const options: string[] = []
  for (const amount of [1, 20, 300]) {
    const sku = `c-${amount}`
    options.push(await shop.product({ sku }))
    await store.dollars(book, sku, amount)
  }
  const [a, b, c] = options as [string, string, string]
  const of = (id: string, more = {}) => ({ id, type: 'product', quantity: 1, ...more })
  const bundle = await shop.product({
    sku: 'c-all',
    components: {
      one: { name: 'One', min: 1, max: 1, options: [of(a), of(b)] },
      more: { name: 'More', options: [of(c, { min: 1, max: 3 })] },
    },
  })
  await shop.put(hierarchy, node, bundle)
  const catalog = await shop.catalog([hierarchy], { pricebook_id: book })
  const release = await shop.publish(catalog)
  await store.lead(catalog, 'choose')
  const path = `/products/${bundle}/configure`
  const configure = (selected_options: unknown) =>
    world.shopper.post(`/catalog${path}`, { data: { selected_options } }, { 'ep-channel': 'choose' })
  const chosen = { one: { [b]: 1 }, more: { [c]: 2 } }
  const { status, body } = await configure(chosen)
  expect([status, body.errors]).toEqual([200, undefined])
  expect(body.data.attributes.price.USD.amount).toBe(620)
  expect(body.data.meta.bundle_configuration.selected_options).toEqual(chosen)
  expect(Object.keys(body.data.meta.component_products).sort()).toEqual([b, c].sort())
  expect(body.data.meta.component_product_data[c]).toMatchObject({
    type: 'product',
    id: c,
    attributes: { sku: 'c-300', price: { USD: { amount: 300 } } },
  })
  const asMerchant = await world.admin.post(`/catalogs/${catalog}/releases/${release.id}${path}`, {
    data: { selected_options: chosen },
  })
  expect(asMerchant.body.data.attributes.price.USD.amount).toBe(620)
  // Nothing is stored.
  const { data } = await store.read('choose', `/catalog/products/${bundle}`)
  expect(data.attributes.price.USD.amount).toBe(1)
  const refused = await configure({ more: { [c]: 1 } })
  expect([refused.status, refused.body.errors[0].detail]).toEqual([
    422,
    'Missing selection for component one',
  ])
  for (const wrong of [undefined, 7, { one: 7 }, { one: { [b]: '1' } }]) {
    expect([wrong, (await configure(wrong)).status]).toEqual([wrong, 400])
  }
  const alone = `/catalog/products/${a}/configure`
  const noBundle = await world.shopper.post(
    alone,
    { data: { selected_options: {} } },
    { 'ep-channel': 'choose' },
  )
  expect(noBundle.status).toBe(422)
})
