import { Problem } from '../../kernel/errors.ts'
import { parse } from '../../kernel/query/parse.ts'
import { text } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { showProductsTo } from '../../shop/index.ts'
import { type Cart, type Includes, valuesOf } from '../contents/cart-fields.ts'
import { componentIdsOf } from '../contents/contents.ts'
import type { PricedCart } from '../contents/priced-cart.ts'
import { isProduct, shopperOf } from '../pricing/cart-shop.ts'

/** What `include` may name, beside `component_products`. */
export const includeNames = ['items', 'tax_items', 'custom_discounts', 'promotions'] as const
export type IncludeName = (typeof includeNames)[number]

/** What `include=` may name, once or more often, or in one list with commas. */
export const includeParameter = (...accepted: readonly IncludeName[]) =>
  text({
    about: `Objects to include, separated by commas: ${accepted.join(', ')}. With component_products, items show the selected products of bundles.`,
    example: accepted.join(','),
  })

/** Whether a response shows nothing but the cart, so that it cannot be refused. */
export const showsCartOnly = (query: string): boolean => !parse(query).include.includes('component_products')

/** In the items of one response. */
const componentsMax = 2000

/** The cart with what the request includes. */
export async function withIncludes(ctx: Ctx, row: Cart, query: string): Promise<Cart> {
  const names = parse(query).include
  const componentProducts = names.includes('component_products')
    ? await findComponentProducts(ctx, row)
    : undefined
  const promotions = promotionsOfCart(row.inside.priced)
  return { ...row, hidden: { ...row.hidden, includes: { names, componentProducts, promotions } } }
}

/** The promotions that apply, without those that take something off items only. */
function promotionsOfCart({ promotions, promotionItems, lines }: PricedCart): PricedCart['promotions'] {
  const ofCart = new Set(promotionItems.map(({ cause }) => cause.id))
  const ofItems = new Set(lines.flatMap(({ discounts }) => discounts.map(({ cause }) => cause.id)))
  return promotions.filter(({ id }) => ofCart.has(id) || !ofItems.has(id))
}

async function findComponentProducts(ctx: Ctx, row: Cart): Promise<Includes['componentProducts']> {
  const cart = valuesOf(row)
  const { priced } = row.inside
  const { snapshot_date: snapshot } = cart
  const ids = cart.contents.lines.filter(isProduct).flatMap(componentIdsOf)
  if (ids.length > componentsMax) {
    const detail = `The bundles of the cart have more than ${componentsMax} selected products, so these cannot be included: leave out component_products.`
    throw new Problem('bad_request', detail, { source: 'include' })
  }
  const at = snapshot === undefined ? ctx.clock.now() : new Date(snapshot)
  return showProductsTo(ctx, shopperOf(cart, at), [...new Set(ids)], priced.currency.code)
}
