import type { Answer } from '../../kernel/shape/answer.ts'
import { optional, required, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import type { Cart } from '../contents/cart-fields.ts'
import { displayCart } from '../totals/display-totals.ts'
import { included, includedIn } from './included.ts'
import { includeParameter, withIncludes } from './includes.ts'
import { cartItem } from './item-fields.ts'
import { cartDisplayPrice, expiresAt, suggestions } from './show-cart.ts'
import { itemsOf, second } from './show-items.ts'
import { reason, verdicts } from './verdict-fields.ts'

/** What a request changed, and why codes take nothing. */
export const messages = shown.list(
  shown.group({
    source: optional(shown.group({ type: shown.text, id: shown.text, code: optional(shown.text) })),
    title: shown.text,
    description: shown.text,
    reason: optional(reason),
  }),
)

const meta = shown.group({
  display_price: required(cartDisplayPrice),
  timestamps: shown.group({ created_at: shown.text, updated_at: shown.text, expires_at: shown.text }),
  messages: optional(messages),
  promotion_suggestions: suggestions,
  promotion_verdicts: verdicts,
})

/** What responses with the items of a cart show, for the API document. */
export const itemsShown = { data: shown.list(cartItem), beside: { meta, included } } as const

const withItems = ['tax_items', 'custom_discounts', 'promotions'] as const

/** The parameters of the query of requests that show the items of a cart. */
export const itemsIncludes = { include: includeParameter(...withItems) }

/** The items of a cart, its totals and the messages about the change. */
export async function itemsAnswer(status: number, ctx: Ctx, found: Cart, query: string): Promise<Answer> {
  const row = await withIncludes(ctx, found, query)
  const data = JSON.stringify(
    itemsOf({ ...row.inside, updatedAt: row.updatedAt, includes: row.hidden.includes }, ctx.baseUrl),
  )
  const beside = `"meta":${JSON.stringify(metaOf(row))}${includedIn(ctx, row, withItems)}`
  return { status, body: `{"data":${data},${beside}}`, headers: {} }
}

function metaOf(row: Cart): ShownValue<typeof meta> {
  const { priced } = row.inside
  return {
    display_price: displayCart(priced, priced.currency),
    timestamps: {
      created_at: second(row.createdAt),
      updated_at: second(row.updatedAt),
      expires_at: second(expiresAt(row)),
    },
    messages: priced.messages.length ? priced.messages : undefined,
    promotion_suggestions: priced.suggestions.length ? priced.suggestions : undefined,
    promotion_verdicts: priced.explanation?.verdicts,
  }
}
