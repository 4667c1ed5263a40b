import { module } from '../../kernel/module.ts'
import {
  addTaxItemToComponent,
  deleteTaxItemOfComponent,
  updateTaxItemOfComponent,
} from '../item-parts/component-taxes.ts'
import {
  addCustomDiscounts,
  addCustomDiscountToItem,
  deleteCustomDiscount,
  deleteCustomDiscountOfItem,
  deleteCustomDiscounts,
  updateCustomDiscount,
  updateCustomDiscountOfItem,
} from '../item-parts/custom-discounts.ts'
import {
  createShippingGroup,
  deleteShippingGroup,
  getShippingGroup,
  listShippingGroups,
  updateShippingGroup,
} from '../item-parts/shipping-groups.ts'
import {
  addTaxItem,
  addTaxItems,
  deleteTaxItem,
  deleteTaxItems,
  updateTaxItem,
} from '../item-parts/tax-items.ts'
import { addCartItems } from './add-items.ts'
import { deleteCartCode } from './remove-code.ts'
import { deleteCartItem, deleteCartItems } from './remove-items.ts'
import { updateCartItem, updateCartItems } from './update-items.ts'

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
