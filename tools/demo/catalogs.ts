import { inParallel } from './in-parallel.ts'
import type { AnyJson, Merchant } from './merchant.ts'
import { atOnce, type PlannedProduct } from './products.ts'
import { departments } from './wares.ts'

/** The channel in which a seller orders for an account. */
export const tradeChannel = 'trade'

/** Units of other currencies in a dollar. */
const rates: Readonly<Record<string, number>> = { USD: 1, EUR: 0.92, GBP: 0.79 }

const amountIn = (currency: string, cents: number) => Math.round(cents * (rates[currency] ?? 1))

const currenciesOf = (cents: number, currencies: readonly string[], includes_tax: boolean) =>
  Object.fromEntries(currencies.map((code) => [code, { amount: amountIn(code, cents), includes_tax }]))

export async function addCurrencies(merchant: Merchant): Promise<void> {
  const existing = (await merchant.get('/v2/currencies')).map(({ code }: AnyJson) => code)
  for (const [code, format] of [
    ['EUR', '€{price}'],
    ['GBP', '£{price}'],
  ] as const) {
    if (existing.includes(code)) continue
    await merchant.do('POST', '/v2/currencies', {
      ...{ type: 'currency', code, format, exchange_rate: rates[code], enabled: true, default: false },
      ...{ decimal_point: '.', thousand_separator: ',', decimal_places: 2 },
    })
  }
}

interface Books {
  readonly retail: string
  readonly trade: string
  readonly outlet: string
}

/** Creates price books with the prices of the products. `onPrice` is called for each. */
export async function addPrices(
  merchant: Merchant,
  products: readonly PlannedProduct[],
  sale: { readonly from: Date; readonly to: Date },
  onPrice: () => void,
): Promise<Books> {
  const book = async (name: string, description: string) => {
    const data = { type: 'pricebook', attributes: { name, description } }
    return (await merchant.create('/pcm/pricebooks', `book ${name}`, data)).id
  }
  const books = {
    retail: await book('Retail', 'What everybody pays, with tax.'),
    trade: await book('Trade', 'What accounts pay, without tax, and less for many.'),
    outlet: await book('Outlet', 'What is left of some products.'),
  }
  await inParallel(products, atOnce, async ({ sku, price }, i) => {
    const add = async (pricebook: string, attributes: object) => {
      const data = { type: 'product-price', attributes: { sku, ...attributes } }
      await merchant.create(`/pcm/pricebooks/${pricebook}/prices`, `price ${pricebook} ${sku}`, data)
      onPrice()
    }
    const inSale = {
      schedule: { valid_from: sale.from.toISOString(), valid_to: sale.to.toISOString() },
      currencies: currenciesOf(Math.round(price * 0.8), ['USD', 'EUR', 'GBP'], true),
    }
    await add(books.retail, {
      currencies: currenciesOf(price, ['USD', 'EUR', 'GBP'], true),
      ...(i % 6 === 0 && { sales: { seasonal: inSale } }),
    })
    const amount = Math.round(price * 0.75)
    const tiers = { ten: { minimum_quantity: 10, amount: Math.round(amount * 0.9) } }
    await add(books.trade, { currencies: { USD: { amount, includes_tax: false, tiers } } })
    if (i % 8 === 3) {
      await add(books.outlet, { currencies: currenciesOf(Math.round(price * 0.5), ['USD', 'EUR'], true) })
    }
  })
  return books
}

interface Tree {
  readonly departments: string
  readonly collections: string
  /** The ids of the nodes of departments and shelves, by name. */
  readonly nodes: ReadonlyMap<string, string>
}

const collections = ['New', 'Gifts', 'For the desk'] as const

