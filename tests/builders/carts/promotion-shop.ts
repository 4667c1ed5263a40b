import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'
import { shopOf } from '../shop/publishing.ts'

/** A shop for the tests of a file: three products, promotions of both kinds, and carts. */
export function promotionShop() {
  let world: World
  let shop: ReturnType<typeof shopOf>
  const ids: Record<string, string> = {}
  beforeAll(async () => {
    world = await openWorld()
    shop = shopOf(world)
    const hierarchy = await shop.hierarchy()
    const node = await shop.node(hierarchy)
    for (const sku of ['LOAF', 'RYE', 'JAM']) ids[sku] = await shop.product({ sku, name: sku })
    await shop.put(hierarchy, node, ...Object.values(ids))
    const attributes = { name: 'Prices' }
    const book = (await shop.send('POST', '/pcm/pricebooks', { type: 'pricebook', attributes }, 201)).id
    for (const [sku, amount] of [
      ['LOAF', 1000],
      ['RYE', 500],
      ['JAM', 300],
    ] as const) {
      const price = { sku, currencies: { USD: { amount, includes_tax: false } } }
      await shop.send(
        'POST',
        `/pcm/pricebooks/${book}/prices`,
        { type: 'product-price', attributes: price },
        201,
      )
    }
    await shop.publish(await shop.catalog([hierarchy], { pricebook_id: book }))
    const settings = { discounts: { use_rule_promotions: true, custom_discounts_enabled: false } }
    await world.admin.put('/v2/settings/cart', { data: { type: 'settings', ...settings } })
  })
  afterAll(() => world.close())

  // Promotions apply to every cart of the store: each test has its own.
  let made: string[] = []
  beforeEach(async () => {
    for (const path of made) await world.admin.delete(path)
    made = []
  })

  const period = { start: '2020-01-01T00:00:00Z', end: '2099-01-01T00:00:00Z' }

  async function create(path: string, data: object): Promise<string> {
    const reply = await world.admin.post(path, { data })
    if (reply.status !== 201) throw new Error(JSON.stringify(reply.body))
    made.push(`${path}/${reply.body.data.id}`)
    return reply.body.data.id
  }

  const standard = (promotion_type: string, schema: object, more: object = {}) =>
    create('/v2/promotions', {
      ...{
        type: 'promotion',
        name: promotion_type,
        description: 'A discount',
        enabled: true,
        automatic: true,
      },
      ...{ ...period, promotion_type, schema },
      ...more,
    })

  const rule = (rule_set: object, more: object = {}) =>
    create('/v2/rule-promotions', {
      ...{ type: 'rule_promotion', name: 'A rule', enabled: true, automatic: true, ...period, rule_set },
      ...more,
    })

  const code = async (promotion: string, text: string, more: object = {}, path = '/v2/rule-promotions') => {
    const data = { type: 'promotion_codes', codes: [{ code: text, ...more }] }
    const reply = await world.admin.post(`${path}/${promotion}/codes`, { data })
    if (reply.status !== 201) throw new Error(JSON.stringify(reply.body))
  }

  let carts = 0
  const newCart = () => `/v2/carts/promotions-${++carts}`
  const add = (cart: string, data: unknown) => world.shopper.post(`${cart}/items`, { data })
  const product = (sku: string, quantity = 1) => ({ type: 'cart_item', sku, quantity })
  const enter = (cart: string, text: string) => add(cart, { type: 'promotion_item', code: text })

  const percentOff = (percent: number) => ({
    rules: { strategy: 'cart_total', operator: 'gte', args: [1] },
    actions: [{ strategy: 'cart_discount', args: ['percent', percent] }],
  })
  const total = ({ body }: { body: Any }) => body.meta.display_price.with_tax.amount
  const items = ({ body }: { body: Any }) => body.data.map(({ sku, value }: Any) => [sku, value.amount])
  const titles = ({ body }: { body: Any }) => (body.meta.messages ?? []).map(({ title }: Any) => title)

  return {
    ...{ ids, create, standard, rule, code, newCart, add, product, enter, percentOff, total, items, titles },
    get world() {
      return world
    },
    get shop() {
      return shop
    },
  }
}
