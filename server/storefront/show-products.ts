import type { Work } from '../kernel/work/context.ts'
import { availablePrices } from './available-prices.ts'
import { languageOf, textsIn } from './languages.ts'
import { type PriceFacts, priceFacts, priceVerdict } from './price-causes.ts'
import {
  chosenOptions,
  defaultSelection,
  depthMax,
  type PricedProduct,
  pricedProduct,
  type Shelf,
} from './priced-product.ts'
import { pricesOf } from './prices-of.ts'
import {
  findPublishedRows,
  optionsOf,
  type PublishedRow,
  parentsAmong,
  type Selection,
} from './published-row.ts'
import type { ShownProduct } from './shown-fields.ts'
import { shownPrices } from './shown-prices.ts'
import type { View } from './view.ts'

/** How some of them are to be shown: by their ids. */
export interface Particulars {
  /** Those that are curated in the node they are listed in. */
  readonly curated?: ReadonlySet<string>
  /** What a shopper has chosen of a bundle, in place of what is chosen by default. */
  readonly selections?: ReadonlyMap<string, Selection>
}

/** What products are shown from. */
interface Stocked extends Shelf {
  /** The parents among what bundles offer. */
  readonly parents: ReadonlySet<string>
}

/** Shows published products with their prices, in the order they come in: by one statement, and a few for bundles. */
export async function showProducts(
  work: Pick<Work, 'store'>,
  view: View,
  rows: readonly PublishedRow[],
  particulars: Particulars = {},
): Promise<readonly ShownProduct[]> {
  const products = await withOptions(work, view, rows, particulars)
  const offered = [...products.values()].flatMap(optionsOf).map(({ id }) => id)
  const parents = await parentsAmong(work, view, offered)
  // Last: with the prices one is told whether the edition is still there.
  const prices = await pricesOf(work, view, [...products.values()])
  return rows.map((row) => shownProduct(row, view, { products, prices, parents }, particulars))
}

/** What a published product costs, and what it depends on, as it is selected by default. */
export async function priceOf(work: Pick<Work, 'store'>, view: View, row: PublishedRow): Promise<PriceFacts> {
  const products = await withOptions(work, view, [row], {})
  const prices = await pricesOf(work, view, [...products.values()])
  return priceFacts(row, pricedProduct({ products, prices }, row), currencyAndBooks(view))
}

const currencyAndBooks = ({ books, currency }: View) => ({ books, currency: currency?.code })

/** The products, and what is chosen of the bundles among them, which may be bundles too. */
async function withOptions(
  work: Pick<Work, 'store'>,
  view: View,
  rows: readonly PublishedRow[],
  { selections }: Particulars,
): Promise<ReadonlyMap<string, PublishedRow>> {
  const known = new Map(rows.map((row) => [row.id, row]))
  let bundles = rows
  for (let depth = 0; depth < depthMax; depth++) {
    const ids = bundles
      .flatMap((row) =>
        chosenOptions((depth === 0 ? selections?.get(row.id) : undefined) ?? defaultSelection(row)),
      )
      .map(({ id }) => id)
      .filter((id) => !known.has(id))
    if (!ids.length) break
    const found = await findPublishedRows(work, view, ids)
    for (const [id, row] of found) known.set(id, row)
    bundles = [...found.values()]
  }
  return known
}

function shownProduct(row: PublishedRow, view: View, shelf: Stocked, particulars: Particulars): ShownProduct {
  const { id, doc, facts } = row
  // Those that made the price are told with it.
  const { price_modifiers, ...attributes } = doc.attributes
  const selection = particulars.selections?.get(id)
  const { list } = shelf.prices
  const priced = pricedProduct(shelf, row, selection)
  const price = shownPrices(
    priced,
    view.currency,
    list && pricedProduct({ ...shelf, prices: list }, row, selection),
  )
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
        component_product_data: chosenProducts(selection, view, shelf),
      }),
      ...(view.availableBooks && availablePrices(view.availableBooks, shelf.prices, row)),
      ...(view.explains && { explanation: { ...price.explanation, ...whyWithoutPrice(row, priced, view) } }),
    },
    relationships: { ...doc.relationships, ...linksOf(row, view) },
  }
}

/** The cause of a price that is missing in the shopper's currency. */
function whyWithoutPrice(row: PublishedRow, priced: PricedProduct, view: View) {
  const { verdict, effect, detail } = priceVerdict(priceFacts(row, priced, currencyAndBooks(view)))
  return effect === 'passes' ? {} : { no_price: { verdict, detail } }
}

type ShownComponents = NonNullable<ShownProduct['attributes']['components']>

/** Only the children of a parent are sold: who is offered it chooses one of them. */
function withParents(components: ShownComponents, parents: ReadonlySet<string>): ShownComponents {
  const shown = (option: ShownComponents[string]['options'][number]) =>
    parents.has(option.id) ? { ...option, product_should_be_substituted_with_child: true } : option
  const entries = Object.entries(components).map(([key, component]) => [
    key,
    { ...component, options: component.options.map(shown) },
  ])
  return Object.fromEntries(entries)
}

/** The products that a shopper has chosen of a bundle, by their ids. */
function chosenProducts(selection: Selection, view: View, shelf: Stocked): Record<string, ShownProduct> {
  const chosen = chosenOptions(selection).flatMap(({ id }) => shelf.products.get(id) ?? [])
  return Object.fromEntries(chosen.map((row) => [row.id, shownProduct(row, view, shelf, {})]))
}

/** Where to read what is around it. */
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
