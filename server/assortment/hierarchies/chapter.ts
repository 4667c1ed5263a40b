import { module } from '../../kernel/module.ts'
import { addHierarchyChildren, addNodeChildren } from './add-children.ts'
import { addNodeProducts, deleteNodeProducts } from './change-node-products.ts'
import { copyHierarchy } from './copy-hierarchy.ts'
import { duplicateHierarchy } from './duplicate-hierarchy.ts'
import { hierarchies } from './hierarchies.ts'
import { listAllNodes } from './list-all-nodes.ts'
import { listNodeProducts } from './list-node-products.ts'
import { childrenOfHierarchy, childrenOfNode } from './node-lists.ts'
import { deleteNodeParent, updateNodeParent } from './node-parent.ts'
import { nodes } from './nodes.ts'
import { attachNodes, detachNodes, listNodesOfProduct } from './nodes-of-products.ts'

export const hierarchyChapter = module({
  name: 'hierarchies',
  about: 'Trees of nodes that organize products.',
  resources: [hierarchies, nodes, childrenOfHierarchy, childrenOfNode],
  actions: [
    listAllNodes,
    updateNodeParent,
    deleteNodeParent,
    addHierarchyChildren,
    addNodeChildren,
    listNodeProducts,
    addNodeProducts,
    deleteNodeProducts,
    listNodesOfProduct,
    attachNodes,
    detachNodes,
    duplicateHierarchy,
  ],
  jobs: [copyHierarchy],
})
