import { type Item, partsOf, type Selection } from '../../prices/index.ts'
import type { PublishedFacts } from './published-product.ts'

/** The parts of a published product that its price depends on. */
export interface Priceable {
  readonly id: string
  readonly attributes: {
    readonly sku?: string | null | undefined
    readonly price_modifiers?: readonly string[] | undefined
    readonly components?: unknown
  }
  readonly meta: {
    readonly bundle_configuration?: { readonly selected_options?: Selection | undefined } | null | undefined
  }
  readonly facts: Pick<PublishedFacts, 'parent_sku' | 'unfilled' | 'not_for_sale'>
}

/** Makes a published product an item to price. A bundle has the shopper's selection, or the default selection. */
export function publishedItem({ id, attributes, meta, facts }: Priceable, selected?: Selection): Item {
  const { unfilled, not_for_sale: options = [] } = facts
  const selection = selected ?? meta.bundle_configuration?.selected_options
  return {
    id,
    sku: attributes.sku ?? undefined,
    parentSku: facts.parent_sku,
    modifierNames: attributes.price_modifiers ?? [],
    parts: attributes.components || selection ? partsOf(selection) : undefined,
    ...(unfilled && { unfilled: { components: unfilled, options } }),
  }
}
