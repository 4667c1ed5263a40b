import { afterAll, beforeAll, expect, test } from 'vitest'
import { signUp } from '../builders/people/sign-up.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const wrap = { type: 'custom_item', name: 'Wrap', sku: 'WRAP', quantity: 1, price: { amount: 100 } }
const dayMs = 86_400_000

test('a guest uses a cart by its id, and a signed-in shopper cannot use the cart of another', async () => {
  const [ada, ben] = [await signUp(world), await signUp(world)]
  const created = await world.shopper.post('/v2/carts', { data: { name: 'Ada' } }, ada.headers)
  const path = `/v2/carts/${created.body.data.id}`
  expect(created.body.data.relationships.customers.data).toEqual([{ type: 'customer', id: ada.id }])
  const statuses = await Promise.all([
    world.shopper.get(path),
    world.shopper.get(path, ada.headers),
    world.shopper.get(path, ben.headers),
    world.shopper.put(path, { data: { name: 'Ben' } }, ben.headers),
    world.shopper.post(`${path}/items`, { data: wrap }, ben.headers),
    world.shopper.delete(`${path}/items`, ben.headers),
    world.shopper.delete(path, ben.headers),
  ])
  expect(statuses.map(({ status }) => status)).toEqual([200, 200, 403, 403, 403, 403, 403])
})

test('a shopper lists their own carts, and a guest none', async () => {
  const ada = await signUp(world)
  const { id } = (await world.shopper.post('/v2/carts', { data: {} }, ada.headers)).body.data
  await world.shopper.post('/v2/carts', { data: {} })
  const own = await world.shopper.get('/v2/carts', ada.headers)
  expect(own.body.data.map((one: { id: string }) => one.id)).toEqual([id])
  expect(own.body.meta.results.total).toBe(1)
  expect((await world.shopper.get('/v2/carts')).status).toBe(403)
})

test('merchants list all carts, or those with an owner, as the settings say', async () => {
  const { id } = (await world.shopper.post('/v2/carts', { data: { name: 'Nobody’s' } })).body.data
  const listed = async () =>
    (await world.admin.get(`/v2/carts?filter=eq(id,${id})`)).body.data.map((one: { id: string }) => one.id)
  expect(await listed()).toEqual([id])
  const setting = (show: boolean) =>
    world.admin.put('/v2/settings/cart', { data: { type: 'settings', show_all_carts: show } })
  await setting(false)
  expect(await listed()).toEqual([])
  await setting(true)
})

test('the only cart of a customer cannot be deleted', async () => {
  const ada = await signUp(world)
  const make = async () => (await world.shopper.post('/v2/carts', { data: {} }, ada.headers)).body.data.id
  const [first, second] = [await make(), await make()]
  expect((await world.shopper.delete(`/v2/carts/${first}`, ada.headers)).status).toBe(204)
  const refused = await world.shopper.delete(`/v2/carts/${second}`, ada.headers)
  expect([refused.status, refused.body.errors[0].title]).toEqual([400, 'Last cart'])
})

test('a cart has the settings of the day on which it was created', async () => {
  await world.shopper.post('/v2/carts', { data: { id: 'before' } })
  const settings = { cart_expiry_days: 30, discounts: { use_rule_promotions: true } }
  await world.admin.put('/v2/settings/cart', { data: { type: 'settings', ...settings } })
  await world.shopper.post('/v2/carts', { data: { id: 'after' } })
  const [before, after] = await Promise.all(
    ['before', 'after'].map(async (id) => (await world.shopper.get(`/v2/carts/${id}`)).body.data),
  )
  const days = ({ meta: { timestamps: t } }: typeof before) =>
    (Date.parse(t.expires_at) - Date.parse(t.updated_at)) / dayMs
  expect([days(before), days(after)]).toEqual([7, 30])
  expect(before.discount_settings.use_rule_promotions).toBe(false)
  expect(after.discount_settings.use_rule_promotions).toBe(true)
  const back = { cart_expiry_days: 7, discounts: { use_rule_promotions: false } }
  await world.admin.put('/v2/settings/cart', { data: { type: 'settings', ...back } })
})

test.for([
  [
    'both kinds of discounts',
    { discount_settings: { custom_discounts_enabled: true, use_rule_promotions: true } },
  ],
  ['a payment intent', { payment_intent_id: 'pi_1' }],
] as const)('%s are refused', async ([, values]) => {
  expect((await world.admin.post('/v2/carts', { data: values })).status).toBe(422)
})

test('a refused value is named in the message, with what is accepted', async () => {
  const detailOf = async (values: object) =>
    (await world.admin.post('/v2/carts', { data: values })).body.errors[0].detail
  const details = [
    await detailOf({ payment_intent_id: 'pi_1' }),
    await detailOf({ custom_attributes: { size: { type: 'integer', value: 'M' } } }),
    await detailOf({ snapshot_date: '2020-01-01T00:00:00Z' }),
  ]
  expect(details).toEqual([
    'data.payment_intent_id must be the empty text, which removes it, or be left out: only a payment of the cart sets it.',
    'data.custom_attributes.size.value must be a whole number, because its type is integer.',
    expect.stringMatching(
      /^data\.snapshot_date must be in the future, later than .*Z, not 2020-01-01T00:00:00Z\.$/,
    ),
  ])
})

test('a snapshot date is in the future, and stays', async () => {
  const past = await world.admin.post('/v2/carts', { data: { snapshot_date: '2020-01-01T00:00:00Z' } })
  expect([past.status, past.body.errors[0].title]).toEqual([400, 'Invalid Snapshot Date'])
  const cart = await world.admin.post('/v2/carts', { data: { snapshot_date: '2099-01-01T00:00:00Z' } })
  expect(cart.body.data.snapshot_date).toBe('2099-01-01T00:00:00Z')
})
