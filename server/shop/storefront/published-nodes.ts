import { nodes } from '../../assortment/index.ts'
import { listing } from '../../kernel/declare/listing.ts'
import { choice, flag, group, list, type ShownValues, text } from '../../kernel/shape/fields.ts'
import { linkField, present, referenceField } from '../shown/shown-members.ts'
import { published } from './published.ts'

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

const filter = { id: ['eq'], name: long('name'), slug: long('slug') } as const

/** Any node or hierarchy that is published. */
export const publishedNodes = published({
  type: 'node',
  noun: ['node-or-hierarchy-published', 'nodes-and-hierarchies-published'],
  about: 'A place in a hierarchy, as shoppers see it.',
  path: '/catalog/nodes',
  table: 'published_nodes',
  scope: { columns: ['catalog_id'] },
  fields: { ...ofNode, relationships: group(aroundNode, { about: 'Links to related objects.' }) },
  filter,
  meta,
})

/** The hierarchies of a catalog. */
export const hierarchiesOfCatalog = published({
  type: 'hierarchy',
  noun: ['published-hierarchy', 'published-hierarchies'],
  about: 'A tree of nodes, as shoppers see it.',
  path: '/catalog/hierarchies',
  table: 'published_nodes',
  scope: { columns: ['hierarchies_of'] },
  order: { by: '-place', about: 'in the order of the catalog' },
  fields: { ...common, relationships: group(aroundHierarchy, { about: 'Links to related objects.' }) },
  filter,
  meta,
})

/** The nodes of all hierarchies of a catalog. */
export const nodesOfCatalog = listing(publishedNodes, {
  noun: ['published-node', 'published-nodes'],
  scope: { columns: ['nodes_of'] },
  order: '-updated_at',
})

/** The nodes of a hierarchy. */
export const nodesOfHierarchy = listing(publishedNodes, {
  noun: ['node-of-hierarchy', 'nodes-of-hierarchy'],
  scope: { columns: ['catalog_id', 'hierarchy_id'] },
  order: '-updated_at',
})

/** The child nodes of a hierarchy or node. */
export const nodesOfParent = listing(publishedNodes, {
  noun: ['node-below', 'nodes-below'],
  scope: { columns: ['catalog_id', 'parent_id'] },
  order: {
    by: '-place',
    about: 'the highest sort_order first; then those without one, most recently changed first',
  },
})
