import type { Resource } from '../../kernel/declare/resource.ts'
import { type Answer, entityTag } from '../../kernel/shape/answer.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import type { View } from '../view/view.ts'
import { explanationOf } from './explanation.ts'
import type { PublishedRead } from './families.ts'
import { findHierarchy, findNode } from './find-published.ts'
import { nodePage } from './list-page.ts'
import { hierarchiesOfCatalog, nodesOfCatalog, nodesOfHierarchy, nodesOfParent } from './published-nodes.ts'
import { asNode, showNode } from './show-nodes.ts'

interface NodeList extends Pick<PublishedRead, 'name' | 'route' | 'about'> {
  /** Declares the objects of the list. */
  readonly shows: Resource
  /** Declares the list. */
  readonly rows: Resource
  /** Finds what the nodes are below, if the list is not of the whole catalog. */
  readonly find?: typeof findNode
}

const list = ({ shows: resource, rows, find, ...read }: NodeList): PublishedRead => ({
  ...read,
  shows: { resource, page: true, rows: [rows] },
  async run(ctx, view, call) {
    const above = await find?.(ctx, view, call.params)
    return nodePage(ctx, view, { resource: rows, below: above ? [above.id] : [] }, call)
  },
})

function nodeAnswer({ baseUrl }: Ctx, view: View, data: ReturnType<typeof showNode>, path: string): Answer {
  const self = `${baseUrl}${view.prefix}/${path}/${data.id}`
  const explanation = explanationOf(view)
  const body = JSON.stringify({ data, links: { self }, ...(explanation && { meta: { explanation } }) })
  return { status: 200, body, headers: { etag: entityTag(body) } }
}

export const hierarchyReads: readonly PublishedRead[] = [
  list({
    name: 'list-*-hierarchies',
    route: 'GET /hierarchies',
    about: 'Lists the hierarchies *, in the order of the catalog.',
    shows: hierarchiesOfCatalog,
    rows: hierarchiesOfCatalog,
  }),
  {
    name: 'get-*-hierarchy',
    route: 'GET /hierarchies/:hierarchy_id',
    about: 'Reads a hierarchy *.',
    shows: { resource: hierarchiesOfCatalog },
    async run(ctx, view, { params }) {
      return nodeAnswer(ctx, view, showNode(await findHierarchy(ctx, view, params), view), 'hierarchies')
    },
  },
  list({
    name: 'list-*-hierarchy-nodes',
    route: 'GET /hierarchies/:hierarchy_id/nodes',
    about: 'Lists all nodes of a hierarchy *, a page at a time, most recently changed first.',
    shows: nodesOfCatalog,
    rows: nodesOfHierarchy,
    find: findHierarchy,
  }),
  list({
    name: 'list-*-hierarchy-children',
    route: 'GET /hierarchies/:hierarchy_id/children',
    about: "Lists the top nodes of a hierarchy *, a page at a time, in the merchant's order.",
    shows: nodesOfCatalog,
    rows: nodesOfParent,
    find: findHierarchy,
  }),
]

export const nodeReads: readonly PublishedRead[] = [
  list({
    name: 'list-*-nodes',
    route: 'GET /nodes',
    about: 'Lists the nodes of all hierarchies *, a page at a time, most recently changed first.',
    shows: nodesOfCatalog,
    rows: nodesOfCatalog,
  }),
  {
    name: 'get-*-node',
    route: 'GET /nodes/:node_id',
    about:
      'Reads a node *. The id of a hierarchy reads the hierarchy as a node: it is the parent of its top nodes.',
    shows: { resource: nodesOfCatalog },
    async run(ctx, view, { params }) {
      return nodeAnswer(ctx, view, asNode(await findNode(ctx, view, params), view), 'nodes')
    },
  },
  list({
    name: 'list-*-node-children',
    route: 'GET /nodes/:node_id/relationships/children',
    about: "Lists the child nodes of a node *, a page at a time, in the merchant's order.",
    shows: nodesOfCatalog,
    rows: nodesOfParent,
    find: findNode,
  }),
]
