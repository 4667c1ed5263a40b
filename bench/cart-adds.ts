import { bareChangeOf } from './bare-carts.ts'
import { fillCart, item, makePromotions } from './fill-carts.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { inTurns, type Pair, pairCells, printLoad, printRow } from './pairs.ts'
import { type SeededCatalog, seedPublished } from './seed-published.ts'

/**
 * `node bench/cart-adds.ts [rounds]`: a product that is added to a cart, which then has 1, 20 or 100 lines: beside
 * the bare SQL of its writes, and beside the same in a store with 50 automatic promotions. One request after the
 * other, in turns.
 */
const [rounds = 300] = process.argv.slice(2).map(Number)
const sizes = [1, 20, 100]
const promotions = 50

interface Store {
  readonly server: OwnServer
  readonly catalog: SeededCatalog
}

interface Cart {
  readonly data: { readonly type: string; readonly id: string; readonly product_id?: string }[]
}

/** Adds the last product of a full cart, and makes room for it again. The response is parsed when nobody waits. */
function addTo({ server, catalog }: Store, name: string, lines: number) {
  const path = `/v2/carts/${name}/items`
  const added = catalog.productIds[lines - 1]
  const body = JSON.stringify({ data: item(added) })
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  let text: string | undefined
  return {
    add: async () => {
      const response = await fetch(server.url + path, { method: 'POST', headers, body })
      text = await response.text()
      if (response.status !== 201) throw new Error(text)
    },
    remove: async () => {
      if (text === undefined) return
      const { data } = JSON.parse(text) as Cart
      const id = data.find((one) => one.product_id === added)?.id
      await server.call('DELETE', `${path}/${id}`)
      text = undefined
    },
  }
}

async function besideBare(store: Store, lines: number): Promise<Pair> {
  const name = `of-${lines}`
  await fillCart(store.server, store.catalog, name, lines)
  const bare = await bareChangeOf(store.server.database, name)
  const id = store.catalog.productIds[lines - 1]
  const { data } = await store.server.call<Cart>('GET', `/v2/carts/${name}/items`)
  const last = data.find((one) => one.product_id === id)
  await store.server.call('DELETE', `/v2/carts/${name}/items/${last?.id}`)
  const { add, remove } = addTo(store, name, lines)
  return inTurns(rounds, add, bare, remove)
}

/** Two adds in turns. */
async function besideOther(one: ReturnType<typeof addTo>, other: ReturnType<typeof addTo>): Promise<Pair> {
  const remove = async () => {
    await one.remove()
    await other.remove()
  }
  return inTurns(rounds, one.add, other.add, remove)
}

async function besideNone(rich: Store, poor: Store, lines: number): Promise<Pair> {
  const name = `promoted-${lines}`
  for (const { server, catalog } of [rich, poor]) await fillCart(server, catalog, name, lines - 1)
  return besideOther(addTo(rich, name, lines), addTo(poor, name, lines))
}

async function besideOneLine(store: Store, lines: number): Promise<Pair> {
  const names = [`long-${lines}`, `short-${lines}`] as const
  await fillCart(store.server, store.catalog, names[0], lines - 1)
  await fillCart(store.server, store.catalog, names[1], 0)
  return besideOther(addTo(store, names[0], lines), addTo(store, names[1], 1))
}

async function openStore(automatic: number): Promise<Store> {
  const server = await startOwnServer()
  const catalog = await seedPublished(server, 1000)
  await makePromotions(server, catalog, automatic)
  return { server, catalog }
}

const poor = await openStore(0)
const rich = await openStore(promotions)
try {
  printLoad()
  printRow(['lines', 'add, ms (median, 95 %)', 'its SQL', 'ratio', 'ratio at 95 %'])
  printRow(['--:', '--:', '--:', '--:', '--:'])
  for (const lines of sizes) printRow([lines, ...pairCells(await besideBare(poor, lines))])
  printLoad()
  printRow(['lines', 'add, ms (median, 95 %)', 'to a cart that then has 1 line', 'ratio', 'ratio at 95 %'])
  printRow(['--:', '--:', '--:', '--:', '--:'])
  for (const lines of sizes.slice(1)) printRow([lines, ...pairCells(await besideOneLine(poor, lines))])
  printLoad()
  printRow(['lines', `with ${promotions} promotions`, 'with none', 'ratio', 'ratio at 95 %'])
  printRow(['--:', '--:', '--:', '--:', '--:'])
  for (const lines of sizes) printRow([lines, ...pairCells(await besideNone(rich, poor, lines))])
  printLoad()
} finally {
  await rich.server.stop()
  await poor.server.stop()
}
