import { allOrNothing } from '../../kernel/body/many-objects.ts'
import { action } from '../../kernel/declare/action.ts'
import type { Problem } from '../../kernel/errors.ts'
import { withErrors } from '../../kernel/http/problems.ts'
import { foldId } from '../../kernel/ids.ts'
import { group, integer, list, type ShownValues, text } from '../../kernel/shape/fields.ts'
import { applyEach } from '../../kernel/thing/apply-each.ts'
import type { Work } from '../../kernel/work/context.ts'
import { changeCart } from '../cart/change-cart.ts'
import type { CartValues } from '../contents/cart-fields.ts'
import { type CartLine, type Contents, quantityMax } from '../contents/contents.ts'
import { checkTypes } from '../contents/custom-attributes.ts'
import { withTime } from '../contents/with-time.ts'
import { itemNotFound, mustHaveGroup } from '../item-parts/line-of.ts'
import { contextHeaders, shopperIn } from '../item-parts/request.ts'
import { type Available, checksStock, mustBeInStock, readAvailable } from '../pricing/check-stock.ts'
import { showsCartOnly } from '../shown/includes.ts'
import { itemsAnswer, itemsIncludes, itemsShown } from '../shown/items-answer.ts'
import { checkedInputs, checkInputBytes, customInputsField } from './custom-inputs.ts'
import { shippingGroupField } from './item-kinds.ts'
import { checkSeller, itemAttributesField } from './seller-fields.ts'

const changeFields = {
  quantity: integer({ min: 0, max: quantityMax, about: 'How many pieces. 0 removes the item.', example: 3 }),
  custom_inputs: customInputsField,
  shipping_group_id: {
    ...shippingGroupField,
    options: { about: 'The id of a shipping group of the cart. The empty text removes the link.' },
  },
  location: text({ max: 255, about: 'The slug of the location whose stock the item comes from.' }),
  custom_attributes: itemAttributesField,
}

type LineChange = ShownValues<typeof changeFields>

/** Changes one item. */
export const updateCartItem = action({
  name: 'update-cart-item',
  route: 'PUT /v2/carts/:cart_id/items/:item_id',
  about:
    'Changes the quantity, the inputs or the shipping group of an item, and returns all items of the cart.',
  area: 'carts',
  status: 200,
  queuesBy: 'cart_id',
  headers: contextHeaders,
  query: itemsIncludes,
  // Clients send `cart_item` for a custom item, too.
  body: { type: 'cart_item', alsoType: ['custom_item'], typeOptional: true, fields: changeFields },
  shows: itemsShown,
  async run(ctx, { params, body, headers, query }) {
    const itemId = foldId(params.item_id)
    const row = await changeCart(ctx, params.cart_id, {
      isLast: showsCartOnly(query),
      ...shopperIn(headers),
      amountAt: 'data.quantity',
      apply: async (contents, shop, cart) => {
        const available = await availableIn(ctx, contents, [itemId])
        return changeLine(contents, itemId, body, {
          work: ctx,
          cart,
          available,
          now: shop.now,
          source: 'data',
        })
      },
    })
    return itemsAnswer(200, ctx, row, query)
  },
})

/** Changes many items at once. */
export const updateCartItems = action({
  name: 'update-cart-items',
  route: 'PUT /v2/carts/:cart_id/items',
  about:
    'Changes many items, and returns all items of the cart. If one of them cannot be changed, none is; with `options.update_all_or_nothing` set to false, the others are, and `errors` lists the refused ones.',
  area: 'carts',
  status: 200,
  queuesBy: 'cart_id',
  headers: contextHeaders,
  query: itemsIncludes,
  data: list(
    group({ id: text({ required: true, max: 36, about: 'The id of the item.' }), ...changeFields }, {}),
    {
      required: true,
      maxItems: 100,
      about: 'The items to change, and their new values.',
    },
  ),
  shows: { ...itemsShown, errors: true },
  async run(ctx, { params, data, rawBody, headers, query }) {
    const sent = data as readonly (LineChange & { readonly id: string })[]
    const changes = sent.map((change) => ({ ...change, id: foldId(change.id) }))
    const isAllOrNothing = allOrNothing(rawBody, 'update_all_or_nothing', true)
    const refused: Problem[] = []
    const row = await changeCart(ctx, params.cart_id, {
      isLast: showsCartOnly(query),
      ...shopperIn(headers),
      apply: async (contents, shop, cart) => {
        const available = await availableIn(
          ctx,
          contents,
          changes.map(({ id }) => id),
        )
        const on = { work: ctx, cart, available, now: shop.now }
        return applyEach(contents, changes, { isAllOrNothing, refused }, (sofar, { id, ...change }, i) =>
          changeLine(sofar, id, change, { ...on, source: `data.${i}` }),
        )
      },
    })
    return withErrors(await itemsAnswer(200, ctx, row, query), refused)
  },
})

const availableIn = (ctx: Work, { lines }: Contents, ids: readonly string[]) =>
  readAvailable(
    ctx,
    lines.flatMap((line) => (line.kind === 'cart_item' && ids.includes(line.id) ? [line.productId] : [])),
  )

interface LineContext {
  readonly work: Work
  readonly cart: CartValues
  readonly available: Available
  readonly now: string
  readonly source: string
}

/** The contents with a changed line. Its place stays the same. */
function changeLine(contents: Contents, id: string, change: LineChange, on: LineContext): Contents {
  const { lines, shippingGroups } = contents
  const i = lines.findIndex((line) => line.id === id)
  const line = lines[i]
  if (!line) throw itemNotFound(id, on.source)
  const {
    quantity,
    custom_inputs,
    shipping_group_id: groupId,
    location,
    custom_attributes: attributes,
  } = change
  checkSeller(on.work, change, on.source, id)
  checkInputBytes(on.work, change, on.source)
  checkTypes(attributes, `${on.source}.custom_attributes`)
  if (quantity === 0) return { ...contents, lines: lines.toSpliced(i, 1) }
  if (groupId) mustHaveGroup(shippingGroups, groupId, on.source)
  const changed = {
    ...line,
    ...(quantity !== undefined && { quantity, ...autoAddedIn(line, quantity) }),
    ...(custom_inputs !== undefined && { customInputs: checkedInputs(custom_inputs, on.source) }),
    ...(groupId !== undefined && { shippingGroupId: groupId || undefined }),
    ...(location !== undefined && line.kind === 'cart_item' && { location }),
    ...(attributes !== undefined && { customAttributes: attributes }),
  } as CartLine
  if (changed.kind === 'cart_item' && quantity !== undefined && checksStock(on.cart)) {
    mustBeInStock(changed, quantity, on.available, on.source)
  }
  return { ...contents, lines: lines.with(i, withTime(line, changed, on.now)) }
}

/** Fewer units than promotions added are all from promotions. */
const autoAddedIn = (line: CartLine, quantity: number) =>
  line.kind === 'cart_item' && line.autoAdded ? { autoAdded: Math.min(line.autoAdded, quantity) } : {}
