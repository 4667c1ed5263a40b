import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Merchant } from '../../builders/assortment/variations.ts'
import { makeFlow } from '../../builders/fields/flows.ts'
import { publishedOf, shopOf } from '../../builders/shop/publishing.ts'
import { tries } from '../../support/long.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let shop: ReturnType<typeof shopOf>
beforeAll(async () => {
  world = await openWorld()
  shop = shopOf(world)
})
afterAll(() => world.close())

/** What a merchant may do between two publications. Numbers choose among what there is. */
const act = fc.record({
  what: fc.constantFrom(
    'name',
    'status',
    'attach',
    'detach',
    'move node',
    'name node',
    'curate',
    'delete',
    'delete node',
    'bundle',
    'bundle in bundle',
    'name variation',
    'sort variation',
    'name option',
    'sort option',
    'delete option',
    'associate',
    'template',
    'new node',
    'new product',
    'child status',
    'modifier',
    'file',
    'price',
    'delete price',
    'price modifier',
  ),
  a: fc.nat(99),
  b: fc.nat(99),
})

interface Stock {
  readonly hierarchy: string
  readonly nodes: string[]
  readonly products: string[]
  readonly children: string[]
  readonly bundles: string[]
  readonly options: readonly { variation: string; option: string }[]
  readonly variations: readonly string[]
  readonly pricebook: string
  /** What may be priced: of those that there were in the beginning. */
  readonly skus: readonly string[]
}

const pick = <T>(of: readonly T[], n: number): T => of[n % of.length] as T

async function stocked(): Promise<Stock> {
  const hierarchy = await shop.hierarchy()
  const upper = await shop.node(hierarchy)
  const nodes = [upper, await shop.node(hierarchy, upper), await shop.node(hierarchy)]
  const merchant = new Merchant(world)
  const size = await merchant.variation('Size', 'S', 'M')
  const fit = await merchant.variation('Fit', 'Slim')
  const shirt = await shop.product()
  await merchant.link(shirt, size.id, fit.id)
  expect(await merchant.build(shirt)).toEqual([])
  const { data } = await shop.get(`/pcm/products/${shirt}/children`)
  const children = data.map(({ id }: Any) => id)
  for (const id of children) await shop.change(id, { status: 'live' })
  const products = [shirt, await shop.product(), await shop.product(), await shop.product()]
  const bundles = [await shop.product(), await shop.product()]
  await shop.put(hierarchy, upper, shirt, ...bundles)
  const options = [size, fit].flatMap(({ id, of }) =>
    Object.values(of).map((option) => ({ variation: id, option })),
  )
  const variations = [size.id, fit.id]
  const attributes = { name: `Book of ${hierarchy}` }
  const { id: pricebook } = await shop.send('POST', '/pcm/pricebooks', { type: 'pricebook', attributes }, 201)
  const all = [...products, ...bundles, ...children]
  const skus = await Promise.all(
    all.map(async (id) => (await shop.get(`/pcm/products/${id}`)).data.attributes.sku),
  )
  return { hierarchy, nodes, products, children, bundles, options, variations, pricebook, skus }
}

