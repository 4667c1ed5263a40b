/** The item to price: a product, reduced to what its price depends on. */

export interface Item {
  readonly id: string
  readonly sku: string | undefined
  /** Of a child: the SKU of its parent. Its price applies if the child has none of its own. */
  readonly parentSku: string | undefined
  /** Of a child: the price modifiers that its options name, in the order of its variations. */
  readonly modifierNames: readonly string[]
  /** Of a bundle: the selected options. Undefined where the product is not a bundle. */
  readonly parts: readonly ItemPart[] | undefined
  /**
   * Of a bundle that cannot be bought: the components with too few options for sale, and the options not for sale.
   */
  readonly unfilled?:
    | { readonly components: readonly string[]; readonly options: readonly string[] }
    | undefined
}

/** An option of a bundle, and its quantity in one bundle. */
export interface ItemPart {
  readonly id: string
  readonly quantity: number
}

/** How many of each option are selected, by component. */
export type Selection = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Lists the selected options, each product once, though it may be an option of several components. */
export function partsOf(selection: Selection | undefined): readonly ItemPart[] {
  const quantities = new Map<string, number>()
  for (const options of Object.values(selection ?? {})) {
    for (const [id, quantity] of Object.entries(options)) {
      quantities.set(id, (quantities.get(id) ?? 0) + quantity)
    }
  }
  return [...quantities].map(([id, quantity]) => ({ id, quantity }))
}

/** Bundles nest only one level deep. */
export const depthMax = 2

/** Adds the parts of bundles to the items, and returns all by id. `find` reads items by their ids. */
export async function withParts<I extends Item>(
  items: readonly I[],
  find: (ids: readonly string[]) => Promise<readonly I[]>,
): Promise<ReadonlyMap<string, I>> {
  const all = new Map(items.map((item) => [item.id, item]))
  let bundles = items
  for (let depth = 0; depth < depthMax; depth++) {
    const ids = bundles.flatMap(({ parts = [] }) => parts.map(({ id }) => id))
    const missing = [...new Set(ids)].filter((id) => !all.has(id))
    if (!missing.length) break
    bundles = await find(missing)
    for (const item of bundles) all.set(item.id, item)
  }
  return all
}
