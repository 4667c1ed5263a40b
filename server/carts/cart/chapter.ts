import { module } from '../../kernel/module.ts'
import { forgetExpired } from '../../kernel/write/forget-expired.ts'
import { accountResource, customerResource } from '../../people/index.ts'
import { associationsWith, takesListOfOne } from './associate.ts'
import { carts } from './carts.ts'
import { getCart } from './get-cart.ts'
import { listCartItems } from './list-cart-items.ts'
import { listCarts } from './list-carts.ts'

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
