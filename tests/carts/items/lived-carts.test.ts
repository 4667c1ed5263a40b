import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { guestBody } from '../../builders/orders/buying.ts'
import { shopOf } from '../../builders/shop/publishing.ts'
import { storeOf } from '../../builders/shop/storefront.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'

/**
 * A cart keeps prices as long as they hold, and answers are remembered. Whatever happens to a cart and around it, it
 * costs what a cart costs that is filled at this moment with the same things.
 */

// biome-ignore lint/suspicious/noExplicitAny: as for Reply.
type Any = any

let laterMs = 0
const minuteMs = 60_000
const minutesAhead = (minutes: number) => new Date(Date.now() + laterMs + minutes * minuteMs).toISOString()

const skus = ['LOAF', 'RYE', 'BUN'] as const
type Sku = (typeof skus)[number]

let world: World
let shop: ReturnType<typeof shopOf>
/** By the tag of a shopper: what they see, and at what prices. */
const shops: Record<string, { catalog: string; book: string; prices: Record<string, string> }> = {}
const promotions: Record<string, string> = {}
beforeAll(async () => {
  world = await openWorld({
    clock: { now: () => new Date(Date.now() + laterMs) },
    env: { SUTLER_TOKEN_LIFETIME_S: '31536000' },
  })
  shop = shopOf(world)
  const store = storeOf(world, shop)
  const { hierarchy, node } = await store.shelf()
  for (const sku of skus) await shop.put(hierarchy, node, await shop.product({ sku, slug: sku }))
  for (const tag of ['none', 'vip']) {
    const book = await store.pricebook()
    const prices: Record<string, string> = {}
    for (const sku of skus) prices[sku] = (await store.price(book, sku, priceOf(amountOf(sku, tag)))).id
    const catalog = await shop.catalog([hierarchy], { pricebook_id: book })
    await shop.publish(catalog)
    const attributes = { name: `Of ${tag}`, catalog_id: catalog, ...(tag === 'vip' && { tags: [tag] }) }
    await shop.send('POST', '/catalogs/rules', { type: 'catalog_rule', attributes }, 201)
    shops[tag] = { catalog, book, prices }
  }
  const discounts = { use_rule_promotions: true, custom_discounts_enabled: false }
  await world.admin.put('/v2/settings/cart', { data: { type: 'settings', discounts } })
  promotions.automatic = await promotion('/v2/rule-promotions', { ...tenth, automatic: true })
  promotions.standard = await promotion('/v2/promotions', five)
  promotions.coded = await promotion('/v2/rule-promotions', { ...bunsOff, automatic: false })
  const codes = ['BUNS', 'OTHER'].map((code) => ({ code }))
  await shop.send('POST', `${promotions.coded}/codes`, { type: 'promotion_codes', codes }, 201)
})
afterAll(() => world.close())

const amountOf = (sku: Sku, tag: string) => (skus.indexOf(sku) + 1) * (tag === 'vip' ? 70 : 100)
const tiers = { ten: { minimum_quantity: 4, amount: 61 } }
const priceOf = (amount: number, saleMinutes = 0) => ({
  currencies: { USD: { amount, includes_tax: false, tiers } },
  ...(saleMinutes && {
    sales: {
      flash: {
        schedule: { valid_to: minutesAhead(saleMinutes) },
        currencies: { USD: { amount: 33, includes_tax: false } },
      },
    },
  }),
})

const always = { start: '2020-01-01T00:00:00Z', end: '2099-01-01T00:00:00Z' }
const tenth = {
  ...{ type: 'rule_promotion', name: 'A tenth', enabled: true, ...always },
  rule_set: {
    rules: { strategy: 'cart_total', operator: 'gte', args: [500] },
    actions: [{ strategy: 'cart_discount', args: ['percent', 10] }],
  },
}
const bunsOff = {
  ...{ type: 'rule_promotion', name: 'Buns', enabled: true, ...always },
  rule_set: {
    rules: { strategy: 'cart_total', operator: 'gte', args: [1] },
    actions: [
      {
        strategy: 'item_discount',
        args: ['fixed', 7],
        condition: { strategy: 'item_sku', operator: 'in', args: ['BUN'] },
      },
    ],
  },
}
const five = {
  ...{ type: 'promotion', name: 'Five', description: 'Off', enabled: true, automatic: true, ...always },
  ...{ promotion_type: 'fixed_discount', schema: { currencies: [{ amount: 5, currency: 'USD' }] } },
}

