import { accountResource } from '../accounts/index.ts'
import { customerResource } from '../customers/index.ts'
import { module } from '../kernel/module.ts'
import { forgetExpired } from '../kernel/write/forget-expired.ts'
import { associationsWith, takesListOfOne } from './associate.ts'
import { carts } from './carts.ts'
import { getCart } from './get-cart.ts'
import { listCartItems } from './list-cart-items.ts'
import { listCarts } from './list-carts.ts'

export { amountFields } from './amounts.ts'
export { type CartRow, type CartValues, contentsOf } from './cart-fields.ts'
export {
  type CartQuote,
  type CartShop,
  isProduct,
  openShop,
  type ProductRequest,
  requestOf,
} from './cart-shop.ts'
export { carts } from './carts.ts'
export { changeCart } from './change-cart.ts'
export { handOver, lockCart } from './check-out.ts'
export { type Available, checksStock, mustBeInStock, readAvailable } from './check-stock.ts'
export { codesNamed, isSameCode } from './codes.ts'
export type {
  CartLine,
  CartShippingGroup,
  Contents,
  CustomDiscount,
  CustomLine,
  ProductLine,
  TaxItem,
} from './contents.ts'
export { componentIdsOf, linesMax, optionsMax, quantityMax } from './contents.ts'
export { currentLine, newProductLine, selectionOf, unitPriceOf } from './current-line.ts'
export { type CustomAttributes, checkTypes, customAttributesField } from './custom-attributes.ts'
export { findCart } from './find-cart.ts'
export { withoutShoppersTexts, withoutTextsOfGroup } from './hide-texts.ts'
export {
  customDiscountSchema,
  promotionSchema,
  showCustomDiscount,
  showTaxItem,
  taxItemMembers,
  taxItemSchema,
} from './included.ts'
export { cartItem } from './item-schemas.ts'
export { itemsAnswer, itemsIncludes, itemsShown, messagesSchema } from './items-answer.ts'
export { linkPaymentIntent } from './link-payment-intent.ts'
export { mergeLine } from './merge-lines.ts'
export { messagesOfChange, unknownCode } from './messages.ts'
export { countOptions, countSelected, mustBeFew } from './must-be-few.ts'
export { isSeller, mustOrderAsOwner } from './owners.ts'
export { type PricedOutcome, priceCart, priceContents, promotionItemId } from './price-cart.ts'
export type { PricedCart } from './priced-cart.ts'
export { removeCartsOf, removeOrderedCarts } from './remove-carts.ts'
export { hasRight, mustHaveRight, rightMissing } from './shopper-rights.ts'
export { cartAmounts, cartDisplayPrice, expiresAt } from './show-cart.ts'
export { itemsOf, taxesOf } from './show-items.ts'
export { stockPortionsOf } from './stock-portions.ts'
export { verdictSchema } from './verdict-schemas.ts'
export { withTime } from './with-time.ts'

const associations = [
  ...associationsWith({ of: 'customers', type: 'customer', resource: () => customerResource }),
  ...associationsWith({ of: 'accounts', type: 'account', resource: () => accountResource }),
]

const chapter = module({
  name: 'carts',
  about: 'What shoppers are about to buy, and what it costs.',
  resources: [carts],
  actions: [listCarts, getCart, listCartItems, ...associations],
  chores: [forgetExpired(() => carts, 'carts:forget-expired', '* * * * *')],
})

export const cartChapter = {
  ...chapter,
  operations: chapter.operations.map((operation) =>
    operation.of.is === 'action' && associations.includes(operation.of.action)
      ? takesListOfOne(operation)
      : operation,
  ),
}
