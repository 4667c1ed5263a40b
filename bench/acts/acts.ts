import { randomUUID } from 'node:crypto'
import type { Bare } from '../bare.ts'
import { item } from '../fill-carts.ts'
import { guestCheckout } from '../seed-carts.ts'
import { bareFormsOf } from './bare-forms.ts'
import type { Client } from './client.ts'

/** A shop, and the client that buys in it. */
export interface World {
  readonly client: Client
  readonly storeId: string
  readonly customApiId: string
  readonly productIds: readonly string[]
  /** Those whose stock is counted. */
  readonly counted: readonly string[]
}

/** What a client waits for. */
export interface Act {
  /** How often a round does it. */
  readonly times: number
  /** Makes the objects of a round, which nobody times. Each is used once. Without it the act makes them. */
  readonly prepare?: (round: string, times: number) => Promise<readonly string[]>
  readonly run: (object: string) => Promise<unknown>
  /** The SQL that selects what else stands for an object (`$1`) in statements. */
  readonly owns?: string
  /** False where its statements do something only once, such as a change of a stock whose version they name. */
  readonly isReplayed?: false
  /** What the act comes down to, to be answered by bare node:http. */
  readonly bare?: () => Promise<Bare>
  /** The aim: the least part of the requests that bare node:http answers in the same time. */
  readonly ofBareMin?: number
}

type Ids = readonly (string | undefined)[]

