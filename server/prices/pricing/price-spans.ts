import type { Item } from './item.ts'
import { hasOwnPrice, type PriceContext, priceChanges, priceItem } from './price-item.ts'

/** The unit price of a product in a currency by one price book, from an instant on and before another. */
export interface PriceSpan {
  readonly pricebookId: string
  /** Null where the price book has a price without currencies. It still keeps weaker price books from applying. */
  readonly currency: string | null
  readonly amount: number | null
  readonly from: string
  readonly to: string
}

/** How PostgreSQL writes open ends. */
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
  // If the book prices the bundle itself, parts do not matter.
  const priced = isOwn ? { ...item, parts: undefined } : item
  const bounds = priceChanges(priced, context)
  const spans = [undefined, ...bounds].flatMap((bound, i) => {
    const next = bounds[i]
    // Any instant before the first change will do.
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
  if (!bounds.length && spans.length) return spans
  if (spans.length || !isOwn) return joined(spans)
  return [{ pricebookId, currency: null, amount: null, ...ever }]
}

const textOf = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())

/** Joins spans of the same amount: the sale between them may be in another currency. */
function joined(spans: readonly PriceSpan[]): readonly PriceSpan[] {
  const merged: PriceSpan[] = []
  const last = new Map<string | null, number>()
  for (const span of spans) {
    const i = last.get(span.currency)
    const before = i === undefined ? undefined : merged[i]
    if (before && i !== undefined && before.amount === span.amount && before.to === span.from) {
      merged[i] = { ...before, to: span.to }
    } else {
      last.set(span.currency, merged.length)
      merged.push(span)
    }
  }
  return merged
}
