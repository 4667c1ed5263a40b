import { expect, test } from 'vitest'
import { promotionShop } from '../../builders/carts/promotion-shop.ts'

/** Promotions and codes that are removed, from a cart or from the store. */

const its = promotionShop()
const { rule, code, newCart, add, product, enter, percentOff, total, items } = its

test('a deleted promotion is gone from the next read', async () => {
  const cart = newCart()
  const id = await rule(percentOff(50))
  expect(total(await add(cart, product('LOAF')))).toBe(500)
  await its.world.admin.delete(`/v2/rule-promotions/${id}`)
  expect(total(await its.world.shopper.get(`${cart}/items`))).toBe(1000)
})

test('a code applies once however often it is entered, in any case, until it is removed', async () => {
  const cart = newCart()
  await code(await rule(percentOff(10), { automatic: false }), 'Spring-10')
  await add(cart, product('LOAF'))
  for (const text of ['SPRING-10', 'spring-10']) {
    const reply = await enter(cart, text)
    expect([reply.status, total(reply), items(reply)]).toEqual([
      201,
      900,
      [
        ['LOAF', 1000],
        ['SPRING-10', -100],
      ],
    ])
  }
  expect((await its.world.shopper.delete(`${cart}/discounts/spring-10`)).status).toBe(204)
  expect(total(await its.world.shopper.get(`${cart}/items`))).toBe(1000)
  expect((await its.world.shopper.delete(`${cart}/discounts/spring-10`)).status).toBe(404)
})

test('the item of a promotion by code is removed like any item, that of an automatic one is not', async () => {
  const cart = newCart()
  await code(await rule(percentOff(10), { automatic: false }), 'TEN')
  await add(cart, product('LOAF'))
  const { body } = await enter(cart, 'TEN')
  const removed = await its.world.shopper.delete(`${cart}/items/${body.data[1].id}`)
  expect([removed.status, items(removed)]).toEqual([200, [['LOAF', 1000]]])
  const id = await rule(percentOff(10))
  const automatic = await its.world.shopper.get(`${cart}/items`)
  expect(items(automatic)).toEqual([
    ['LOAF', 1000],
    [`auto_${id}`, -100],
  ])
  const [, item] = (await add(cart, product('LOAF'))).body.data
  expect((await its.world.shopper.delete(`${cart}/items/${item.id}`)).status).toBe(400)
  expect((await its.world.shopper.delete(`${cart}/discounts/auto_${id}`)).status).toBe(400)
})

test('the item of a promotion that has begun since the last change has one id, which removes its code', async () => {
  const id = await rule(percentOff(10), { automatic: false })
  await code(id, 'LATER')
  const cart = newCart()
  await add(cart, product('LOAF'))
  await enter(cart, 'LATER')
  const enable = (enabled: boolean) =>
    its.world.admin.put(`/v2/rule-promotions/${id}`, { data: { type: 'rule_promotion', enabled } })
  await enable(false)
  expect((await add(cart, product('RYE'))).body.data.length).toBe(2)
  await enable(true)
  const shown = async (query = '') => (await its.world.shopper.get(`${cart}/items${query}`)).body.data[2].id
  const item = await shown()
  expect(await shown('?include=promotions')).toBe(item)
  const removed = await its.world.shopper.delete(`${cart}/items/${item}`)
  expect([removed.status, removed.body.data.length, total(removed)]).toEqual([200, 2, 1500])
  expect((await its.world.shopper.delete(`${cart}/discounts/LATER`)).status).toBe(404)
})

test('a code that is deleted discounts no cart any more', async () => {
  const cart = newCart()
  const id = await rule(percentOff(10), { automatic: false })
  await code(id, 'LAST', { max_uses: 1 })
  await add(cart, product('LOAF'))
  expect(total(await enter(cart, 'last'))).toBe(900)
  const { body } = await its.world.admin.get(`/v2/rule-promotions/${id}/codes`)
  const deleted = await its.world.admin.delete(`/v2/rule-promotions/${id}/codes/${body.data[0].id}`)
  expect(deleted.status).toBe(204)
  expect(total(await its.world.shopper.get(`${cart}/items`))).toBe(1000)
})
