import { nodes } from '../hierarchies/index.ts'
import { type Resource, resource } from '../kernel/declare/resource.ts'
import { choice, flag, group, list, type ShownValues, text } from '../kernel/shape/fields.ts'
import { storefrontEnvelope } from './envelope.ts'
import { linkField, present, referenceField } from './shown-members.ts'

const time = (about: string) => text({ format: 'date-time', about })

const common = {
  name: present(nodes.fields.name),
  description: present(nodes.fields.description),
  slug: present(nodes.fields.slug),
  shopper_attributes: present(nodes.fields.shopper_attributes),
  created_at: time('The time of creation.'),
  updated_at: time('The time of the last change.'),
  published_at: time('When it was first published in this form.'),
}

const ofNode = {
  ...common,
  status: choice(['live'], { about: 'Always `live`: drafts are not published.' }),
  curated_products: present(nodes.fields.curated_products),
}

const crumb = group(
  { id: text({ required: true, format: 'uuid' }), name: text({ required: true }), slug: text({}) },
  {},
)

const meta = {
  language: text({ about: 'The language of its texts. Absent if they are not translated.' }),
  breadcrumbs: list(crumb, { about: 'The path to it from its hierarchy, including itself.' }),
  bread_crumb: list(text({ format: 'uuid' }), { about: 'Nodes only: the ids of this path.' }),
  has_children: flag({ about: 'Whether it has children.' }),
}

const aroundNode = {
  hierarchy: referenceField('hierarchy', { required: true, about: 'Its hierarchy.' }),
  parent: referenceField('node', {
    about: 'Its parent node. For a top node: its hierarchy, as a node.',
  }),
  children: linkField('related', 'The list of its child nodes.'),
  products: linkField('related', 'The list of its products.'),
}

const aroundHierarchy = {
  children: linkField('related', 'The list of its child nodes.'),
  nodes: linkField('related', 'The list of all its nodes.'),
  products: linkField('related', 'The list of all its products.'),
}

/** A node, or a hierarchy, as shoppers see it. */
export interface ShownNode {
  readonly type: 'node'
  readonly id: string
  readonly attributes: ShownValues<typeof ofNode>
  readonly meta: ShownValues<typeof meta>
  readonly relationships: ShownValues<typeof aroundNode>
}

export interface ShownHierarchy {
  readonly type: 'hierarchy'
  readonly id: string
  readonly attributes: ShownValues<typeof common>
  readonly meta: ShownValues<typeof meta>
  readonly relationships: ShownValues<typeof aroundHierarchy>
}

const long = (column: string) => ({ ops: ['eq'], type: 'text', column, long: true }) as const

const shared = {
  table: 'published_nodes',
  // Computed when it is shown: see show-nodes.ts.
  meta: { fields: meta, of: () => ({}) as never },
  filter: { id: ['eq'], name: long('name'), slug: long('slug') },
  ignoresSort: true,
  offsetMax: 10_000,
  editions: true,
  area: 'catalog',
  visible: 'all',
  envelope: storefrontEnvelope,
  operations: [],
} as const

const node = {
  ...shared,
  type: 'node',
  about: 'A place in a hierarchy, as shoppers see it.',
  fields: { ...ofNode, relationships: group(aroundNode, { about: 'Links to related objects.' }) },
} as const

const hierarchy = {
  ...shared,
  type: 'hierarchy',
  about: 'A tree of nodes, as shoppers see it.',
  fields: { ...common, relationships: group(aroundHierarchy, { about: 'Links to related objects.' }) },
} as const

const highestFirst = {
  by: '-place',
  about: 'the highest sort_order first; then those without one, most recently changed first',
} as const

/** Any node or hierarchy that is published. */
export const publishedNodes: Resource = resource({
  ...node,
  noun: ['node-or-hierarchy-published', 'nodes-and-hierarchies-published'],
  path: '/catalog/nodes',
  scope: { columns: ['catalog_id'] },
})

/** The hierarchies of a catalog. */
export const hierarchiesOfCatalog: Resource = resource({
  ...hierarchy,
  noun: ['published-hierarchy', 'published-hierarchies'],
  path: '/catalog/hierarchies',
  scope: { columns: ['hierarchies_of'] },
  order: { by: '-place', about: 'in the order of the catalog' },
})

/** The nodes of all hierarchies of a catalog. */
export const nodesOfCatalog: Resource = resource({
  ...node,
  noun: ['published-node', 'published-nodes'],
  path: '/catalog/nodes',
  scope: { columns: ['nodes_of'] },
  order: '-updated_at',
})

/** The nodes of a hierarchy. */
export const nodesOfHierarchy: Resource = resource({
  ...node,
  noun: ['node-of-hierarchy', 'nodes-of-hierarchy'],
  path: '/catalog/hierarchies/:hierarchy_id/nodes',
  scope: { columns: ['catalog_id', 'hierarchy_id'] },
  order: '-updated_at',
})

/** The child nodes of a hierarchy or node. */
export const nodesOfParent: Resource = resource({
  ...node,
  noun: ['node-below', 'nodes-below'],
  path: '/catalog/nodes/:node_id/relationships/children',
  scope: { columns: ['catalog_id', 'parent_id'] },
  order: highestFirst,
})
