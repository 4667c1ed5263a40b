import assert from 'node:assert/strict'
import { makeApi } from '../../builders/fields/custom-apis.ts'
import { filledCart, guestBody, openShop } from '../../builders/orders/buying.ts'
import { act, orderOf, paid, pay, takeManualPayments } from '../../builders/payments/paying.ts'
import { password } from '../../builders/people/accounts.ts'
import { customer, customers, tokens } from '../../builders/people/customers.ts'
import { shopOf } from '../../builders/shop/publishing.ts'
import { newAccount, openHook } from '../../builders/telling/hooks.ts'
import { body, times } from '../../support/requests.ts'
import type { Reply, World } from '../../support/world.ts'
import type { Act } from './act.ts'
import { waitFor } from './counter.ts'

const productCount = 100
const importCount = 1000

async function ok(expected: number, reply: Promise<Reply>): Promise<Reply['body']> {
  const { status, body: answer } = await reply
  assert.deepEqual([status, answer?.errors], [expected, undefined])
  return answer
}

/** The acts in a store with a hundred products, by their names. */
export async function actsIn(world: World): Promise<Readonly<Record<string, Act>>> {
  const { admin, shopper } = world
  const skus = times(productCount, (i) => `SKU-${i}`)
  const products = await openShop(world, Object.fromEntries(skus.map((sku, i) => [sku, 100 + i])))
  const ids = Object.values(products)
  const shop = shopOf(world)
  const catalog = (await shop.get('/catalogs')).data[0].id
  const account = await newAccount(admin, 'Birch')
  const api = await makeApi(admin, { title: ['string'], amount: ['integer'] })
  await ok(201, admin.post(customers, customer({ email: 'ada@example.com', password })))
  await takeManualPayments(admin)
  let count = 0
  const name = () => `Name ${++count}`
  const item = (id: string | undefined) => ({ type: 'cart_item', id, quantity: 1 })
  const cartOf = (items: number) => filledCart(admin, ...ids.slice(0, items).map(item))
  const add = (path: string, i: number) => ok(201, admin.post(`${path}/items`, { data: item(ids[i]) }))
  const accountBody = () => body('account', { name: name(), external_ref: name() })
  const createAccount = () => ok(201, admin.post('/v2/accounts', accountBody()))
  const order = () => orderOf(admin, 1000)
  const getWithItems = (id: string) => ok(200, admin.get(`/v2/orders/${id}?include=items`))

  return {
    'GET an account': { run: () => ok(200, admin.get(`/v2/accounts/${account}`)) },
    'list accounts': { run: () => ok(200, admin.get('/v2/accounts')) },
    'filter accounts': { run: () => ok(200, admin.get('/v2/accounts?filter=eq(name,Birch)')) },
    'create an account': { run: createAccount },
    'update an account': { run: () => ok(200, admin.put(`/v2/accounts/${account}`, accountBody())) },
    'update an account without a change': {
      run: () => ok(200, admin.put(`/v2/accounts/${account}`, body('account', {}))),
    },
    'delete an account': {
      ready: createAccount,
      run: ({ data }) => ok(204, admin.delete(`/v2/accounts/${data.id}`)),
    },
    'create an entry': { run: () => ok(201, api.create({ title: name(), amount: 7 })) },
    'update an entry': {
      ready: () => api.create({ title: name(), amount: 7 }),
      run: (made) =>
        ok(200, admin.put(`${api.entries}/${made.body.data.id}`, api.entry({ title: name(), amount: 8 }))),
    },
    'GET a product as a shopper': { run: () => ok(200, shopper.get(`/catalog/products/${ids[0]}`)) },
    'list products as a shopper': { run: () => ok(200, shopper.get('/catalog/products')) },
    'search products': {
      run: () => ok(200, shopper.post('/catalog/multi-search', { searches: [{ q: 'SKU-7' }] })),
    },
    'change a product': { run: () => shop.change(ids[0] as string, { name: name() }) },
    'add a first item': { run: () => add(`/v2/carts/${name().replace(' ', '-')}`, 0) },
    'add a second item': { ready: () => cartOf(1), run: (path) => add(path, 1) },
    'add a 100th item': { ready: () => cartOf(99), run: (path) => add(path, 99) },
    'GET a cart': { ready: () => cartOf(2), run: (path) => ok(200, admin.get(path)) },
    'check out': {
      ready: () => cartOf(2),
      run: (path) => ok(201, admin.post(`${path}/checkout`, guestBody())),
    },
    'GET an order with its items': { ready: order, run: ({ id }) => getWithItems(id) },
    'GET an order with its items again': {
      ready: async () => (await getWithItems((await order()).id)).data,
      run: ({ id }) => getWithItems(id),
    },
    pay: { ready: order, run: ({ id }) => ok(200, pay(admin, id)) },
    refund: {
      ready: async () => paid(admin, (await order()).id),
      run: (transaction) => ok(200, act(admin, transaction, 'refund')),
    },
    'sign in': {
      run: () => ok(200, shopper.post(tokens, body('token', { email: 'ada@example.com', password }))),
    },
    'import 1,000 products': {
      run: async () => {
        const rows = times(importCount, () => `${name()},I-${count},physical,I-${count}`)
        const { data } = await ok(201, sendFile(`name,sku,commodity_type,slug\n${rows.join('\n')}\n`))
        await waitFor(
          world,
          `SELECT doc->'attributes'->>'status' = 'success' FROM pim_jobs WHERE id = $1`,
          data.id,
        )
      },
      hasJobs: true,
    },
    'publish 100 changed products': {
      ready: () => Promise.all(ids.map((id) => shop.change(id, { name: name() }))),
      run: async () => {
        const { id } = await shop.send('POST', `/catalogs/${catalog}/releases`, undefined, 201)
        await waitFor(world, `SELECT hidden->>'status' = 'PUBLISHED' FROM catalog_releases WHERE id = $1`, id)
      },
      hasJobs: true,
    },
    'deliver a webhook': {
      ready: () => openHook(admin, ['account.created']),
      tidy: (hook) => hook.remove(),
      hasJobs: true,
      run: async (hook) => {
        await createAccount()
        await hook.got(1)
        const hasEnded = `SELECT bool_and(state <> 'waiting') FROM integration_jobs WHERE integration_id = $1`
        await waitFor(world, hasEnded, hook.id)
      },
    },
  }

  function sendFile(csv: string): Promise<Reply> {
    const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="p.csv"\r\n\r\n'
    return admin.send('POST', '/pcm/products/import', {
      body: Buffer.from(`${head}${csv}\r\n--b--\r\n`),
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    })
  }
}
