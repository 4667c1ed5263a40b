/** A bundle with the options that the shopper has chosen, and the quantity of each. */
export interface ChosenBundle {
  readonly id: string
  readonly sku?: string | null | undefined
  readonly options: readonly { readonly id: string; readonly quantity: number }[]
}

type Stocks = ReadonlyMap<string, { readonly available: number }>

/**
 * How many of a bundle can be sold. A bundle with a SKU may have stock of its own, which then decides; otherwise the
 * scarcest option does. Undefined if neither the bundle nor an option is tracked.
 */
export function sellableOf({ id, sku, options }: ChosenBundle, stocks: Stocks): number | undefined {
  const own = sku ? stocks.get(id) : undefined
  if (own) return own.available
  const needed = new Map<string, number>()
  for (const { id, quantity } of options) needed.set(id, (needed.get(id) ?? 0) + quantity)
  const enoughFor = [...needed].flatMap(([id, quantity]) => {
    const stock = stocks.get(id)
    return stock && quantity > 0 ? [Math.floor(stock.available / quantity)] : []
  })
  return enoughFor.length ? Math.min(...enoughFor) : undefined
}
