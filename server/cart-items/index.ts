import { module } from '../kernel/module.ts'
import { addCartItems } from './add-items.ts'
import { deleteCartItem, deleteCartItems } from './remove-items.ts'
import { updateCartItem, updateCartItems } from './update-items.ts'

export const cartItemChapter = module({
  name: 'cart-items',
  about: 'The items of carts: products, and custom items.',
  actions: [addCartItems, updateCartItems, updateCartItem, deleteCartItem, deleteCartItems],
})
