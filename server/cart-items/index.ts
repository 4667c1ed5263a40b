import { module } from '../kernel/module.ts'
import { addCartItems } from './add-items.ts'
import {
  addTaxItemToComponent,
  deleteTaxItemOfComponent,
  updateTaxItemOfComponent,
} from './component-taxes.ts'
import {
  addCustomDiscounts,
  addCustomDiscountToItem,
  deleteCustomDiscount,
  deleteCustomDiscountOfItem,
  deleteCustomDiscounts,
  updateCustomDiscount,
  updateCustomDiscountOfItem,
} from './custom-discounts.ts'
import { deleteCartCode } from './remove-code.ts'
import { deleteCartItem, deleteCartItems } from './remove-items.ts'
import {
  createShippingGroup,
  deleteShippingGroup,
  getShippingGroup,
  listShippingGroups,
  updateShippingGroup,
} from './shipping-groups.ts'
import { addTaxItem, addTaxItems, deleteTaxItem, deleteTaxItems, updateTaxItem } from './tax-items.ts'
import { updateCartItem, updateCartItems } from './update-items.ts'

export { otherCurrency } from './check-currency.ts'
export { findProductsOfOrder } from './reorder.ts'
export { shopperIn } from './request.ts'
export {
  newShippingGroup,
  shippingDisplayPrice,
  shippingGroupFields,
  shippingGroupMembers,
  showShippingGroup,
  withGroupValues,
} from './shipping-group.ts'

export const cartItemChapter = module({
  name: 'cart-items',
  about:
    'The items of carts: products and custom items, with their taxes, custom discounts and shipping groups.',
  actions: [
    addCartItems,
    updateCartItems,
    updateCartItem,
    deleteCartItem,
    deleteCartItems,
    deleteCartCode,
    addTaxItem,
    addTaxItems,
    updateTaxItem,
    deleteTaxItem,
    deleteTaxItems,
    addTaxItemToComponent,
    updateTaxItemOfComponent,
    deleteTaxItemOfComponent,
    addCustomDiscounts,
    addCustomDiscountToItem,
    updateCustomDiscount,
    updateCustomDiscountOfItem,
    deleteCustomDiscount,
    deleteCustomDiscountOfItem,
    deleteCustomDiscounts,
    listShippingGroups,
    getShippingGroup,
    createShippingGroup,
    updateShippingGroup,
    deleteShippingGroup,
  ],
})
