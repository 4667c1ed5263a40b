import type { Action } from '../kernel/declare/action.ts'
import type { Family } from './families.ts'
import { getNode, listChildrenOfNode, listNodes } from './read-nodes.ts'
import { listProductsOfHierarchy } from './read-products.ts'

/** Paths that are not in the public contract but that an SDK calls. */

/** Lists products like the products of a node. */
export const listProductsOfHierarchyAlias = (family: Family): Action => ({
  ...listProductsOfHierarchy(family),
  name: `list-${family.of}-hierarchy-products-too`,
  route: `GET ${family.path}/hierarchies/:hierarchy_id/relationships/products`,
})

/** A shopper's call at a merchant's path: the nodes of the catalog that the rules choose. */
const forTheMerchant =
  (call: (family: Family) => Action, name: string, route: string) =>
  (shopper: Family): Action => {
    const { shows, ...declared } = call(shopper)
    // The rows of a list are declared at the shopper's path.
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
