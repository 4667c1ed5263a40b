import { module } from '../../kernel/module.ts'
import { allCustomDiscounts } from '../item-parts/all-custom-discounts.ts'
import { allTaxItems } from '../item-parts/all-tax-items.ts'
import { customDiscounts, customDiscountsOfItem } from '../item-parts/custom-discounts.ts'
import { shippingGroups } from '../item-parts/shipping-groups.ts'
import { componentTaxes, taxItems } from '../item-parts/tax-items.ts'
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
    taxItems.create,
    allTaxItems.create,
    taxItems.update,
    taxItems.delete,
    allTaxItems.delete,
    componentTaxes.create,
    componentTaxes.update,
    componentTaxes.delete,
    allCustomDiscounts.create,
    customDiscountsOfItem.create,
    customDiscounts.update,
    customDiscountsOfItem.update,
    customDiscounts.delete,
    customDiscountsOfItem.delete,
    allCustomDiscounts.delete,
    shippingGroups.list,
    shippingGroups.get,
    shippingGroups.create,
    shippingGroups.update,
    shippingGroups.delete,
  ],
})
