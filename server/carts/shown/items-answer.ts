import { listOf, object } from '../../kernel/openapi/shapes.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import { describe } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import type { Cart } from '../contents/cart-fields.ts'
import { displayCart } from '../totals/display-totals.ts'
import { includedIn, includedSchema } from './included.ts'
import { includeParameter, withIncludes } from './includes.ts'
import { cartItem } from './item-schemas.ts'
import { cartDisplayPrice, expiresAt, suggestionsField } from './show-cart.ts'
import { itemsOf, second } from './show-items.ts'
import { reasonSchema, verdictsField } from './verdict-schemas.ts'

const string = { type: 'string' }

/** What a request changed, and why codes take nothing. */
export const messagesSchema = listOf(
  object(
    {
      source: object({ type: string, id: string, code: string }, ['type', 'id']),
      title: string,
      description: string,
      reason: reasonSchema,
    },
    ['title', 'description'],
  ),
)

/** What responses with the items of a cart show, for the API document. */
export const itemsShown = {
  data: listOf(cartItem),
  beside: {
    meta: object(
      {
        display_price: describe(cartDisplayPrice),
        timestamps: object({ created_at: string, updated_at: string, expires_at: string }),
        messages: messagesSchema,
        promotion_suggestions: describe(suggestionsField),
        promotion_verdicts: describe(verdictsField),
      },
      ['display_price', 'timestamps'],
    ),
    included: includedSchema,
  },
} as const

const withItems = ['tax_items', 'custom_discounts', 'promotions'] as const

/** The parameters of the query of requests that show the items of a cart. */
export const itemsIncludes = { include: includeParameter(...withItems) }

/** The items of a cart, its totals and the messages about the change. */
export async function itemsAnswer(status: number, ctx: Ctx, found: Cart, query: string): Promise<Answer> {
  const row = await withIncludes(ctx, found, query)
  const { priced } = row.inside
  const meta = {
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
  const data = JSON.stringify(
    itemsOf({ ...row.inside, updatedAt: row.updatedAt, includes: row.hidden.includes }, ctx.baseUrl),
  )
  const included = includedIn(ctx, row, withItems)
  return { status, body: `{"data":${data},"meta":${JSON.stringify(meta)}${included}}`, headers: {} }
}
