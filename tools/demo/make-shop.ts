import { addBundle } from './bundles.ts'
import { leaveCarts } from './carts.ts'
import { addCatalogs, addCurrencies, addHierarchies, addPrices } from './catalogs.ts'
import { inParallel } from './in-parallel.ts'
import { addIntegrations } from './integrations.ts'
import type { Merchant } from './merchant.ts'
import { placedNumbers, placeOrder, plannedOrders } from './orders.ts'
import { addOwnData } from './own-data.ts'
import { daysLater, type PastClock } from './past-clock.ts'
import {
  addAccounts,
  addAccountTags,
  addColleagues,
  addCustomers,
  addSignIn,
  type Colleague,
  openSignUp,
} from './people.ts'
import { randomOf, type ShopPlan } from './plan.ts'
import { addProducts, atOnce, editProducts, plannedProducts } from './products.ts'
import { addPromotions } from './promotions.ts'
import { addStock } from './stock.ts'

/** What storefronts need to know of the shop. */
export interface ShopAddresses {
  readonly accountRealm: string
  readonly passwordProfile: string
  /** The colleague who may do everything. */
  readonly admin: string
}

interface Making {
  readonly storeId: string
  /** Says that a part is done. Throws if the operator has interrupted: everything that is begun is done then. */
  readonly step: (what: string) => void
  /** Throws if the shop must not be made here. */
  readonly mayBegin: (isBegun: boolean) => void
}

/** Makes the shop, or what an interrupted run has left to make. */
export async function makeShop(
  merchant: Merchant,
  clock: PastClock,
  plan: ShopPlan,
  { storeId, step, mayBegin }: Making,
): Promise<ShopAddresses & { readonly isNew: boolean }> {
  const { ends } = plan
  const isThere = async (path: string) => (await merchant.send('GET', path)).status === 200
  const isBegun = await isThere(`/v2/account-tags/${merchant.idOf('tag Trade')}`)
  mayBegin(isBegun)
  const tags = await addAccountTags(merchant)
  const signIn = await addSignIn(merchant)
  const colleagues = await addColleagues(merchant)
  const addresses = {
    ...{ accountRealm: signIn.realm, passwordProfile: signIn.passwordProfile },
    admin: colleagues.find(({ role }) => role === 'store-admin')?.email as string,
  }
  // What is made last.
  const isWhole = isBegun && (await isThere(`/v2/extensions/wishlists/${merchant.idOf('last wishlist')}`))
  if (isWhole) return { ...addresses, isNew: false }
  step('settings')

  await nameStore(merchant)
  await merchant.do('PUT', '/v2/settings/cart', {
    type: 'settings',
    discounts: { use_rule_promotions: true },
  })
  // Storefronts that pay by hand are to work at once. Nothing is shipped here.
  await merchant.do('PUT', '/v2/gateways/manual', { type: 'gateway', enabled: true, shoppers_may_pay: true })
  await takeCards(merchant, true)
  await addCurrencies(merchant)
  const products = plannedProducts(plan)
  const children = await addProducts(merchant, products, () => step('products'))
  const sale = { from: daysLater(ends, -10), to: daysLater(ends, 20) }
  const books = await addPrices(merchant, products, sale, () => step('prices'))
  const tree = await addHierarchies(merchant, products)
  const gifts = { pricebook: books.retail, hierarchy: tree.collections, node: tree.nodes.get('Gifts') ?? '' }
  await addBundle(merchant, products, gifts)
  step('hierarchies')
  await addCatalogs(merchant, tree, books, tags[0])
  step('catalogs')
  await addPromotions(merchant, plan, products)
  step('promotions')
  const all = products.flatMap(({ sku }) => children.get(sku) ?? [])
  const sellable = await addStock(merchant, all, randomOf(plan, 'stock'), () => step('stock'))
  const customers = await addCustomers(merchant, clock, plan, () => step('customers'))
  const accounts = await addAccounts(merchant, clock, plan, signIn, tags, () => step('accounts'))
  await openSignUp(merchant)

  const orders = plannedOrders(plan, { customers, accounts, sellable })
  const placed = isBegun ? await placedNumbers(merchant) : new Set<string>()
  const missing = orders.filter(({ number }) => !placed.has(String(number)))
  const integratedAt = daysLater(ends, -2)
  const place = (order: (typeof orders)[number]) =>
    placeOrder(merchant, clock, ends, order).then(() => step('orders'))
  await inParallel(
    missing.filter(({ at }) => at < integratedAt),
    atOnce,
    place,
  )
  clock.goTo(integratedAt)
  await addIntegrations(merchant)
  await inParallel(
    missing.filter(({ at }) => at >= integratedAt),
    atOnce,
    place,
  )
  const [editor, marketer] = colleagues as [Colleague, Colleague]
  await editProducts(merchant, clock, plan, products, [editor, marketer], storeId)
  step('edits')
  await leaveCarts(merchant, clock, plan, sellable, () => step('carts'))
  clock.goTo(ends)
  await takeCards(merchant, false)
  await addOwnData(merchant, customers, sellable, randomOf(plan, 'own data'))
  step('custom data')
  return { ...addresses, isNew: true }
}

/** Names the store, unless somebody else has: the shop may be made in a store that is used. */
async function nameStore(merchant: Merchant): Promise<void> {
  const { name, time_zone } = await merchant.get('/v2/settings')
  if (name || time_zone) return
  const facts = { type: 'settings', name: 'Mill Lane Goods', time_zone: 'Europe/London' }
  await merchant.do('PUT', '/v2/settings', facts)
}

/**
 * The shop has taken cards for a while, and some were declined. Its key is that of no account, so nobody can pay with a
 * card later.
 */
const takeCards = (merchant: Merchant, enabled: boolean): Promise<unknown> =>
  merchant.do('PUT', '/v2/gateways/stripe', {
    ...{ type: 'gateway', enabled },
    ...(enabled && { login: 'sk_test_of_no_account' }),
  })
