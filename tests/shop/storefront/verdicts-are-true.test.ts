import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shopOf } from '../../builders/shop/publishing.ts'
import { storeOf } from '../../builders/shop/storefront.ts'
import { tries } from '../../support/long.ts'
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

const optionNames = ['dollars', 'euros', 'taxed', 'unpriced', 'draft'] as const
type OptionName = (typeof optionNames)[number]

/** A product in any state. */
const spec = fc.record({
  price: fc.constantFrom('dollars', 'euros', 'none', 'other book'),
  hasSku: fc.boolean(),
  options: fc.option(fc.uniqueArray(fc.constantFrom(...optionNames), { minLength: 1, maxLength: 2 }), {
    nil: undefined,
  }),
  selected: fc.boolean(),
  min: fc.constantFrom(undefined, 1),
  status: fc.constantFrom('live', 'live', 'draft'),
  place: fc.constantFrom('here', 'here', 'elsewhere', 'nowhere'),
  isOption: fc.boolean(),
  stock: fc.constantFrom(undefined, undefined, 0, 3),
  time: fc.constantFrom('before', 'before', 'after'),
  change: fc.constantFrom(undefined, undefined, 'renamed', 'draft', 'taken'),
})

test('the verdicts say what a shopper gets now, and what the next release changes', async () => {
  const [book, other] = [await store.pricebook(), await store.pricebook()]
  await store.currency('EUR', '€{price}')
  const here = await store.shelf()
  const elsewhere = await store.shelf()
  const amount = (currency: string, includes_tax = false) => ({
    currencies: { [currency]: { amount: 500, includes_tax } },
  })
  const options = new Map<OptionName, string>()
  for (const name of optionNames) {
    const sku = `option-${name}`
    options.set(name, await shop.product({ sku, status: name === 'draft' ? 'draft' : 'live' }))
    if (name === 'euros') await store.price(book, sku, amount('EUR'))
    else if (name === 'taxed') await store.price(book, sku, amount('USD', true))
    else if (name !== 'unpriced') await store.price(book, sku, amount('USD'))
  }
  const make = async (one: Any, i: number): Promise<string> => {
    const sku = `any-${i}`
    const components = one.options && {
      one: {
        name: 'One',
        min: one.min,
        options: one.options.map((name: OptionName) => ({
          id: options.get(name),
          type: 'product',
          quantity: 2,
          default: one.selected,
        })),
      },
    }
    const hasSku = one.hasSku || !components
    const id = await shop.product({
      status: one.status,
      ...(components && { components }),
      ...(hasSku ? { sku } : { sku: undefined, slug: sku }),
    })
    if (hasSku && one.price !== 'none') {
      const into = one.price === 'other book' ? other : book
      await store.price(into, sku, amount(one.price === 'euros' ? 'EUR' : 'USD'))
    }
    if (one.place === 'here') await shop.put(here.hierarchy, here.node, id)
    if (one.place === 'elsewhere') await shop.put(elsewhere.hierarchy, elsewhere.node, id)
    if (one.stock !== undefined && !components) {
      await shop.send('POST', `/v2/inventories/${id}`, { type: 'stock', quantity: one.stock }, 201)
    }
    return id
  }
  const catalog = await shop.catalog([here.hierarchy], { pricebook_id: book })
  await store.lead(catalog, 'here')
  const another = await shop.catalog([elsewhere.hierarchy], { pricebook_id: book })
  await store.lead(another, 'there')

  const specs = fc.sample(spec, tries(24, 60)).map((one, i) => ({ ...one, i }))
  const ids = new Map<number, string>()
  for (const one of specs.filter(({ time }) => time === 'before')) ids.set(one.i, await make(one, one.i))
  const offered = specs.filter(({ isOption, i }) => isOption && ids.has(i))
  const components = Object.fromEntries(
    offered.map(({ i }) => [
      `c${i}`,
      { name: `C${i}`, options: [{ id: ids.get(i), type: 'product', quantity: 1 }] },
    ]),
  )
  if (offered.length) await shop.put(here.hierarchy, here.node, await shop.product({ components }))

  /** The verdicts of all products, compared with what the shopper of a channel reads. */
  const compare = async (channel: string, currency: string) => {
    const headers = { 'x-moltin-currency': currency }
    const { status, body } = await store.see(channel, '/catalog/products?page[limit]=100', headers)
    const list = new Map<string, Any>(status === 200 ? body.data.map((one: Any) => [one.id, one]) : [])
    const verdicts = new Map<number, Any>()
    for (const one of specs) {
      const id = ids.get(one.i)
      if (!id) continue
      const reply = await world.admin.get(`/catalogs/${catalog}/visibility?product=${id}`, {
        'ep-channel': channel,
        ...headers,
      })
      const { data } = reply.body
      const about = JSON.stringify([one, channel, currency, data])
      const shown = channel === 'here' ? list.get(id) : undefined
      const display = shown?.meta.display_price
      const shownIn = (display?.with_tax ?? display?.without_tax)?.currency
      const isBundle = one.options !== undefined
      expect(data.visible, about).toBe(shown !== undefined)
      expect(data.purchasable, about).toBe(shownIn === currency && (isBundle || one.stock !== 0))
      const of = new Map<string, string>(data.checks.map(({ check, verdict }: Any) => [check, verdict]))
      if (shown) {
        expect(of.get('price') === 'priced', about).toBe(shownIn === currency)
        const amounts = shown.attributes.price
        const isUnfilled = one.min === 1 && one.options?.every((name) => name === 'draft') === true
        expect(of.get('price') === 'component_unfilled', about).toBe(isUnfilled)
        if (of.get('price') === 'other_currencies_only')
          expect(Object.keys(amounts ?? {}).length, about).toBe(1)
        else if (of.get('price') !== 'priced') expect(amounts, about).toBeUndefined()
        const explained = await world.admin.get(`/catalog/products/${id}`, {
          'ep-channel': channel,
          prefer: 'explain',
          ...headers,
        })
        const { no_price } = explained.body.data.meta.explanation
        expect(no_price?.verdict, about).toBe(shownIn === currency ? undefined : of.get('price'))
      }
      verdicts.set(one.i, { verdict: data.verdict, of, visible: data.visible })
    }
    return verdicts
  }

  for (const verdict of (await compare('here', 'USD')).values()) {
    expect(verdict.of.get('release')).toBe('no_release')
  }
  await shop.publish(catalog)
  await shop.publish(another)
  for (const one of specs.filter(({ time }) => time === 'after')) ids.set(one.i, await make(one, one.i))
  for (const one of specs) {
    const id = ids.get(one.i) as string
    if (one.change === 'renamed') await shop.change(id, { name: `New ${one.i}` })
    if (one.change === 'draft') await shop.change(id, { status: 'draft' })
    if (one.change === 'taken' && one.place === 'here') {
      const path = `/pcm/hierarchies/${here.hierarchy}/nodes/${here.node}/relationships/products`
      const body = JSON.stringify({ data: [{ type: 'product', id }] })
      expect((await world.admin.send('DELETE', path, { body })).status).toBeLessThan(300)
    }
  }
  for (const verdict of (await compare('there', 'USD')).values()) {
    expect(verdict.verdict).toBe('another_catalog')
  }
  await compare('here', 'EUR')
  const before = await compare('here', 'USD')
  await shop.publish(catalog)
  const after = await compare('here', 'USD')
  for (const [i, { of, visible }] of before) {
    const now = after.get(i)
    const about = JSON.stringify([specs[i], [...of], [...now.of]])
    const isLater = ['status', 'nodes', 'hierarchies'].some((check) =>
      /^(draft_since|left_)/.test(of.get(check) ?? ''),
    )
    const isMissing = ['not_published', 'cannot_be_published', 'only_in_bundles'].includes(of.get('release'))
    expect(isMissing, about).toBe(!visible)
    if (isLater) expect(now.visible, about).toBe(false)
    else if (of.get('release') === 'not_published') expect(now.visible, about).toBe(true)
    else expect(now.visible, about).toBe(visible)
    if (of.get('release') === 'changed_since' && !isLater)
      expect(now.of.get('release'), about).toBe('published')
  }
})
