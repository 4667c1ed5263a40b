import {
  type DisplayCurrency,
  displayPrice,
  type Item,
  type ItemPrice,
  type PriceAmounts,
  type PriceTable,
  type ShownPrice,
  type StoredPrice,
  shownPrice,
} from '../../prices/index.ts'

/** The price members in the answer of a product. It does no I/O. */
interface ShownPrices {
  readonly attributes: { readonly price?: PriceAmounts } & Omit<Partial<ShownPrice['attributes']>, 'price'>
  readonly meta: Readonly<Record<string, unknown>>
  /** The traces of the price and, for a bundle, of the selected options. */
  readonly explanation: Readonly<Record<string, unknown>>
}

/** Shows the price of a product and of the selected options of a bundle, with their list prices. */
export function shownPrices(
  { amounts, own, parts, trace }: ItemPrice,
  currency: DisplayCurrency | undefined,
  list?: ItemPrice,
): ShownPrices {
  const of = own ? shownPrice(own, currency) : sumOf(amounts, currency)
  const listed = new Map(list?.parts.map(({ id, price }) => [id, price]))
  const priced = parts.flatMap(({ id, price }) => (price ? [{ id, price }] : []))
  const units = priced.map(({ id, price }) => [id, unitPrice(price, currency, listed.get(id))] as const)
  const traces = priced.map(({ id, price }) => [id, price.trace] as const)
  return {
    attributes: of.attributes,
    meta: {
      ...of.meta,
      ...(list && alternativePrices(list, currency)),
      ...(units.length && { component_products: Object.fromEntries(units) }),
    },
    explanation: {
      price: trace,
      ...(traces.length && { component_products: Object.fromEntries(traces) }),
    },
  }
}

/** The list price: the price by the catalog's own price books, if they have one. */
function alternativePrices(list: ItemPrice, currency: DisplayCurrency | undefined) {
  const { attributes, meta } = shownPrices({ ...list, parts: [] }, currency)
  const { price, tiers, shopper_attributes } = attributes
  if (!price) return {}
  // Shown with the price that applies.
  const { tiers: shownTiers, price_modifiers: _modifiers, ...shown } = meta as Partial<ShownPrice['meta']>
  const tiersOf = Object.entries<NonNullable<typeof tiers>[string]>(tiers ?? {}).map(([name, tier]) => {
    const { sale_id: _id, sale_expires: _expires, ...displayed } = shownTiers?.[name] ?? {}
    return [name, { price: tier.price, ...displayed }]
  })
  return {
    alternative_prices: [
      {
        name: 'List Price',
        ...shown,
        price,
        ...(tiersOf.length && { tiers: Object.fromEntries(tiersOf) }),
        ...(shopper_attributes && { shopper_attributes }),
      },
    ],
  }
}

/** The sum of the parts has no tiers, price book or sale. */
function sumOf(amounts: ItemPrice['amounts'], currency: DisplayCurrency | undefined) {
  if (!amounts) return { attributes: {}, meta: {} }
  const { currencies, original } = amounts
  const display_price = displayPrice(currencies, currency)
  const original_display_price = displayPrice(original, currency)
  return {
    attributes: { price: currencies },
    meta: {
      ...(display_price && { display_price }),
      ...(original && { original_price: original }),
      ...(original_display_price && { original_display_price }),
    },
  }
}

/** The unit price of an option. */
function unitPrice(price: ItemPrice, currency: DisplayCurrency | undefined, list?: ItemPrice) {
  const { attributes, meta } = shownPrices({ ...price, parts: [] }, currency, list && { ...list, parts: [] })
  return { ...(attributes.price && { price: attributes.price }), ...meta }
}

/** The price of a product in each of these price books, for the merchant. It does no I/O. */
export function availablePrices(books: readonly string[], prices: PriceTable, item: Item) {
  const priced = books.flatMap((id) => {
    const { price: own, parentPrice } = prices.bookPrices(id, item)
    const price = own ?? parentPrice
    return price ? [{ id, price }] : []
  })
  return {
    available_prices: priced.map(({ id, price }) => toAvailablePrice(id, price)),
    available_pricebook_ids: priced.map(({ id }) => id),
  }
}

function toAvailablePrice(pricebook_id: string, { currencies, sales, shopper_attributes }: StoredPrice) {
  const price = Object.entries(currencies).map(([code, { amount, includes_tax = false }]) => [
    code,
    { amount, includes_tax },
  ])
  const tiers = tiersOf(currencies)
  return {
    pricebook_id,
    price: Object.fromEntries(price) as PriceAmounts,
    ...(Object.keys(tiers).length && { tiers }),
    ...(sales && { sales }),
    ...(shopper_attributes && { shopper_attributes }),
  }
}

/** The tiers of all currencies by name, as shoppers see them. */
function tiersOf(currencies: StoredPrice['currencies']) {
  // A Map, because a merchant may give a tier a name such as `toString`, which every object has.
  const tiers = new Map<string, { minimum_quantity: number; price: Record<string, PriceAmounts[string]> }>()
  for (const [code, { includes_tax = false, tiers: own = {} }] of Object.entries(currencies)) {
    for (const [name, { minimum_quantity, amount }] of Object.entries(own)) {
      const tier = tiers.get(name) ?? { minimum_quantity, price: {} }
      tier.price[code] = { amount, includes_tax }
      tiers.set(name, tier)
    }
  }
  return Object.fromEntries(tiers)
}
