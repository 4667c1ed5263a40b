import {
  type Amounts,
  type BookPrices,
  bundlePrice,
  priceChangesAt,
  resolvePrice,
} from '../pricebooks/index.ts'

/** What is priced by one price book: a product, or what is chosen of a bundle that has no price of its own. */
export interface Priced {
  readonly book: BookPrices
  readonly modifierNames: readonly string[]
  /** The bundle that it is an option of. */
  readonly bundleIds?: readonly string[]
  readonly parts: readonly { readonly quantity: number; readonly priced: Priced | undefined }[]
}

/** What one of a product costs in a currency by a price book alone, from an instant on and before another. */
export interface PriceSpan {
  readonly pricebookId: string
  /** Null: the book has a price, in no currency. It counts nevertheless: weaker books are not asked. */
  readonly currency: string | null
  readonly amount: number | null
  readonly from: string
  readonly to: string
}

/** As PostgreSQL writes what has no beginning, or no end. */
const ever = { from: '-infinity', to: 'infinity' }

/** The effective prices of a product by a price book, for all times: sales begin and end without a publication. */
export function priceSpans(priced: Priced): readonly PriceSpan[] {
  const { pricebookId } = priced.book
  const bounds = [...new Set(boundsOf(priced))].sort((one, other) => one - other)
  const spans = [undefined, ...bounds].flatMap((bound, i) => {
    const next = bounds[i]
    // Before the first change any instant will do.
    const amounts = amountsAt(priced, new Date(bound ?? (next ?? 1) - 1)) ?? {}
    const span = { from: textOf(bound) ?? ever.from, to: textOf(next) ?? ever.to }
    return Object.entries(amounts).map(([currency, { amount }]) => ({
      pricebookId,
      currency,
      amount,
      ...span,
    }))
  })
  if (spans.length || !hasOwn(priced)) return joined(spans)
  return [{ pricebookId, currency: null, amount: null, ...ever }]
}

const textOf = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())

const hasOwn = ({ book }: Priced): boolean => (book.price ?? book.parentPrice) !== undefined

function amountsAt(priced: Priced, at: Date): Amounts | undefined {
  const { book, modifierNames, bundleIds = [], parts } = priced
  if (hasOwn(priced)) return resolvePrice({ books: [book], modifierNames, bundleIds, at }).price?.currencies
  const amounts = parts.map(({ quantity, priced }) => {
    const currencies = priced && amountsAt(priced, at)
    return { quantity, price: currencies && { currencies } }
  })
  return bundlePrice(amounts)?.currencies
}

function boundsOf(priced: Priced): readonly number[] {
  const { book, modifierNames, bundleIds = [], parts } = priced
  const own = priceChangesAt({ books: [book], modifierNames, bundleIds }).map((at) => at.getTime())
  return hasOwn(priced) ? own : parts.flatMap(({ priced }) => (priced ? boundsOf(priced) : []))
}

/** One span where the amount stays: a sale may be in another currency. */
function joined(spans: readonly PriceSpan[]): readonly PriceSpan[] {
  const found: PriceSpan[] = []
  const last = new Map<string | null, number>()
  for (const span of spans) {
    const i = last.get(span.currency)
    const before = i === undefined ? undefined : found[i]
    if (before && i !== undefined && before.amount === span.amount && before.to === span.from) {
      found[i] = { ...before, to: span.to }
    } else {
      last.set(span.currency, found.length)
      found.push(span)
    }
  }
  return found
}
