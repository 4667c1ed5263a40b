import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFlow } from '../../builders/fields/flows.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  const settings = { discounts: { use_rule_promotions: true, custom_discounts_enabled: false } }
  await world.admin.put('/v2/settings/cart', { data: { type: 'settings', ...settings } })
})
afterAll(() => world.close())

const common = {
  ...{ name: 'Spring', description: 'A discount', enabled: true, automatic: true },
  ...{ start: '2020-01-01', end: '2999-01-01' },
}

const standard = {
  ...{ type: 'promotion', promotion_type: 'fixed_discount', ...common },
  schema: { currencies: [{ currency: 'USD', amount: 10 }] },
}

const rule = {
  ...{ type: 'rule_promotion', ...common },
  rule_set: { actions: [{ strategy: 'cart_discount', args: ['fixed', 20] }] },
}

test.each([
  ['promotions', standard, 90],
  ['rule-promotions', rule, 80],
])('%s have the fields of a flow, and apply to carts as before', async (slug, values, price) => {
  const path = `/v2/${slug}`
  const before = (await world.admin.post(path, { data: { ...values, enabled: false } })).body.data
  const flow = await makeFlow(world.admin, slug, {
    banner: { field_type: 'string' },
    shelf: { field_type: 'integer', default: 1 },
  })
  const { status, body } = await world.admin.post(path, { data: { ...values, banner: 'Spring is here' } })
  expect([status, body.data]).toMatchObject([201, { banner: 'Spring is here', shelf: 1 }])
  const one = `${path}/${body.data.id}`
  expect((await world.admin.get(one)).body.data).toMatchObject({ banner: 'Spring is here', shelf: 1 })
  expect((await world.admin.get(`${path}/${before.id}`)).body.data).toMatchObject({ banner: null })
  const updated = await world.admin.put(one, { data: { type: values.type, banner: 'Summer' } })
  expect([updated.status, updated.body.data.banner]).toEqual([200, 'Summer'])

  const banners = async () => {
    const versions = await world.admin.get(`${one}/history`)
    return versions.body.data?.map(({ banner }: { readonly banner?: string }) => banner)
  }
  const hasVersions = slug === 'promotions'
  expect(await banners()).toEqual(hasVersions ? ['Summer', 'Spring is here'] : undefined)

  const cart = `/v2/carts/with-${slug}`
  const item = { type: 'custom_item', name: 'Wrap', quantity: 1, price: { amount: 100 } }
  await world.shopper.post(`${cart}/items`, { data: item })
  const { data } = (await world.shopper.get(cart)).body
  expect(data.meta.display_price.with_tax.amount).toBe(price)

  expect((await flow.drop('banner')).status).toBe(204)
  const dropped = (await world.admin.get(one)).body.data
  expect([Object.hasOwn(dropped, 'banner'), dropped.shelf]).toEqual([false, 1])
  expect(new Set(await banners())).toEqual(new Set(hasVersions ? [undefined] : []))
  await world.admin.delete(one)
})