/** Puts the products in hierarchies: each on its shelf, in its department, and some in a collection. */
export async function addHierarchies(merchant: Merchant, products: readonly PlannedProduct[]): Promise<Tree> {
  const slug = (name: string) => name.toLowerCase().replace(/[^a-z]+/g, '-')
  const hierarchy = async (name: string) => {
    const data = { type: 'hierarchy', attributes: { name, slug: slug(name) } }
    return (await merchant.create('/pcm/hierarchies', `hierarchy ${name}`, data)).id
  }
  const nodes = new Map<string, string>()
  const node = async (root: string, parent: string, name: string) => {
    const data = {
      type: 'node',
      attributes: { name, slug: slug(name) },
      relationships: { parent: { data: { type: parent === root ? 'hierarchy' : 'node', id: parent } } },
    }
    const { id } = await merchant.create(`/pcm/hierarchies/${root}/nodes`, `node ${name}`, data)
    nodes.set(name, id)
    return id
  }
  const put = async (root: string, name: string, some: readonly PlannedProduct[]) => {
    if (some.length === 0) return
    const path = `/pcm/hierarchies/${root}/nodes/${nodes.get(name)}/relationships/products`
    for (let i = 0; i < some.length; i += 50) {
      const ids = some.slice(i, i + 50).map(({ sku }) => merchant.idOf(`product ${sku}`))
      await merchant.do(
        'POST',
        path,
        ids.map((id) => ({ type: 'product', id })),
      )
    }
  }
  const roots = { departments: await hierarchy('Departments'), collections: await hierarchy('Collections') }
  for (const { name, shelves } of departments) {
    const parent = await node(roots.departments, roots.departments, name)
    // The page of a department lists the products of its own node.
    await put(
      roots.departments,
      name,
      products.filter(({ department }) => department === name),
    )
    for (const { name: shelf } of shelves) {
      await node(roots.departments, parent, shelf)
      await put(
        roots.departments,
        shelf,
        products.filter((product) => product.shelf === shelf),
      )
    }
  }
  for (const [i, name] of collections.entries()) {
    await node(roots.collections, roots.collections, name)
    await put(roots.collections, name, products.filter((_, n) => n % 9 === i * 3).slice(0, 50))
  }
  return { ...roots, nodes }
}

/** Creates the catalogs, says who sees which, and publishes them. */
export async function addCatalogs(
  merchant: Merchant,
  tree: Tree,
  books: Books,
  tradeTag: string,
): Promise<void> {
  const catalog = async (
    name: string,
    hierarchy_ids: readonly string[],
    pricebook_ids: readonly string[],
  ) => {
    const priorities = pricebook_ids.map((id, i) => ({ id, priority: pricebook_ids.length - i }))
    const attributes = { name, hierarchy_ids, pricebook_ids: priorities }
    return (await merchant.create('/catalogs', `catalog ${name}`, { type: 'catalog', attributes })).id
  }
  const rule = (name: string, catalog_id: string, attributes: object) =>
    merchant.create('/catalogs/rules', `rule ${name}`, {
      type: 'catalog_rule',
      attributes: { name, catalog_id, ...attributes },
    })
  const shop = await catalog('Shop', [tree.departments, tree.collections], [books.retail])
  const trade = await catalog('Trade', [tree.departments], [books.trade, books.retail])
  const outlet = await catalog('Outlet', [tree.collections], [books.outlet, books.retail])
  await rule('Everybody', shop, {})
  await rule('Accounts of the trade', trade, { account_tag_ids: [tradeTag] })
  await rule('Orders for accounts', trade, { channels: [tradeChannel] })
  await rule('The outlet shop', outlet, { channels: ['outlet'] })
  for (const id of [shop, trade, outlet]) {
    const release = await merchant.do('POST', `/catalogs/${id}/releases`)
    const status = await merchant.until(`the publication of ${id}`, async () => {
      const { meta } = await merchant.get(`/catalogs/${id}/releases/${release.id}`)
      return /PUBLISHED|FAILED/.test(meta.release_status) ? meta.release_status : undefined
    })
    if (status !== 'PUBLISHED') throw new Error(`the catalog ${id} was not published: ${status}`)
  }
}
