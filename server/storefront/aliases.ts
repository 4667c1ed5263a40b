import type { Action } from '../kernel/action.ts'
import type { Family } from './families.ts'
import { listNodes } from './read-nodes.ts'
import { listProductsOfHierarchy } from './read-products.ts'

/** Addresses that the public contract does not have, and an SDK calls. */

/** As the products of a node are listed. */
export const listProductsOfHierarchyToo = (family: Family): Action => ({
  ...listProductsOfHierarchy(family),
  name: `list-${family.of}-hierarchy-products-too`,
  route: `GET ${family.path}/hierarchies/:hierarchy_id/relationships/products`,
})

/** The nodes of the catalog that the rules choose, for the merchant. */
export const listNodesToo = (shopper: Family): Action => {
  const { shows, ...declared } = listNodes(shopper)
  return {
    ...declared,
    name: 'list-catalog-nodes-too',
    route: 'GET /catalogs/nodes',
    area: 'catalogs',
    // Whose rows it has is told where shoppers read it.
    shows: { resource: shows?.resource, page: true } as NonNullable<Action['shows']>,
  }
}
