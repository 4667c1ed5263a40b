import { isSeller } from '../../kernel/auth/principal.ts'
import { allOrNothing, isList } from '../../kernel/body/many-objects.ts'
import { action } from '../../kernel/declare/action.ts'
import { Problem, together } from '../../kernel/errors.ts'
import { withErrors } from '../../kernel/http/problems.ts'
import { isId } from '../../kernel/ids.ts'
import { applyEach } from '../../kernel/thing/apply-each.ts'
import { changeCart } from '../cart/change-cart.ts'
import type { CartValues } from '../contents/cart-fields.ts'
import { type CartLine, type Contents, quantityMax } from '../contents/contents.ts'
import { mergeLine } from '../contents/merge-lines.ts'
import { countSelected, mustBeFew } from '../contents/must-be-few.ts'
import { mustBeInCurrency } from '../item-parts/check-currency.ts'
import { mustHaveGroup } from '../item-parts/line-of.ts'
import { cartHeaders, shopperIn } from '../item-parts/request.ts'
import { type CartShop, isProduct, type ProductRequest, requestOf } from '../pricing/cart-shop.ts'
import { type Available, checksStock, mustBeInStock, readAvailable } from '../pricing/check-stock.ts'
import { isSameCode } from '../pricing/codes.ts'
import { selectionOf } from '../pricing/current-line.ts'
import { showsCartOnly } from '../shown/includes.ts'
import { itemsAnswer, itemsIncludes, itemsShown } from '../shown/items-answer.ts'
import { customItemCheck, type RefuseCustomItem } from './check-custom-items.ts'
import { checkInputBytes } from './custom-inputs.ts'
import { enterCode } from './enter-code.ts'
import { type Guess, guessesOf, mustHaveFewCodes } from './guess-codes.ts'
import { itemKinds } from './item-kinds.ts'
import { linesOfCart, mustBeFewOptions, type OtherCarts, otherCarts } from './merge-carts.ts'
import { customLine, type NewItem, productLine } from './new-lines.ts'
import { withProductsOfOrders } from './reorder.ts'
import { checkSeller } from './seller-fields.ts'

/** Adds items of several kinds, one or many. */
export const addCartItems = action({
  name: 'add-cart-items',
  route: 'POST /v2/carts/:cart_id/items',
  about:
    'Adds items to a cart, and returns all its items. Creates the cart if it does not exist yet. Items that cannot be added are listed in `errors` beside those that can; if none can, or with `options.add_all_or_nothing`, the request is refused. Items that are merged lose their shipping groups, and are listed in `errors`, too.',
  area: 'carts',
  status: 201,
  queuesBy: 'cart_id',
  headers: cartHeaders,
  query: itemsIncludes,
  kinds: itemKinds,
  refuses: ['rate_limited'],
  shows: { ...itemsShown, errors: true },
  async run(ctx, { params, items: sent, rawBody, headers, query }) {
    mustHaveFewCodes(sent)
    const isStrict = allOrNothing(rawBody, 'add_all_or_nothing', false)
    const isAllOrNothing = isStrict || (!isList(rawBody) && sent[0]?.kind !== 'order_items')
    const items = await withProductsOfOrders(ctx, sent)
    const refused: Problem[] = []
    const others = await otherCarts(ctx, items, params.cart_id)
    const merged = [...others.values()]
    const refuseCustomItem = await customItemCheck(ctx, [
      ...items.flatMap((item) => (item.kind === 'custom_item' ? [item.values.sku] : [])),
      ...merged.flatMap(({ lines }) => lines.filter((line) => !isProduct(line)).map(({ sku }) => sku)),
    ])
    const { currency, ...shopper } = shopperIn(headers)
    const products = [
      ...items.flatMap((item) => (item.kind === 'cart_item' ? [toRequest(item)] : [])),
      ...merged.flatMap(({ lines }) => lines.filter(isProduct).map(requestOf)),
    ]
    const named = new Set(products.flatMap((one) => ('id' in one && isId(one.id) ? one.id : [])))
    let ofNamed: Available | undefined
    const row = await changeCart(ctx, params.cart_id, {
      isLast: showsCartOnly(query),
      ...shopper,
      currency: currency ?? merged.find((other) => other.currency)?.currency,
      products,
      codes: items.flatMap((item) => (item.kind === 'promotion_item' ? [item.values.code] : [])),
      refused,
      amountAt: amountIn(items),
      read: async () => {
        ofNamed = await readAvailable(ctx, [...named])
      },
      apply: async (contents, shop, cart) => {
        mustBeInCurrency(shop, currency)
        const selected = products.map((one, i) => countSelected(selectionOf(one, shop.requested[i]?.item)))
        mustBeFewOptions(
          selected.reduce((all, count) => all + count, 0),
          'data',
        )
        const ids = shop.requested.flatMap(({ item }) => item?.id ?? [])
        // Those that are named by their SKU are known now.
        const available = (ids.every((id) => named.has(id)) && ofNamed) || (await readAvailable(ctx, ids))
        const occasion = { shop, cart, available, others, isSeller: isSeller(ctx.who), isStrict, refused }
        const add = adder({ ...occasion, refuseCustomItem, guess: guessesOf(ctx) })
        return applyEach(contents, inTurn(items), { isAllOrNothing, refused }, async (sofar, item) => {
          const next = await add(sofar, item)
          checkSeller(ctx, item.values, item.source, 'id' in item.values ? item.values.id : undefined)
          checkInputBytes(ctx, item.values, item.source)
          return next
        })
      },
    })
    return withErrors(await itemsAnswer(201, ctx, row, query), refused)
  },
})

