import { always, type Cause, cause, firstCause, type Verdict } from './causes.ts'
import type { Item } from './item.ts'
import type { ItemPrice } from './price-item.ts'
import type { PriceAmounts } from './resolve-price.ts'

/** Explains why a published product has a price in the shopper's currency, or has none. It does no I/O. */

/** A selected option of a bundle. */
interface PartFacts {
  readonly id: string
  readonly published: boolean
  /** Undefined where it has no price. */
  readonly amounts: PriceAmounts | undefined
}

/** Everything the price depends on. */
export interface PriceFacts {
  /** The currency that the shopper sees. */
  readonly currency: string | undefined
  /** The price books that apply to the shopper, strongest first. */
  readonly books: readonly string[]
  /** The SKUs that price books look the product up by: its own and its parent's. */
  readonly skus: readonly string[]
  /** The price of the product, by currency. */
  readonly amounts: PriceAmounts | undefined
  /** Whether a price book prices the product itself. */
  readonly hasOwnPrice: boolean
  /** Of a bundle: the options that are selected. */
  readonly parts?: readonly PartFacts[] | undefined
  /** Of a bundle: the components with too few options for sale, and the options that are not for sale. */
  readonly unfilled?:
    | { readonly components: readonly string[]; readonly options: readonly string[] }
    | undefined
}

export function priceFacts(
  { sku, parentSku, parts, unfilled }: Item,
  price: ItemPrice,
  { books, currency }: { readonly books: readonly string[]; readonly currency: string | undefined },
): PriceFacts {
  return {
    currency,
    books,
    skus: [sku, parentSku].flatMap((one) => one ?? []),
    amounts: price.amounts?.currencies,
    hasOwnPrice: price.own !== undefined,
    ...(unfilled && { unfilled }),
    ...(parts && {
      parts: price.parts.map((part) => ({
        id: part.id,
        published: part.price !== undefined,
        amounts: part.price?.amounts?.currencies,
      })),
    }),
  }
}

const has = (amounts: PriceAmounts | undefined, currency: string | undefined) =>
  amounts !== undefined && (currency === undefined || Object.hasOwn(amounts, currency))

const listed = (words: readonly string[]) => words.join(', ') || 'none'

const idsOf = (parts: readonly PartFacts[] = [], which: (part: PartFacts) => boolean) =>
  listed(parts.filter(which).map(({ id }) => id))

const lacksPrice = ({ published, amounts }: PartFacts) => published && !amounts

/** The currencies in which every part has a price. */
function commonCurrencies(parts: readonly PartFacts[] = []): readonly string[] {
  const [first, ...others] = parts
  return Object.keys(first?.amounts ?? {}).filter((code) => others.every(({ amounts }) => has(amounts, code)))
}

/** Whether some parts include tax in a currency and others do not. */
function mixesTax(parts: readonly PartFacts[] = [], currency: string): boolean {
  const taxes = new Set(parts.map(({ amounts }) => amounts?.[currency]?.includes_tax))
  return taxes.size > 1
}

const bundle = (applies: (facts: PriceFacts) => boolean) => (facts: PriceFacts) =>
  facts.parts !== undefined && !facts.hasOwnPrice && applies(facts)

const without = 'The bundle has no price of its own'

/** In the order of the search. */
export const priceCauses: readonly Cause<PriceFacts>[] = [
  cause('priced', 'passes', ({ amounts, currency }) => has(amounts, currency), 'The product has a price.'),
  cause(
    'component_unfilled',
    'prevents_purchase',
    ({ unfilled }) => unfilled !== undefined,
    ({ unfilled }) =>
      `The bundle cannot be bought. Components with too few options for sale: ${listed(unfilled?.components ?? [])}. ` +
      `Options that are not for sale: ${listed(unfilled?.options ?? [])}.`,
  ),
  cause(
    'no_price_book',
    'prevents_purchase',
    ({ books }) => !books.length,
    'No price book applies to the shopper. Give the catalog a price book, then publish the catalog.',
  ),
  cause(
    'nothing_selected',
    'prevents_purchase',
    bundle(({ parts }) => !parts?.length),
    `${without}, and no option is selected by default. It has a price once the shopper selects options.`,
  ),
  cause(
    'option_not_published',
    'prevents_purchase',
    bundle(({ parts = [] }) => parts.some(({ published }) => !published)),
    ({ parts }) =>
      `${without}, and the release does not have these selected options: ${idsOf(parts, ({ published }) => !published)}.`,
  ),
  cause(
    'option_without_price',
    'prevents_purchase',
    bundle(({ parts = [] }) => parts.some(lacksPrice)),
    ({ parts }) => `${without}, and these selected options have no price: ${idsOf(parts, lacksPrice)}.`,
  ),
  cause(
    'no_common_currency',
    'prevents_purchase',
    bundle(({ parts, amounts }) => !amounts && !commonCurrencies(parts).length),
    `${without}, and there is no currency in which all selected options have a price.`,
  ),
  cause(
    'mixed_tax',
    'prevents_purchase',
    bundle(
      ({ parts, currency = '' }) => commonCurrencies(parts).includes(currency) && mixesTax(parts, currency),
    ),
    ({ currency }) =>
      `${without}, and the ${currency} prices of the selected options cannot be added: some include tax, others do not.`,
  ),
  cause(
    'price_too_large',
    'prevents_purchase',
    bundle(({ parts, currency = '' }) => commonCurrencies(parts).includes(currency)),
    ({ currency }) => `${without}, and the sum of the selected options in ${currency} is too large.`,
  ),
  cause(
    'other_currencies_only',
    'prevents_purchase',
    ({ amounts }) => amounts !== undefined,
    ({ amounts, currency }) =>
      `The product has no price in ${currency}, the currency of the shopper. It has a price in: ${listed(Object.keys(amounts ?? {}))}.`,
  ),
  cause(
    'options_in_other_currencies',
    'prevents_purchase',
    bundle(always),
    ({ currency }) => `${without}, and not all selected options have a price in ${currency}.`,
  ),
  cause(
    'no_sku',
    'prevents_purchase',
    ({ skus }) => !skus.length,
    'The product has no SKU, so no price book can have a price for it.',
  ),
  cause(
    'unpriced',
    'prevents_purchase',
    always,
    ({ books, skus }) =>
      `No price book that applies to the shopper (${listed(books)}) had a price for ${skus.join(' or ')} when the catalog was published.`,
  ),
]

export const priceVerdict = (facts: PriceFacts): Verdict => firstCause(priceCauses, facts)
