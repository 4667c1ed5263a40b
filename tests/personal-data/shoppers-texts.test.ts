import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Operation } from '../../server/kernel/declare/operation.ts'
import { openShop, wrap } from '../builders/orders/buying.ts'
import { takeManualPayments } from '../builders/payments/paying.ts'
import { erase } from '../builders/personal-data/people.ts'
import { makeCode } from '../builders/promotions/codes.ts'
import type { Any } from '../support/requests.ts'
import { openWorld, type World } from '../support/world.ts'
import { shoppersWrites, Texts, textsIn } from './shoppers-texts.ts'

/**
 * The law of erasures: every text that a shopper can write into a cart, an order or a payment is written, and then
 * looked for in every table. What is written follows from the declarations of the operations.
 */

let world: World
let promotion: { readonly promotion: string; readonly code: string }
beforeAll(async () => {
  world = await openWorld({ alone: true })
  await openShop(world, { MUG: 1200 })
  await takeManualPayments(world.admin)
  promotion = await makeCode(world.admin, 'promotions')
})
afterAll(() => world.close())

/** A purchase in progress. */
interface Purchase {
  readonly texts: Texts
  readonly customerId: string | undefined
  /** All requests, to repeat them. */
  readonly sent: Request[]
  cart: string
  group: string
  order: string
}

interface Request {
  readonly method: 'post' | 'put'
  readonly path: string
  readonly data: unknown
  readonly key: string
}

type Step = (operation: Operation, purchase: Purchase) => Promise<void>

/** Only sellers may set them. */
const sellers = { custom_attributes: undefined, tax: undefined }

/** Steps of a purchase, by their operations, in their order. Or why there is none. */
const steps: Readonly<Record<string, Step | string>> = {
  'create-cart': async (operation, purchase) => {
    const { data } = await send(
      purchase,
      'post',
      '/v2/carts',
      purchase.texts.body(operation, ofCart(purchase)),
    )
    purchase.cart = `/v2/carts/${data.id}`
  },
  'update-cart': async (operation, purchase) => {
    const body = purchase.texts.body(operation, { ...ofCart(purchase), id: undefined })
    await send(purchase, 'put', purchase.cart, body)
  },
  'create-cart-shipping-group': async (operation, purchase) => {
    const { texts, cart } = purchase
    const { data } = await send(purchase, 'post', `${cart}/shipping-groups`, texts.body(operation))
    purchase.group = data.id
  },
  'update-cart-shipping-group': async (operation, purchase) => {
    const groups = `${purchase.cart}/shipping-groups`
    const { data } = await send(purchase, 'post', groups, { type: 'shipping_group' })
    await send(purchase, 'put', `${groups}/${data.id}`, purchase.texts.body(operation))
  },
  'add-cart-items': async (operation, purchase) => {
    const { texts, cart, group } = purchase
    const ofGroup = { shipping_group_id: group, ...sellers }
    const product = { type: 'cart_item', id: undefined, sku: 'MUG', bundle_configuration: undefined }
    await send(purchase, 'post', `${cart}/items`, [
      texts.body(operation, { ...ofGroup, ...product }, 'cart_item'),
      texts.body(operation, { ...ofGroup, type: 'custom_item' }, 'custom_item'),
    ])
  },
  'update-cart-item': async (operation, purchase) => {
    const { texts, cart, group } = purchase
    const { data } = await send(purchase, 'post', `${cart}/items`, [wrap({ name: 'Ribbon', sku: 'RIBBON' })])
    const { id } = data.find(({ name }: Any) => name === 'Ribbon')
    // Only a product has a location.
    const body = texts.body(operation, { shipping_group_id: group, location: undefined, ...sellers })
    await send(purchase, 'put', `${cart}/items/${id}`, body)
  },
  checkout: async (operation, purchase) => {
    const { texts, cart, customerId: id } = purchase
    // Its usage has the email address of the buyer.
    await send(purchase, 'post', `${cart}/items`, [{ type: 'promotion_item', code: promotion.code }])
    const guest = { name: `${texts.beginning}zy`, email: `${texts.beginning}zz@example.com` }
    const customer = id === undefined ? guest : { id }
    const body = texts.body(operation, { customer, account: undefined, contact: undefined })
    const { data } = await send(purchase, 'post', `${cart}/checkout`, body)
    purchase.order = data.id
  },
  'pay-order': async (operation, purchase) => {
    // The others are for Stripe. They are part of the request to it, and forgotten with its answer.
    const others = { payment: undefined, payment_method_types: undefined, options: undefined }
    const body = purchase.texts.body(operation, {
      gateway: 'manual',
      method: 'purchase',
      amount: undefined,
      ...others,
    })
    await send(purchase, 'post', `/v2/orders/${purchase.order}/payments`, body)
  },
  'update-cart-items': 'as update-cart-item, for several items',
  'associate-cart-with-customer': 'ids only',
  'associate-cart-with-account': 'ids only',
  'create-cart-payment': 'nothing of it is stored but the id of the payment at Stripe',
  'update-cart-payment': 'nothing of it is stored but the id of the payment at Stripe',
  'confirm-transaction': 'nothing of it is stored',
  'confirm-order': 'nothing of it is stored',
}

