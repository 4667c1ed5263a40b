import { bareChangeOf } from './bare-carts.ts'
import { fillCart, item, makePromotions } from './fill-carts.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { inTurns, median, type Pair, pairCells, printLoad, printRow } from './pairs.ts'
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

/** Adds the last product of a full cart, and makes room for it again. */
function addTo({ server, catalog }: Store, name: string, lines: number) {
  const path = `/v2/carts/${name}/items`
  const added = catalog.productIds[lines - 1]
  let id: string | undefined
  return {
    add: async () => {
      const { data } = await server.call<Cart>('POST', path, item(added), 201)
      id = data.find((one) => one.product_id === added)?.id
    },
    remove: async () => {
      if (id !== undefined) await server.call('DELETE', `${path}/${id}`)
      id = undefined
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

async function besideNone(rich: Store, poor: Store, lines: number): Promise<Pair> {
  const name = `promoted-${lines}`
  for (const { server, catalog } of [rich, poor]) await fillCart(server, catalog, name, lines - 1)
  const [ours, theirs] = [addTo(rich, name, lines), addTo(poor, name, lines)]
  const remove = async () => {
    await ours.remove()
    await theirs.remove()
  }
  return inTurns(rounds, ours.add, theirs.add, remove)
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
  const medians: number[] = []
  for (const lines of sizes) {
    const pair = await besideBare(poor, lines)
    medians.push(median(pair.ours))
    printRow([lines, ...pairCells(pair)])
  }
  const growth = (medians.at(-1) ?? 0) / (medians[0] ?? 1)
  process.stdout.write(`an add to ${sizes.at(-1)} lines: ${growth.toFixed(2)} times one to ${sizes[0]}\n`)
  printLoad()
  printRow(['lines', `with ${promotions} promotions`, 'with none', 'ratio', 'ratio at 95 %'])
  printRow(['--:', '--:', '--:', '--:', '--:'])
  for (const lines of sizes) printRow([lines, ...pairCells(await besideNone(rich, poor, lines))])
  printLoad()
} finally {
  await rich.server.stop()
  await poor.server.stop()
}
