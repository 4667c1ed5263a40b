import type { MissingGifts } from './effects/effect.ts'
import type { Promotion } from './promotion.ts'

/** Items that a shopper may add to the cart and get cheaper, as responses show them. */
export interface ItemSuggestion {
  readonly promotion_id: string
  readonly code: string
  readonly info: string
  readonly message: string
  readonly auto_add: boolean
  readonly targets: readonly {
    readonly cart_item_id: string
    readonly quantity: number
    readonly skus: readonly string[]
  }[]
  /** What the items come with, and then the items. */
  readonly bundle: readonly {
    readonly targets: readonly string[]
    readonly quantity: number
    readonly cart_item_id: string
    readonly auto_add_free_gift: boolean
  }[]
}

/** The SKUs or ids of products to add to the cart for a promotion. */
export interface SuggestedGifts {
  readonly promotionId: string
  readonly code: string
  /** Otherwise they have their full price until the code is entered again. */
  readonly isFree: boolean
  readonly gifts: MissingGifts['gifts']
}

export function toSuggestion(
  { id, name }: Promotion,
  code: string,
  { gifts, requirements, isAutoAdd }: MissingGifts,
): ItemSuggestion {
  const none = { cart_item_id: '', auto_add_free_gift: isAutoAdd }
  return {
    promotion_id: id,
    code,
    info: name,
    message: `Add ${gifts.map(({ product, quantity }) => `${quantity} × ${product}`).join(', ')} to the cart.`,
    auto_add: isAutoAdd,
    targets: gifts.map(({ product, quantity }) => ({ cart_item_id: '', quantity, skus: [product] })),
    bundle: [
      ...requirements.map(({ products, quantity }) => ({ targets: products, quantity, ...none })),
      ...gifts.map(({ product, quantity }) => ({ targets: [product], quantity, ...none })),
    ],
  }
}
