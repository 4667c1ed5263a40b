import { item } from '../fill-carts.ts'
import { guestCheckout } from '../seed-carts.ts'
import type { Client } from './client.ts'

/** A shop, and the client that buys in it. */
export interface World {
  readonly client: Client
  readonly productIds: readonly string[]
  /** Those whose stock is counted. */
  readonly counted: readonly string[]
}

/** What a client waits for. */
export interface Act {
  /** How often a round does it, where `prepare` does not say. */
  readonly times: number
  /** Makes the objects of a round, which nobody times. Each is used once. */
  readonly prepare?: (round: number) => Promise<readonly string[]>
  readonly run: (object: string) => Promise<unknown>
}

export function actsOf({ client, productIds, counted }: World): Readonly<Record<string, Act>> {
  const send = (method: string, path: string, data?: object) =>
    client.send(method, path, data && JSON.stringify({ data }))
  const add = (cart: string, ...ids: readonly (string | undefined)[]) =>
    send('POST', `/v2/carts/${cart}/items`, ids.length === 1 ? item(ids[0]) : ids.map((id) => item(id)))
  const [uncounted, another] = productIds.slice(-2)
  const checkOut = async (cart: string) =>
    idIn(await send('POST', `/v2/carts/${cart}/checkout`, guestCheckout))
  const pay = (order: string) =>
    send('POST', `/v2/orders/${order}/payments`, { gateway: 'manual', method: 'purchase' })

  /** Carts that hold these products. */
  const carts =
    (kind: string, times: number, ids: (i: number) => readonly (string | undefined)[]) =>
    async (round: number) => {
      const names = Array.from({ length: times }, (_, i) => `${kind}-${round}-${i}`)
      await client.each(times, (i) => add(names[i] as string, ...ids(i)))
      return names
    }
  const orders =
    (kind: string, times: number, ids: (i: number) => readonly (string | undefined)[]) =>
    async (round: number) => {
      const names = await carts(kind, times, ids)(round)
      const made: string[] = []
      await client.each(times, async (i) => {
        made[i] = await checkOut(names[i] as string)
      })
      return made
    }
  const once = (make: () => Promise<string>) => {
    let made: Promise<string> | undefined
    return (times: number) => async () => {
      made ??= make()
      return Array<string>(times).fill(await made)
    }
  }
  const account = once(async () => idIn(await send('POST', '/v2/accounts', named('read'))))
  const filled = async (name: string, ...ids: readonly (string | undefined)[]) => {
    await add(name, ...ids)
    return name
  }
  const cart = once(() => filled('read', ...productIds.slice(0, 20)))
  const smallCart = once(() => filled('read-small', uncounted))
  const order = once(async () => {
    await add('ordered', ...productIds.slice(0, 20))
    return checkOut('ordered')
  })

  return {
    'get account': { times: 3000, prepare: account(3000), run: (id) => send('GET', `/v2/accounts/${id}`) },
    'list accounts': { times: 1000, run: () => send('GET', '/v2/accounts?page%5Blimit%5D=25') },
    'create account': { times: 1000, run: (name) => send('POST', '/v2/accounts', named(name)) },
    'update account': {
      times: 1000,
      prepare: async (round) => {
        const made: string[] = []
        await client.each(1000, async (i) => {
          made[i] = idIn(await send('POST', '/v2/accounts', named(`${round}-${i}`)))
        })
        return made
      },
      run: (id) => send('PUT', `/v2/accounts/${id}`, { type: 'account', name: 'Renamed' }),
    },
    'get cart': { times: 3000, prepare: cart(3000), run: (name) => send('GET', `/v2/carts/${name}`) },
    'get cart with its item': {
      times: 3000,
      prepare: smallCart(3000),
      run: (name) => send('GET', `/v2/carts/${name}?include=items`),
    },
    'get cart with 20 items': {
      times: 3000,
      prepare: cart(3000),
      run: (name) => send('GET', `/v2/carts/${name}?include=items`),
    },
    'first item': { times: 600, run: (name) => add(`first-${name}`, uncounted) },
    'second item': {
      times: 600,
      prepare: carts('second', 600, () => [uncounted]),
      run: (name) => add(name, another),
    },
    '99 items at once': { times: 60, run: (name) => add(`many-${name}`, ...productIds.slice(0, 99)) },
    'checkout of 1 line': { times: 600, prepare: carts('one', 600, () => [uncounted]), run: checkOut },
    'checkout of 20 lines': {
      times: 200,
      prepare: carts('twenty', 200, () => productIds.slice(0, 20)),
      run: checkOut,
    },
    payment: { times: 400, prepare: orders('paid', 400, () => [uncounted]), run: pay },
    'payment of counted stock': {
      times: 400,
      prepare: orders('stock', 400, (i) => [counted[i % counted.length]]),
      run: pay,
    },
    'payment of one hot product': { times: 400, prepare: orders('hot', 400, () => [counted[0]]), run: pay },
    'get order': { times: 2000, prepare: order(2000), run: (id) => send('GET', `/v2/orders/${id}`) },
    'get order with 20 items': {
      times: 1000,
      prepare: order(1000),
      run: (id) => send('GET', `/v2/orders/${id}?include=items`),
    },
  }
}

const named = (name: string) => ({
  type: 'account',
  name: `Account ${name}`,
  legal_name: `Account ${name} Ltd`,
})

const idIn = (text: string): string => (JSON.parse(text) as { data: { id: string } }).data.id
