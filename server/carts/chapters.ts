import { module } from '../kernel/module.ts'
import { forgetExpired } from '../kernel/write/forget-expired.ts'
import { accountResource, customerResource } from '../people/index.ts'
import { associationsWith, takesListOfOne } from './cart/associate.ts'
import { carts } from './cart/carts.ts'
import { getCart } from './cart/get-cart.ts'
import { listCartItems } from './cart/list-cart-items.ts'
import { listCarts } from './cart/list-carts.ts'
import { allCustomDiscounts } from './item-parts/all-custom-discounts.ts'
import { allTaxItems } from './item-parts/all-tax-items.ts'
import { customDiscounts, customDiscountsOfItem } from './item-parts/custom-discounts.ts'
import { shippingGroups } from './item-parts/shipping-groups.ts'
import { componentTaxes, taxItems } from './item-parts/tax-items.ts'
import { addCartItems } from './items/add-items.ts'
import { deleteCartCode } from './items/remove-code.ts'
import { deleteCartItem, deleteCartItems } from './items/remove-items.ts'
import { updateCartItem, updateCartItems } from './items/update-items.ts'
import { simulationOf } from './simulations/simulate.ts'

export const totals = module({
  name: 'totals',
  about: 'Adds up what the lines of a cart cost, with discounts, taxes and shipping.',
})

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

export const simulationChapter = module({
  name: 'simulations',
  about: 'What a promotion would do to a cart.',
  actions: [
    simulationOf({ name: 'promotion', path: '/v2/promotions', source: 'standard' }),
    simulationOf({ name: 'rule-promotion', path: '/v2/rule-promotions', source: 'rule' }),
  ],
})