/** Does it, if it can be done: what is refused changes nothing. */
async function carryOut(stock: Stock, { what, a, b }: { what: string; a: number; b: number }): Promise<void> {
  const { hierarchy, nodes, products, children, bundles } = stock
  const all = [...products, ...bundles]
  const call = (method: string, path: string, data?: unknown) =>
    world.admin.send(method, path, { ...(data !== undefined && { body: JSON.stringify({ data }) }) })
  const change = (type: string, path: string, id: string, attributes: object) =>
    call('PUT', `${path}/${id}`, { type, id, attributes })
  const inHierarchy = `/pcm/hierarchies/${hierarchy}/nodes`
  const inNode = (node: string) => `${inHierarchy}/${node}/relationships/products`
  const links = (...ids: string[]) => ids.map((id) => ({ type: 'product', id }))
  const node = pick(nodes, b)
  switch (what) {
    case 'name':
      return void (await change('product', '/pcm/products', pick(all, a), {
        name: `Named ${b}`,
        tags: [`t${b}`],
      }))
    case 'status':
      return void (await change('product', '/pcm/products', pick(all, a), {
        status: b % 3 ? 'live' : 'draft',
      }))
    case 'child status':
      return void (await change('product', '/pcm/products', pick(children, a), {
        status: b % 2 ? 'live' : 'draft',
      }))
    case 'attach':
      return void (await call('POST', inNode(node), links(pick(all, a))))
    case 'detach':
      return void (await call('DELETE', inNode(node), links(pick(all, a))))
    case 'move node': {
      const to = pick([hierarchy, ...nodes], a)
      const data = { type: to === hierarchy ? 'hierarchy' : 'node', id: to }
      return void (await call('PUT', `${inHierarchy}/${node}/relationships/parent`, data))
    }
    case 'name node':
      return void (await change('node', inHierarchy, node, { name: `Shelf named ${a}` }))
    case 'curate': {
      const { body } = await world.admin.get(`${inHierarchy}/${node}/products`)
      const ids = (body.data as { id: string }[] | undefined)?.map(({ id }) => id).slice(0, a % 3) ?? []
      return void (await change('node', inHierarchy, node, { curated_products: ids }))
    }
    case 'delete':
      return void (await call('DELETE', `/pcm/products/${pick(products.slice(1), a)}`))
    case 'delete node':
      return void (await call('DELETE', `${inHierarchy}/${pick(nodes.slice(1), b)}`))
    case 'bundle': {
      const option = (n: number) => ({
        id: pick([...products, ...children], n),
        type: 'product',
        quantity: 1,
      })
      const options = [{ ...option(b), ...(a % 3 === 0 && { default: true }) }, option(b + 1)]
      const components = a % 4 ? { some: { name: 'Some', min: (a % 5) % 3, options } } : {}
      return void (await change('product', '/pcm/products', pick(bundles, a), { components }))
    }
    case 'bundle in bundle': {
      const option = { id: pick(bundles, a + 1), type: 'product', quantity: 1 }
      const components = { box: { name: 'Box', min: b % 2, options: [option] } }
      return void (await change('product', '/pcm/products', pick(bundles, a), { components }))
    }
    case 'name variation':
    case 'sort variation': {
      const attributes = what === 'name variation' ? { name: `Cut ${b}` } : { sort_order: b }
      return void (await change(
        'product-variation',
        '/pcm/variations',
        pick(stock.variations, a),
        attributes,
      ))
    }
    case 'name option':
    case 'sort option': {
      const { variation, option } = pick(stock.options, a)
      const attributes = what === 'name option' ? { name: `o${b}`, description: `o${b}` } : { sort_order: b }
      const path = `/pcm/variations/${variation}/options`
      return void (await change('product-variation-option', path, option, attributes))
    }
    case 'delete option': {
      if (b % 4) return
      const { variation, option } = pick(stock.options, a)
      return void (await call('DELETE', `/pcm/variations/${variation}/options/${option}`))
    }
    case 'associate':
      return void (await call(
        a % 3 ? 'POST' : 'DELETE',
        `/pcm/products/${pick(all, a)}/custom-relationships/CRP_with`,
        links(pick(all, b)),
      ))
    case 'template':
      return void (await call('POST', '/v2/flows/products(care)/entries', {
        type: 'entry',
        id: pick(all, a),
        wash: `${b} C`,
      }))
    case 'new node':
      return void nodes.push(
        await shop.node(hierarchy, pick([hierarchy, hierarchy, ...nodes.slice(0, 1)], a)),
      )
    case 'new product': {
      const id = await shop.product()
      products.push(id)
      return void (await call('POST', inNode(node), links(id)))
    }
    case 'modifier': {
      const { variation, option } = pick(stock.options, a)
      const data = {
        type: 'product-variation-modifier',
        attributes: { type: 'price', reference_name: `P${b % 3}` },
      }
      return void (await call('POST', `/pcm/variations/${variation}/options/${option}/modifiers`, data))
    }
    case 'price': {
      const { pricebook, skus } = stock
      const currencies = { USD: { amount: 100 + b, includes_tax: false } }
      const attributes = { sku: pick(skus, a), currencies }
      const { body } = await call('POST', `/pcm/pricebooks/${pricebook}/prices`, {
        type: 'product-price',
        attributes,
      })
      if (body.data) return
      const id = await priceOf(stock, attributes.sku)
      return void (await change('product-price', `/pcm/pricebooks/${pricebook}/prices`, id, { currencies }))
    }
    case 'delete price': {
      const id = await priceOf(stock, pick(stock.skus, a))
      return void (id && (await call('DELETE', `/pcm/pricebooks/${stock.pricebook}/prices/${id}`)))
    }
    case 'price modifier': {
      const path = `/pcm/pricebooks/${stock.pricebook}/modifiers`
      const { data } = await shop.get(path)
      const existing = data.find(({ attributes }: Any) => attributes.name === `P${a % 3}`)
      if (existing && b % 4 === 0) return void (await call('DELETE', `${path}/${existing.id}`))
      const attributes = {
        name: `P${a % 3}`,
        modifier_type: 'price_increment',
        currencies: { USD: { amount: b + 1, includes_tax: false } },
      }
      if (existing) return void (await change('price-modifier', path, existing.id, attributes))
      return void (await call('POST', path, { type: 'price-modifier', attributes }))
    }
    case 'file': {
      const id = (await world.sql('SELECT id FROM files WHERE store_id = $1', [world.storeId])).rows[0]?.id
      return void (await call('POST', `/pcm/products/${pick(all, a)}/relationships/files`, [
        { type: 'file', id },
      ]))
    }
  }
}

async function priceOf({ pricebook }: Stock, sku: string): Promise<string> {
  const { data } = await shop.get(`/pcm/pricebooks/${pricebook}/prices?filter=eq(sku,${sku})`)
  return data[0]?.id
}

test('an incremental release equals one from scratch', async () => {
  const associated = { type: 'custom-relationship', attributes: { name: 'Goes with', slug: 'CRP_with' } }
  await shop.send('POST', '/pcm/custom-relationships', associated, 201)
  await makeFlow(world.admin, 'products(care)', { wash: { field_type: 'string' } })
  const form = new FormData()
  form.append('file_location', 'https://files.example/loaf.png')
  expect((await world.admin.send('POST', '/v2/files', { body: form })).status).toBe(201)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(act, { minLength: 1, maxLength: 8 }), { minLength: 2, maxLength: 4 }),
      async (rounds) => {
        const stock = await stocked()
        const priced = { pricebook_id: stock.pricebook }
        const [bit, whole] = [
          await shop.catalog([stock.hierarchy], priced),
          await shop.catalog([stock.hierarchy], priced),
        ]
        await shop.publish(bit)
        for (const acts of rounds) {
          for (const one of acts) await carryOut(stock, one)
          const { meta } = await shop.publish(bit)
          expect(meta.is_full_publish).toBe(false)
          await shop.send('DELETE', `/catalogs/${whole}/releases`, undefined, 204)
          await shop.publish(whole)
          expect(await publishedOf(world, bit)).toEqual(await publishedOf(world, whole))
        }
      },
    ),
    { numRuns: tries(2, 5), endOnFailure: true },
  )
}, 120_000)
