import type { Work } from '../../kernel/work/context.ts'
import {
  displayCurrency,
  type ItemPrice,
  type PriceTable,
  priceFacts,
  priceItem,
  priceVerdict,
  type Selection,
  withParts,
} from '../../prices/index.ts'
import type { CatalogShopper } from '../catalogs/shopper-context.ts'
import { findShop } from '../view/find-shop.ts'
import { languageOf, textsIn } from '../view/languages.ts'
import type { View } from '../view/view.ts'
import {
  findPublishedRows,
  optionsOf,
  type PublishedRow,
  parentsAmong,
  type ShopItem,
  shopItem,
} from './published-row.ts'
import { shopIn } from './shop.ts'
import type { ShownProduct } from './shown-fields.ts'
import { availablePrices, shownPrices } from './shown-prices.ts'

/** How some products are shown, by their ids. */
export interface Particulars {
  /** The products that are curated in the listed node. */
  readonly curated?: ReadonlySet<string>
  /** The shopper's selections of bundles, which replace the default selections. */
  readonly selections?: ReadonlyMap<string, Selection>
}

/** The data that products are shown from. */
interface Shelf {
  readonly items: ReadonlyMap<string, ShopItem>
  readonly prices: PriceTable
  /** The parents among the options of bundles. */
  readonly parents: ReadonlySet<string>
}

/**
 * Shows published products with their prices, in the given order. It takes one statement, and a few more for bundles.
 */
export async function showProducts(
  work: Pick<Work, 'store'>,
  view: View,
  rows: readonly PublishedRow[],
  particulars: Particulars = {},
): Promise<readonly ShownProduct[]> {
  const { books, listBooks = [], availableBooks = [] } = view
  const shop = shopIn(work, view, view.currency?.code)
  const shown = rows.map((row) => shopItem(row, particulars.selections?.get(row.id)))
  const items = await withParts(shown, shop.findItems)
  const offered = [...items.values()].flatMap(({ row }) => optionsOf(row)).map(({ id }) => id)
  const parents = await parentsAmong(work, view, offered)
  // Reads prices last, because this checks that the edition has not been rolled back.
  const prices = await shop.prices(
    [...new Set([...books, ...listBooks, ...availableBooks])],
    [...items.values()],
  )
  return shown.map((item) => shownProduct(item, view, { items, prices, parents }, particulars))
}

const currencyAndBooks = ({ books, currency }: View) => ({ books, currency: currency?.code })

function shownProduct(item: ShopItem, view: View, shelf: Shelf, particulars: Particulars): ShownProduct {
  const { id, doc, facts } = item.row
  // The price shows the modifiers that changed it.
  const { price_modifiers, ...attributes } = doc.attributes
  const selection = particulars.selections?.get(id)
  const { books, listBooks, at } = view
  const priced = priceItem(item, { ...shelf, books, at })
  const listPrice = listBooks && priceItem(item, { ...shelf, books: listBooks, at })
  const price = shownPrices(priced, view.currency, listPrice)
  const language = languageOf(view.languages, facts.locales)
  const shopperAttributes = {
    ...(attributes.shopper_attributes as object),
    ...price.attributes.shopper_attributes,
  }
  return {
    type: 'product',
    id,
    attributes: {
      ...attributes,
      ...(attributes.components && { components: withParents(attributes.components, shelf.parents) }),
      ...textsIn(language, facts.locales),
      ...price.attributes,
      ...(Object.keys(shopperAttributes).length && { shopper_attributes: shopperAttributes }),
      ...(particulars.curated?.has(id) && { curated_product: true }),
      published_at: facts.published_at,
    },
    meta: {
      ...doc.meta,
      ...(language !== undefined && { language }),
      ...price.meta,
      ...(selection && {
        bundle_configuration: { selected_options: selection },
        component_product_data: selectedProducts(item, view, shelf),
      }),
      ...(view.availableBooks && availablePrices(view.availableBooks, shelf.prices, item)),
      ...(view.explains && { explanation: { ...price.explanation, ...whyWithoutPrice(item, priced, view) } }),
    },
    relationships: { ...doc.relationships, ...linksOf(item.row, view) },
  }
}

/** Explains a missing price in the shopper's currency. */
function whyWithoutPrice(item: ShopItem, price: ItemPrice, view: View) {
  const { verdict, effect, detail } = priceVerdict(priceFacts(item, price, currencyAndBooks(view)))
  return effect === 'passes' ? {} : { no_price: { verdict, detail } }
}

type ShownComponents = NonNullable<ShownProduct['attributes']['components']>

/** Marks the options that are parents, because a shopper buys one of their children. */
function withParents(components: ShownComponents, parents: ReadonlySet<string>): ShownComponents {
  const shown = (option: ShownComponents[string]['options'][number]) =>
    parents.has(option.id) ? { ...option, product_should_be_substituted_with_child: true } : option
  const entries = Object.entries(components).map(([key, component]) => [
    key,
    { ...component, options: component.options.map(shown) },
  ])
  return Object.fromEntries(entries)
}

/** The selected products of a bundle, by their ids. */
function selectedProducts(
  { parts = [] }: ShopItem,
  view: View,
  shelf: Shelf,
): Readonly<Record<string, ShownProduct>> {
  const selected = parts.flatMap(({ id }) => shelf.items.get(id) ?? [])
  return Object.fromEntries(selected.map((part) => [part.id, shownProduct(part, view, shelf, {})]))
}

/** Links to related lists. */
function linksOf({ id, doc }: PublishedRow, { prefix }: View): Record<string, unknown> {
  const at = `${prefix}/products/${id}/relationships`
  const slugs = doc.meta.custom_relationships ?? []
  const bySlug = slugs.map((slug) => [slug, `${at}/${encodeURIComponent(slug)}/products`])
  const self = (name: string) => ({ links: { self: `${at}/${name}` } })
  return {
    ...(doc.attributes.base_product === true && { children: self('children') }),
    ...(doc.attributes.components && { component_products: self('component_products') }),
    ...(slugs.length && { custom_relationships: { links: Object.fromEntries(bySlug) } }),
  }
}

/** What a shopper, who need not be the caller, sees of some products, by id. It lacks those that are not published. */
export async function showProductsTo(
  work: Work,
  shopper: CatalogShopper,
  ids: readonly string[],
  currency: string,
): Promise<ReadonlyMap<string, ShownProduct>> {
  const { context, currencies } = await findShop(work, shopper, {})
  if (!context || !ids.length) return new Map()
  const view = {
    ...context,
    currency: displayCurrency(currency, currencies),
    languages: [],
    prefix: '/catalog',
    pinned: true,
  }
  const rows = await findPublishedRows(work, context, ids)
  const shown = await showProducts(work, view, [...rows.values()])
  return new Map(shown.map((one) => [one.id, one]))
}