const promotion = async (path: string, data: object) =>
  `${path}/${(await shop.send('POST', path, data, 201)).id}`

const sku = fc.constantFrom<Sku>(...skus)
const tag = fc.constantFrom('none', 'vip')
const quantity = fc.integer({ min: 1, max: 5 })
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('add' as const), sku, quantity }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('add a custom item' as const), amount: fc.nat(300) }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('update' as const), which: fc.nat(5), quantity }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('remove' as const), which: fc.nat(5) }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('enter' as const), code: fc.constantFrom('BUNS', 'OTHER') }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('remove code' as const), which: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('reprice' as const),
      tag,
      sku,
      amount: fc.nat(400),
      saleMinutes: fc.constantFrom(0, 0, 3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('promote' as const),
      which: fc.constantFrom('automatic', 'standard', 'coded'),
      enabled: fc.boolean(),
      minutes: fc.constantFrom(0, 3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('come back' as const), minutes: fc.constantFrom(1, 4) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('change tags' as const), tag }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('compute' as const),
      method: fc.constantFrom('simple', 'line'),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

interface Line {
  readonly sku: string
  readonly quantity: number
  /** Of a custom item. */
  readonly amount?: number
}

let counter = 0

/** A cart, and what it should have in it. */
class LivedCart {
  readonly path = `/v2/carts/lived-${++counter}`
  lines: Line[] = []
  codes: string[] = []
  tag = 'none'

  /** Whether the server has done it, and not refused it with `refusal`. */
  async #write(method: string, path: string, data?: unknown, refusal?: number): Promise<boolean> {
    const reply = await world.shopper.send(method, this.path + path, {
      // The other operations keep the shopper of before.
      headers: method === 'POST' ? { 'EP-Context-Tag': this.tag } : {},
      ...(data !== undefined && { body: JSON.stringify({ data }) }),
    })
    if (reply.status === refusal) return false
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`)
    return true
  }

  async items(): Promise<Any[]> {
    const { body } = await world.shopper.get(`${this.path}/items`)
    return body.data.filter(({ type }: Any) => type !== 'promotion_item')
  }

  async add({ sku, quantity, amount }: Line): Promise<void> {
    const custom = { type: 'custom_item', name: sku, sku, quantity, price: { amount } }
    await this.#write('POST', '/items', amount === undefined ? { type: 'cart_item', sku, quantity } : custom)
    const at = this.lines.findIndex((line) => line.sku === sku)
    const before = this.lines[at]
    if (before) this.lines[at] = { ...before, quantity: before.quantity + quantity }
    else this.lines.push({ sku, quantity, ...(amount !== undefined && { amount }) })
  }

  async take(one: Step): Promise<void> {
    switch (one.does) {
      case 'add':
        return this.add(one)
      case 'add a custom item':
        return this.add({ sku: `C${this.lines.length}-${one.amount}`, quantity: 1, amount: one.amount })
      case 'update':
      case 'remove': {
        const items = await this.items()
        const item = items[one.which % Math.max(1, items.length)]
        if (!item) return
        const at = this.lines.findIndex(({ sku }) => sku === item.sku)
        if (one.does === 'remove') {
          await this.#write('DELETE', `/items/${item.id}`)
          this.lines.splice(at, 1)
        } else {
          await this.#write('PUT', `/items/${item.id}`, { type: item.type, quantity: one.quantity })
          this.lines[at] = { ...(this.lines[at] as Line), quantity: one.quantity }
        }
        return
      }
      case 'enter':
        return this.enter(one.code)
      case 'remove code': {
        const code = this.codes[one.which]
        if (code === undefined) return
        await this.#write('DELETE', `/discounts/${code}`)
        this.codes.splice(one.which, 1)
        return
      }
      case 'change tags':
        this.tag = one.tag
        return this.add({ sku: 'BUN', quantity: 1 })
      default:
        await happen(one)
    }
  }

  async enter(code: string): Promise<void> {
    if (this.codes.includes(code) || !this.lines.length) return
    // A cart keeps a code that takes nothing now, but does not accept one.
    const isAccepted = await this.#write('POST', '/items', { type: 'promotion_item', code }, 404)
    if (isAccepted) this.codes.push(code)
  }

  /** What it costs, without what differs between two carts. */
  async costs(): Promise<unknown> {
    const { body } = await world.shopper.get(`${this.path}?include=items`)
    return costsOf(body.data, body.included?.items ?? [])
  }
}

const costsOf = ({ meta }: Any, items: readonly Any[]) => ({
  total: meta.display_price,
  items: items.map(({ sku, quantity, unit_price, value, discounts = [], meta }: Any) => ({
    ...{ sku, quantity, unit: unit_price.amount, value: value.amount, price: meta.display_price },
    discounts: discounts.map(({ id, code, amount }: Any) => [id, code, amount.amount]),
  })),
})

/** What has happened in the store since the last run, and how to undo it. */
const changed = new Map<string, () => Promise<unknown>>()

/** What happens in the store. */
async function happen(one: Step): Promise<unknown> {
  if (one.does === 'come back') laterMs += one.minutes * minuteMs
  else if (one.does === 'compute') {
    changed.set('compute', () => compute('line'))
    return compute(one.method)
  } else if (one.does === 'reprice') {
    changed.set(`${one.tag} ${one.sku}`, () => reprice(one.tag, one.sku, priceOf(amountOf(one.sku, one.tag))))
    return reprice(one.tag, one.sku, priceOf(one.amount, one.saleMinutes))
  } else if (one.does === 'promote') {
    changed.set(one.which, () => promote(one.which, { enabled: true, end: always.end }))
    const end = one.minutes ? minutesAhead(one.minutes) : always.end
    return promote(one.which, { enabled: one.enabled, end })
  }
}

const compute = (method: string) =>
  world.admin.put('/v2/settings', { data: { type: 'settings', calculation_method: method } })

async function reprice(tag: string, sku: string, price: object): Promise<void> {
  const { catalog, book, prices } = shops[tag] as (typeof shops)['none']
  const id = prices[sku] as string
  const data = { type: 'product-price', id, attributes: { sku, ...price } }
  await shop.send('PUT', `/pcm/pricebooks/${book}/prices/${id}`, data, 200)
  await shop.publish(catalog)
}

async function promote(which: string, values: object): Promise<void> {
  const path = promotions[which] as string
  const { data } = await shop.get(path)
  await shop.send('PUT', path, { type: data.type, id: data.id, ...values }, 200)
}

/** A cart that is filled now. */
async function fill({ lines, codes, tag }: LivedCart): Promise<LivedCart> {
  const cart = new LivedCart()
  cart.tag = tag
  for (const line of lines) await cart.add(line)
  for (const code of codes) await cart.enter(code)
  return cart
}

test('a cart costs what a new one with the same things costs, and so does its order', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      for (const undo of changed.values()) await undo()
      changed.clear()
      const cart = new LivedCart()
      for (const one of steps) {
        await cart.take(one)
        // Also reads that keep an answer.
        await cart.costs()
      }
      const [lived, anew] = [await cart.costs(), await (await fill(cart)).costs()]
      expect(lived).toEqual(anew)
      if (!cart.lines.length) return
      const { status, body } = await world.shopper.post(`${cart.path}/checkout`, guestBody())
      expect([status, body.errors]).toEqual([201, undefined])
      const order = costsOf(body.data, body.included.items)
      expect((order.total as Any).with_tax.amount).toBe((lived as Any).total.with_tax.amount)
    }),
    { numRuns: tries(12, 400) },
  )
})
