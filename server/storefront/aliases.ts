import type { Action } from '../kernel/declare/action.ts'
import type { Family } from './families.ts'
import { getNode, listChildrenOfNode, listNodes } from './read-nodes.ts'
import { listProductsOfHierarchy } from './read-products.ts'

/** Addresses that the public contract does not have, and an SDK calls. */

/** As the products of a node are listed. */
export const listProductsOfHierarchyToo = (family: Family): Action => ({
  ...listProductsOfHierarchy(family),
  name: `list-${family.of}-hierarchy-products-too`,
  route: `GET ${family.path}/hierarchies/:hierarchy_id/relationships/products`,
})

/** A call of shoppers at an address of the merchant: the nodes of the catalog that the rules choose. */
const forTheMerchant =
  (call: (family: Family) => Action, name: string, route: string) =>
  (shopper: Family): Action => {
    const { shows, ...declared } = call(shopper)
    // Whose rows a list has is declared where shoppers read it.
    const { rows: _rows, ...shown } = shows ?? {}
    return { ...declared, name, route, area: 'catalogs', shows: shown }
  }

export const nodeAliases = [
  forTheMerchant(listNodes, 'list-catalog-nodes-too', 'GET /catalogs/nodes'),
  forTheMerchant(getNode, 'get-catalog-node-too', 'GET /catalogs/nodes/:node_id'),
  forTheMerchant(
    listChildrenOfNode,
    'list-catalog-node-children-too',
    'GET /catalogs/nodes/:node_id/relationships/children',
  ),
]
