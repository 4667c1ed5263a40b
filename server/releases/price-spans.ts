import { type BookPrices, priceChangesAt, resolvePrice } from '../pricebooks/index.ts'

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
export function priceSpans(book: BookPrices, modifierNames: readonly string[]): readonly PriceSpan[] {
  const { pricebookId, price, parentPrice } = book
  if (!price && !parentPrice) return []
  const bounds = priceChangesAt({ books: [book], modifierNames })
  const spans = [undefined, ...bounds].flatMap((bound, i) => {
    const next = bounds[i]
    // Before the first change any instant will do.
    const at = bound ?? new Date((next?.getTime() ?? 1) - 1)
    const amounts = resolvePrice({ books: [book], modifierNames, at }).price?.currencies ?? {}
    const span = { from: bound?.toISOString() ?? ever.from, to: next?.toISOString() ?? ever.to }
    return Object.entries(amounts).map(([currency, { amount }]) => ({
      pricebookId,
      currency,
      amount,
      ...span,
    }))
  })
  return spans.length ? joined(spans) : [{ pricebookId, currency: null, amount: null, ...ever }]
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