/** Codes come last, as they may be for items of the same request. Each is entered once, as each prices the cart. */
function inTurn(items: readonly NewItem[]): readonly NewItem[] {
  const codes = items.filter((item) => item.kind === 'promotion_item')
  return [
    ...items.filter(({ kind }) => kind !== 'promotion_item'),
    ...codes.filter(
      ({ values }, i) => i === codes.findIndex((one) => isSameCode(one.values.code, values.code)),
    ),
  ]
}

/** The member that makes the amounts of a cart too large. Of several items, any may do so. */
function amountIn([item, ...others]: readonly NewItem[]): string | undefined {
  if (!item || others.length) return undefined
  if (item.kind === 'custom_item') return `${item.source}.price.amount`
  return item.kind === 'cart_item' ? `${item.source}.quantity` : item.source
}

function toRequest({ values, source }: Extract<NewItem, { kind: 'cart_item' }>): ProductRequest {
  const { id, sku, quantity, bundle_configuration: bundle } = values
  const more = { quantity, ...(bundle && { selection: bundle.selected_options }) }
  if (id !== undefined) return { id: id.toLowerCase(), ...more }
  if (sku !== undefined) return { sku, ...more }
  throw new Problem('invalid_field', 'A cart_item needs the id or the SKU of a product.', {
    source: `${source}.id`,
  })
}

interface AddContext {
  readonly shop: CartShop
  readonly cart: CartValues
  readonly available: Available
  readonly others: OtherCarts
  readonly isSeller: boolean
  readonly refuseCustomItem: RefuseCustomItem
  readonly guess: Guess
  /** Whether a merge must not lose anything. */
  readonly isStrict: boolean
  /** Takes what merges lose. */
  readonly refused: Problem[]
}

interface NewLines {
  readonly lines: readonly CartLine[]
  /** What of them cannot be merged. */
  readonly lost?: readonly Problem[]
}

/** Refuses more pieces than a line has. */
function mustHaveFewPieces(lines: readonly CartLine[], before: readonly CartLine[], source: string): void {
  const tooMany = lines.find((line) => line.quantity > quantityMax && !before.includes(line))
  if (!tooMany) return
  const detail = `A cart has at most ${quantityMax} pieces of an item, not ${tooMany.quantity}.`
  throw new Problem('unprocessable', detail, { title: 'Limit Reached', source })
}

/** Adds one item to contents, or throws a Problem. */
function adder({
  shop,
  cart,
  available,
  others,
  refuseCustomItem,
  isStrict,
  refused,
  ...caller
}: AddContext) {
  const quotes = shop.requested.values()
  const checks = checksStock(cart)
  return (contents: Contents, item: NewItem): Promise<Contents> | Contents => {
    if (item.kind === 'promotion_item') return enterCode(contents, item, { cart, shop, ...caller })
    if (item.kind === 'order_items') throw new Error('orders are replaced by their products')
    const { lines: added, lost = [] } = newLines(item)
    if (lost.length && (isStrict || !added.length)) throw together(lost)
    const lines = added.reduce(mergeLine, contents.lines)
    const next = { ...contents, lines }
    mustBeFew(next, contents, { source: item.source })
    mustHaveFewPieces(lines, contents.lines, item.source)
    refused.push(...lost)
    return next
  }

  function newLines(item: Exclude<NewItem, { kind: 'promotion_item' | 'order_items' }>): NewLines {
    if (item.kind === 'cart_items') return linesOfCart(item, { shop, others, refuseCustomItem })
    if (item.kind === 'custom_item') {
      const { source, values } = item
      const refusal = refuseCustomItem({ sku: values.sku, source, skuSource: `${source}.sku` })
      if (refusal) throw refusal
      checkGroup(item)
      return { lines: [customLine(item, shop)] }
    }
    const quote = quotes.next().value
    checkGroup(item)
    if (!quote) throw new Error('there is a quote for each product that is added')
    const id = quote.item?.id
    const line = productLine(item, quote, shop, id !== undefined && available(id, undefined) !== undefined)
    if (checks) mustBeInStock(line, line.quantity, available, item.source)
    return { lines: [line] }
  }

  function checkGroup({
    values,
    source,
  }: Exclude<NewItem, { kind: 'cart_items' | 'promotion_item' | 'order_items' }>) {
    const { shipping_group_id: id } = values
    if (id) mustHaveGroup(cart.contents.shippingGroups, id, source)
  }
}
