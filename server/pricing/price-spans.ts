import type { Item } from './item.ts'
import { hasOwnPrice, type PriceContext, priceChanges, priceItem } from './price-item.ts'

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

/** The effective prices of an item by one price book, for all times: sales begin and end without a publication. */
export function priceSpans(
  item: Item,
  pricebookId: string,
  from: Pick<PriceContext, 'items' | 'prices'>,
): readonly PriceSpan[] {
  const context = { ...from, books: [pricebookId] }
  const isOwn = hasOwnPrice(item, context)
  if (!isOwn && !item.parts?.length) return []
  // Parts do not matter where the book prices the bundle itself.
  const priced = isOwn ? { ...item, parts: undefined } : item
  const bounds = priceChanges(priced, context)
  const spans = [undefined, ...bounds].flatMap((bound, i) => {
    const next = bounds[i]
    // Before the first change any instant will do.
    const at = new Date(bound ?? (next ?? 1) - 1)
    const amounts = priceItem(priced, { ...context, at }).amounts?.currencies ?? {}
    const span = { from: textOf(bound) ?? ever.from, to: textOf(next) ?? ever.to }
    return Object.entries(amounts).map(([currency, { amount }]) => ({
      pricebookId,
      currency,
      amount,
      ...span,
    }))
  })
  if (spans.length || !isOwn) return joined(spans)
  return [{ pricebookId, currency: null, amount: null, ...ever }]
}

const textOf = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())

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
