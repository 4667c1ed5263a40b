import { afterAll, beforeAll, expect, test } from 'vitest'
import { addCodes, makePromotion, newCode } from '../../builders/promotions/codes.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

/** How codes that shoppers type stand in their carts. */

let world: World
beforeAll(async () => {
  world = await openWorld()
  const discounts = { use_rule_promotions: true, custom_discounts_enabled: false }
  await world.admin.put('/v2/settings/cart', { data: { type: 'settings', discounts } })
})
afterAll(() => world.close())

let carts = 0
const newCart = () => `/v2/carts/codes-${++carts}`
const add = (cart: string, ...data: readonly object[]) => world.shopper.post(`${cart}/items`, { data })
const wrap = { type: 'custom_item', name: 'Wrap', sku: 'WRAP', quantity: 1, price: { amount: 1000 } }
const promotionItems = ({ body }: Any) =>
  body.data.flatMap(({ type, code, sku, value }: Any) =>
    type === 'promotion_item' ? [{ code, sku, amount: value.amount }] : [],
  )

const codeOf = async (kind: 'promotions' | 'rule-promotions', text: string): Promise<void> => {
  const forever = { start: '2020-01-01', end: '2099-01-01' }
  const promotion = await makePromotion(world.admin, kind, { ...forever, automatic: false })
  await addCodes(world.admin, promotion, { code: text })
}

test('white space at the ends of a code does not count, and the cart shows the code without it', async () => {
  const code = newCode()
  await codeOf('rule-promotions', ` ${code} `)
  const cart = newCart()
  const typed = [` ${code}`, `${code.toUpperCase()}\u00a0\t`].map((text) => ({
    ...{ type: 'promotion_item', code: text },
  }))
  const reply = await add(cart, wrap, ...typed)
  expect([reply.status, reply.body.errors, promotionItems(reply)]).toEqual([
    201,
    undefined,
    [{ code, sku: code, amount: -100 }],
  ])
  const removed = await world.shopper.delete(`${cart}/discounts/${encodeURIComponent(` ${code} `)}`)
  expect([removed.status, promotionItems(await world.shopper.get(`${cart}/items`))]).toEqual([204, []])
  const blank = await add(cart, { type: 'promotion_item', code: '  ' })
  expect([blank.status, blank.body.errors[0].source]).toEqual([400, 'data.0.code'])
})

test('the item of a promotion has its code, and an automatic one has its own', async () => {
  const code = newCode()
  await codeOf('promotions', code)
  const cart = newCart()
  const entered = await add(cart, wrap, { type: 'promotion_item', code })
  expect(promotionItems(entered)).toEqual([{ code, sku: code, amount: -500 }])
  const automatic = await makePromotion(world.admin, 'rule-promotions', {
    ...{ start: '2020-01-01', end: '2099-01-01', automatic: true },
  })
  const id = automatic.split('/').at(-1)
  const read = await world.shopper.get(`${cart}/items`)
  expect(promotionItems(read).map((item: Any) => item.code)).toEqual([code, `auto_${id}`])
  await world.admin.delete(automatic)
})