export function actsOf(world: World): Readonly<Record<string, Act>> {
  const { client, productIds, counted } = world
  const send = (method: string, path: string, data?: object) =>
    client.send(method, path, data && JSON.stringify({ data }))
  const add = (cart: string, ...ids: Ids) =>
    send('POST', `/v2/carts/${cart}/items`, ids.length === 1 ? item(ids[0]) : ids.map((id) => item(id)))
  const [uncounted, another] = productIds.slice(-2)
  const checkOut = async (cart: string) =>
    idIn(await send('POST', `/v2/carts/${cart}/checkout`, guestCheckout))
  const pay = (order: string) =>
    send('POST', `/v2/orders/${order}/payments`, { gateway: 'manual', method: 'purchase' })
  const createAccount = async (name: string) => idIn(await send('POST', '/v2/accounts', named(name)))

  const many = async (times: number, make: (i: number) => Promise<string>): Promise<readonly string[]> => {
    const made: string[] = []
    await client.each(times, async (i) => {
      made[i] = await make(i)
    })
    return made
  }
  /** Carts that hold these products. */
  const carts = (kind: string, ids: (i: number) => Ids) => (round: string, times: number) =>
    many(times, async (i) => {
      const name = `${kind}-${round}-${i}-`
      await add(name, ...ids(i))
      return name
    })
  const orders = (kind: string, ids: (i: number) => Ids) => async (round: string, times: number) => {
    const names = await carts(kind, ids)(round, times)
    return many(times, (i) => checkOut(names[i] as string))
  }
  /** One object, which is used again and again. */
  const once = (make: () => Promise<string>) => {
    let made: Promise<string> | undefined
    const one = () => {
      made ??= make()
      return made
    }
    return { one, prepare: async (_: string, times: number) => Array<string>(times).fill(await one()) }
  }
  /** No other client of the same database has an object of this name. */
  const own = `of-${randomUUID().slice(0, 8)}`
  const account = once(() => createAccount(own))
  const cartOf = (name: string, ...ids: Ids) =>
    once(async () => {
      await add(name, ...ids)
      return name
    })
  const twenty = productIds.slice(0, 20)
  const cart = cartOf(`full-${own}`, ...twenty)
  const smallCart = cartOf(`small-${own}`, uncounted)
  const order = once(async () => {
    await add(`ordered-${own}`, ...twenty)
    return checkOut(`ordered-${own}`)
  })
  const bare = bareFormsOf(world)
  const path = '/v2/extensions/wishes'
  const listed = '/v2/accounts?page%5Blimit%5D=25'
  const search = JSON.stringify({
    searches: [{ type: 'search', q: 'winter', filter_by: 'price.USD.float_price:<=1000' }],
  })
  const ofCart = { owns: cartIdSql }

  return {
    'get account': {
      ...{ times: 3000, prepare: account.prepare, run: (id) => send('GET', `/v2/accounts/${id}`) },
      ofBareMin: 0.7,
      bare: async () => bare.account(await account.one()),
    },
    'list accounts': {
      times: 1000,
      run: () => send('GET', listed),
      ofBareMin: 0.7,
      bare: async () => bare.accounts,
    },
    'filter accounts': {
      ...{ times: 1000, prepare: account.prepare },
      run: () => send('GET', `${listed}&filter=eq(name,Account%20${own})`),
      ofBareMin: 0.7,
      bare: async () => bare.accountsByName(`Account ${own}`),
    },
    'create account': { times: 1000, run: createAccount, ofBareMin: 0.6, bare: async () => bare.newAccount },
    'update account': {
      times: 1000,
      prepare: (round, times) => many(times, (i) => createAccount(`old-${round}-${i}`)),
      run: (id) => send('PUT', `/v2/accounts/${id}`, { type: 'account', name: 'Renamed' }),
      ofBareMin: 0.6,
      bare: async () => bare.changedAccount(await many(100, (i) => createAccount(`bare-${i}`))),
    },
    'create entry': {
      ...{ times: 1000, run: (title) => send('POST', path, { type: 'wish_ext', title, amount: 7 }) },
      ofBareMin: 0.5,
      bare: async () => bare.newEntry,
    },
    'get cart': {
      ...{ times: 3000, prepare: cart.prepare, run: (name) => send('GET', `/v2/carts/${name}`) },
      ofBareMin: 0.5,
      bare: async () => bare.cart(await cart.one()),
    },
    'get cart with its item': {
      ...{ times: 3000, prepare: smallCart.prepare },
      run: (name) => send('GET', `/v2/carts/${name}?include=items`),
      bare: async () => bare.cart(await smallCart.one()),
    },
    'get cart with 20 items': {
      ...{ times: 3000, prepare: cart.prepare },
      run: (name) => send('GET', `/v2/carts/${name}?include=items`),
      ofBareMin: 0.5,
      bare: async () => bare.cart(await cart.one()),
    },
    'first item': { times: 600, run: (name) => add(`first-${name}`, uncounted) },
    'second item': {
      ...{ times: 600, prepare: carts('second', () => [uncounted]), ...ofCart },
      run: (name) => add(name, another),
    },
    '99 items at once': { times: 60, run: (name) => add(`many-${name}`, ...productIds.slice(0, 99)) },
    'checkout of 1 line': {
      ...{ times: 600, prepare: carts('one', () => [uncounted]), ...ofCart },
      run: checkOut,
    },
    'checkout of 20 lines': { times: 200, prepare: carts('twenty', () => twenty), ...ofCart, run: checkOut },
    payment: { times: 400, prepare: orders('paid', () => [uncounted]), owns: cartOfOrderSql, run: pay },
    'payment of counted stock': {
      ...{ times: 400, prepare: orders('stock', (i) => [counted[i % counted.length]]), run: pay },
      isReplayed: false,
    },
    'payment of one hot product': {
      ...{ times: 400, prepare: orders('hot', () => [counted[0]]), run: pay },
      isReplayed: false,
    },
    'get order': {
      ...{ times: 2000, prepare: order.prepare, run: (id) => send('GET', `/v2/orders/${id}`) },
      bare: async () => bare.order(await order.one()),
    },
    'get order with 20 items': {
      ...{ times: 1000, prepare: order.prepare, run: (id) => send('GET', `/v2/orders/${id}?include=items`) },
      ofBareMin: 0.5,
      bare: async () => bare.orderWithItems(await order.one()),
    },
    'first read of an order with 20 items': {
      ...{ times: 200, prepare: orders('unread', () => twenty) },
      run: (id) => send('GET', `/v2/orders/${id}?include=items`),
      bare: async () => bare.orderWithItems(await order.one()),
    },
    'search products': { times: 200, run: () => client.send('POST', '/catalog/multi-search', search) },
  }
}

const cartIdSql = 'SELECT id FROM carts WHERE reference = $1'
const cartOfOrderSql = `SELECT hidden#>>'{cart,id}' FROM orders WHERE id = $1::uuid`

const named = (name: string) => ({
  type: 'account',
  name: `Account ${name}`,
  legal_name: `Account ${name} Ltd`,
})

const idIn = (text: string): string => (JSON.parse(text) as { data: { id: string } }).data.id
