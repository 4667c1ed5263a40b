import { type Item, isItem, valueAt } from '../../api/objects.ts'
import type { ListSearch } from '../../lists/address.ts'
import { instantOf } from './instant.ts'

/** Who looks at the shop, and when. */
export interface Shopper {
  readonly kind: 'guest' | 'customer' | 'member'
  /** Of a customer or a member of an account. */
  readonly token: string
  readonly channel: string
  readonly tags: string
  readonly currency: string
  /** A time by the clocks of the store, as `2026-12-24T18:00`; empty for now. */
  readonly at: string
}

export const guest: Shopper = { kind: 'guest', token: '', channel: '', tags: '', currency: '', at: '' }

export const tokenHeaders = {
  customer: 'X-Moltin-Customer-Token',
  member: 'EP-Account-Management-Authentication-Token',
} as const

/** The headers of a shopper's request, without those that say nothing. */
export function headersOf(shopper: Shopper, timeZone: string): Readonly<Record<string, string>> {
  const { kind, token, channel, tags, currency, at } = shopper
  const all = {
    ...(kind !== 'guest' && { [tokenHeaders[kind]]: token }),
    'EP-Channel': channel,
    'EP-Context-Tag': tags,
    'X-Moltin-Currency': currency,
    'Sutler-At': instantOf(at, timeZone) ?? '',
  }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value.trim() ? [[name, value.trim()]] : [])),
  )
}

/** A condition that a product must meet, and what the server has found. */
export interface Gate {
  readonly check: string
  readonly verdict: string
  /** The sentence of the server. */
  readonly detail: string
  /** Whether it is open; closed; or will close or open with the next release. */
  readonly state: 'open' | 'closed' | 'later'
}

/** What does not stop the shopper now, though it does not pass. */
const later = new Set([
  ...['waits_for_pricebooks', 'pricebooks_ignored', 'draft_since', 'left_its_nodes', 'left_the_catalog'],
  ...['not_in_release', 'changed_since'],
])

export const gatesIn = (visibility: Item): readonly Gate[] =>
  (Array.isArray(visibility.checks) ? visibility.checks : []).filter(isItem).map((one) => {
    const verdict = String(one.verdict)
    const state = one.passed === true ? 'open' : later.has(verdict) ? 'later' : 'closed'
    return { check: String(one.check), verdict, detail: String(one.detail), state }
  })

/** What comes of it for the shopper. */
export function outcomeOf(visibility: Item): 'buys' | 'buysChild' | 'sees' | 'hidden' {
  if (visibility.purchasable) return 'buys'
  if (!visibility.visible) return 'hidden'
  return visibility.verdict === 'base_product' ? 'buysChild' : 'sees'
}

export type MendName =
  | 'rules'
  | 'catalog'
  | 'publish'
  | 'product'
  | 'places'
  | 'children'
  | 'prices'
  | 'stock'

const mendNames: Readonly<Record<string, MendName>> = {
  ...{ another_catalog: 'rules', no_catalog: 'rules', waits_for_pricebooks: 'publish' },
  ...{ pricebooks_ignored: 'catalog', draft_since: 'product', draft: 'product' },
  ...{ left_its_nodes: 'places', in_no_node: 'places', left_the_catalog: 'places' },
  ...{ not_in_the_catalog: 'catalog', no_release: 'publish', only_in_bundles: 'places' },
  ...{ not_published: 'publish', changed_since: 'publish', no_price_book: 'catalog' },
  ...{ option_not_published: 'publish', other_currencies_only: 'prices', no_sku: 'product' },
  ...{ base_product: 'children', unpriced: 'prices', option_without_price: 'prices', out_of_stock: 'stock' },
}

/** Where somebody mends what a gate complains of, and the right that this takes. */
export interface Mend {
  readonly name: MendName
  readonly path: string
  readonly search: ListSearch
  readonly right: string
}

/** Undefined if there is nothing to mend, or if the gates before say what. */
export function mendOf({ verdict }: Gate, itemPath: string, catalogId: string): Mend | undefined {
  const name = mendNames[verdict]
  const catalog = `/catalogs/${catalogId}`
  const back = itemPath
  const all: Readonly<Record<MendName, Omit<Mend, 'name'>>> = {
    rules: { path: '/catalogs/rules', search: {}, right: 'read catalogs' },
    catalog: { path: catalog, search: { form: 'edit', back }, right: 'update catalogs' },
    publish: { path: `${catalog}/releases`, search: { form: 'new', back }, right: 'write catalogs' },
    product: { path: itemPath, search: { form: 'edit' }, right: 'update products' },
    places: { path: itemPath, search: { tab: 'fields' }, right: 'write hierarchies' },
    children: { path: itemPath, search: { tab: 'variations' }, right: 'read products' },
    prices: { path: itemPath, search: { tab: 'prices' }, right: 'read pricebooks' },
    stock: {
      path: `/v2/inventories/${itemPath.split('/').at(-1)}`,
      search: {},
      right: 'read inventories',
    },
  }
  return name && { name, ...all[name] }
}

/** The price that a shopper sees, and where it comes from. */
export interface ShownPrice {
  readonly amount: number
  readonly currency: string
  readonly pricebookId: string | undefined
  /** The name of the sale that is in force. */
  readonly sale: string | undefined
}

export function priceIn(product: Item | undefined): ShownPrice | undefined {
  const shown = ['with_tax', 'without_tax']
    .map((name) => valueAt(product, `meta.display_price.${name}`))
    .find(isItem)
  if (!shown) return undefined
  const sales = valueAt(product, 'meta.explanation.price.sales')
  const sale = (Array.isArray(sales) ? sales : []).filter(isItem).find((one) => one.reason === 'in force')
  const pricebookId = valueAt(product, 'meta.pricebook_id')
  return {
    ...{ amount: Number(shown.amount), currency: String(shown.currency) },
    pricebookId: typeof pricebookId === 'string' ? pricebookId : undefined,
    sale: sale && String(sale.name),
  }
}
