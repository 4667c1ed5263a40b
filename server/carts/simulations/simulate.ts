import { action } from '../../kernel/declare/action.ts'
import { notFound } from '../../kernel/errors.ts'
import { json } from '../../kernel/shape/answer.ts'
import { text } from '../../kernel/shape/fields.ts'
import { required, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { type Evaluation, reasonOf } from '../../promotions/index.ts'
import { findCart } from '../cart/find-cart.ts'
import { valuesOf } from '../contents/cart-fields.ts'
import { type CartShop, openShop } from '../pricing/cart-shop.ts'
import { priceContents } from '../pricing/price-cart.ts'
import { cartDisplayPrice } from '../shown/show-cart.ts'
import { verdict } from '../shown/verdict-fields.ts'
import { displayCart } from '../totals/display-totals.ts'

/** The kinds of promotions. */
interface SimulatedKind {
  readonly name: string
  readonly path: string
  readonly source: 'standard' | 'rule'
}

const displayPrice = required(cartDisplayPrice)

const simulation = shown.group({
  type: shown.constant('promotion_simulation'),
  promotion_id: shown.uuid,
  cart_id: shown.text,
  verdict,
  items: shown.list(
    shown.group({ id: shown.uuid, sku: shown.text, quantity: shown.integer, amount: shown.integer }),
  ),
  shipping_groups: shown.list(shown.group({ id: shown.uuid, amount: shown.integer })),
  gifts: shown.list(shown.group({ product: shown.text, quantity: shown.integer })),
  display_price: shown.group({ without: displayPrice, with: displayPrice }),
})

const bodyFields = {
  cart_id: text({
    required: true,
    min: 1,
    max: 255,
    about: 'The id of the cart.',
    example: 'kitchen-tablet',
  }),
}

/** Says what a promotion would do to a cart, as if it ran now and the shopper had entered a code. */
export const simulationOf = ({ name, path, source }: SimulatedKind) =>
  action({
    name: `simulate-${name}`,
    route: `POST ${path}/:id/simulate`,
    about:
      'Says what a promotion would do to a cart, or why it would do nothing: as if it were enabled, had begun, and the shopper had entered a code. Neither the cart nor the promotion changes.',
    area: 'promotions',
    status: 200,
    body: { type: 'promotion_simulation', typeOptional: true, fields: bodyFields },
    shows: { data: simulation },
    async run(ctx, { params: { id }, body: { cart_id: cartId } }) {
      return json(200, { data: await simulate(ctx, source, id, cartId) })
    },
  })

async function simulate(
  ctx: Ctx,
  source: SimulatedKind['source'],
  id: string,
  cartId: string,
): Promise<ShownValue<typeof simulation>> {
  const cart = valuesOf(await findCart(ctx, cartId))
  const { contents } = cart
  const shop = await openShop(ctx, cart)
  const stored = shop.promotions.find(
    ({ promotion }) => promotion.id === id && (promotion.lane === 'rule') === (source === 'rule'),
  )
  if (!stored) throw notFound('promotion', id)
  const others = shop.promotions.filter((one) => one !== stored)
  const running = { ...stored, promotion: { ...stored.promotion, ...inForce } }
  const price = (promotions: CartShop['promotions']) => priceContents(cart, contents, { ...shop, promotions })
  const without = await price(others)
  const { evaluation, priced } = await price([...others, running])
  return {
    type: 'promotion_simulation',
    promotion_id: id,
    cart_id: cartId,
    ...effectOf(evaluation, id),
    items: contents.lines.flatMap(({ id: lineId, sku, quantity }) => {
      const shares = evaluation.shares.filter((share) => share.lineId === lineId && share.cause.id === id)
      return shares.length ? [{ id: lineId, sku, quantity, amount: total(shares) }] : []
    }),
    display_price: {
      without: displayCart(without.priced, without.priced.currency),
      with: displayCart(priced, priced.currency),
    },
  }
}

const inForce = {
  isEnabled: true,
  isAutomatic: true,
  startsAtMs: Number.NEGATIVE_INFINITY,
  endsAtMs: Number.POSITIVE_INFINITY,
}

function effectOf({ verdicts, shippingShares, giftsToAdd }: Evaluation, id: string) {
  const found = verdicts.find((one) => one.id === id)
  if (!found) throw new Error('each promotion has a verdict')
  return {
    verdict: { ...found, detail: reasonOf(found)?.detail },
    shipping_groups: shippingShares
      .filter(({ cause }) => cause.id === id)
      .map(({ groupId, amount }) => ({ id: groupId, amount })),
    gifts: giftsToAdd.filter(({ promotionId }) => promotionId === id).flatMap(({ gifts }) => gifts),
  }
}

const total = (shares: readonly { readonly amount: number }[]) =>
  shares.reduce((sum, { amount }) => sum + amount, 0)
