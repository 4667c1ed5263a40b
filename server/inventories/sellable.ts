/** A bundle as it would be sold: which options are chosen, and how many of each. */
export interface ChosenBundle {
  readonly id: string
  readonly sku?: string | null | undefined
  readonly options: readonly { readonly id: string; readonly quantity: number }[]
}

type Stocks = ReadonlyMap<string, { readonly available: number }>

/**
 * How many of a bundle may be sold; undefined where nothing that is in it is counted. One with a SKU may be counted
 * itself: then that is how many there are. Otherwise there are as many as the scarcest of its options lets there be.
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