/** What excludes something else, or names what must exist. */
const ofCart = ({ customerId }: Pick<Purchase, 'customerId'>) => ({
  ...{ payment_intent_id: undefined, snapshot_date: undefined },
  ...(customerId && { contact: undefined }),
})

/** A setting may let shoppers write what otherwise only sellers do, so these are the requests of a seller. */
async function send(
  { sent }: Purchase,
  method: Request['method'],
  path: string,
  data: unknown,
): Promise<Any> {
  const request = { method, path, data, key: randomUUID() }
  sent.push(request)
  const { body } = await answerTo(request)
  expect([path, body.errors]).toEqual([path, undefined])
  return body
}

const answerTo = ({ method, path, data, key }: Request) =>
  world.admin[method](path, { data }, { 'idempotency-key': key })

/** What is left of the texts. Ids stay: followers of the change feed learn by them what is deleted. */
async function leftOf(texts: Texts): Promise<readonly string[]> {
  const all = [...(await textsIn(world, texts))].flatMap(([column, places]) =>
    places.map((place) => `${place} in ${column}`),
  )
  return all.filter((one) => one !== 'create-cart .id in public.changes.public_id')
}

async function purchase(customerId?: string): Promise<Purchase> {
  const made: Purchase = { texts: new Texts(), customerId, sent: [], cart: '', group: '', order: '' }
  for (const operation of shoppersWrites) {
    const step = steps[operation.id]
    if (typeof step === 'function') await step(operation, made)
  }
  return made
}

test('every operation by which shoppers write has its step', () => {
  expect(shoppersWrites.map(({ id }) => id).sort()).toEqual(Object.keys(steps).sort())
})

test('after an anonymization nothing is left of what a shopper wrote', async () => {
  const { texts, order, sent } = await purchase()
  const before = new Set([...(await textsIn(world, texts)).values()].flat())
  expect(
    texts.places.filter((place) => !before.has(place)),
    'texts that were written nowhere',
  ).toEqual([])
  await world.admin.put(`/v2/orders/${order}`, { data: { type: 'order', shipping: 'fulfilled' } })
  const { status } = await world.admin.post('/v2/orders/anonymize', { data: { order_ids: [order] } })
  expect(status).toBe(200)
  expect(await leftOf(texts)).toEqual([])
  const usages = (await world.admin.get(`${promotion.promotion}/usages`)).body.data
  expect(usages).toMatchObject([{ order_id: order, anonymized: true, customer_email: '**' }])
  for (const request of sent) {
    const { headers, body } = await answerTo(request)
    expect([request.path, headers.get('idempotency-replayed'), body]).toEqual([request.path, 'true', {}])
  }
})

test('after an erasure nothing is left of what a customer wrote', async () => {
  const data = { type: 'customer', name: 'Ada', email: 'ada@example.com' }
  const { id } = (await world.admin.post('/v2/customers', { data })).body.data
  const { texts } = await purchase(id)
  expect((await textsIn(world, texts)).size).toBeGreaterThan(5)
  expect(await erase(world.admin, 'customer', id)).toMatchObject({ status: 'SUCCESS' })
  expect(await leftOf(texts)).toEqual([])
})

test.each([
  ['customer', { type: 'customer', name: 'Ben', email: 'ben@example.com' }],
  ['account', { type: 'account', name: 'Bakery' }],
])('after the erasure of a %s nothing is left of its carts, nor of deleted ones', async (type, data) => {
  const texts = new Texts()
  const { id } = (await world.admin.post(`/v2/${type}s`, { data })).body.data
  const create = shoppersWrites.find((one) => one.id === 'create-cart')
  const newCart = async () => {
    const body = texts.body(create as Operation, ofCart({ customerId: id }))
    const path = `/v2/carts/${(await world.admin.post('/v2/carts', { data: body })).body.data.id}`
    const owner = await world.admin.post(`${path}/relationships/${type}s`, { data: [{ type, id }] })
    expect([owner.status < 300, owner.body?.errors]).toEqual([true, undefined])
    await world.admin.put(path, { data: { description: `${texts.beginning}zz` } })
    return path
  }
  const deleted = await newCart()
  const kept = await newCart()
  expect((await world.admin.delete(deleted)).status).toBe(204)
  expect((await textsIn(world, texts)).size).toBeGreaterThan(2)
  expect(await erase(world.admin, type, id)).toMatchObject({ status: 'SUCCESS' })
  expect(await leftOf(texts)).toEqual([])
  expect((await world.admin.get(kept)).body.data.description).toBe('')
})
