import { action } from '../kernel/declare/action.ts'
import { type Answer, entityTag } from '../kernel/shape/answer.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { explanationOf } from './explanation.ts'
import { type Family, objectsOfList } from './families.ts'
import { findHierarchy, findNode } from './find-published.ts'
import { nodePage } from './list-page.ts'
import { hierarchiesOfCatalog, nodesOfCatalog, nodesOfHierarchy, nodesOfParent } from './published-nodes.ts'
import { asNode, showNode } from './show-nodes.ts'
import type { View } from './view.ts'

export const listHierarchies = ({ of, path, phrase, area, viewOf }: Family) =>
  action({
    name: `list-${of}-hierarchies`,
    route: `GET ${path}/hierarchies`,
    about: `Lists the hierarchies ${phrase}, in the order of the catalog.`,
    area,
    status: 200,
    shows: objectsOfList(of, hierarchiesOfCatalog, hierarchiesOfCatalog),
    async run(ctx, call) {
      const view = await viewOf(ctx, call)
      return nodePage(ctx, view, { resource: hierarchiesOfCatalog, scope: [view.published.catalogId] }, call)
    },
  })

export const getHierarchy = ({ of, path, phrase, area, viewOf }: Family) =>
  action({
    name: `get-${of}-hierarchy`,
    route: `GET ${path}/hierarchies/:hierarchy_id`,
    about: `Reads a hierarchy ${phrase}.`,
    area,
    status: 200,
    shows: { resource: hierarchiesOfCatalog },
    async run(ctx, call) {
      const view = await viewOf(ctx, call)
      const row = await findHierarchy(ctx, view, call.params.hierarchy_id)
      return nodeAnswer(ctx, view, showNode(row, view), 'hierarchies')
    },
  })

function nodeAnswer({ baseUrl }: Ctx, view: View, data: ReturnType<typeof showNode>, path: string): Answer {
  const self = `${baseUrl}${view.prefix}/${path}/${data.id}`
  const explanation = explanationOf(view)
  const body = JSON.stringify({ data, links: { self }, ...(explanation && { meta: { explanation } }) })
  return { status: 200, body, headers: { etag: entityTag(body) } }
}

export const listNodesOfHierarchy = ({ of, path, phrase, area, viewOf }: Family) =>
  action({
    name: `list-${of}-hierarchy-nodes`,
    route: `GET ${path}/hierarchies/:hierarchy_id/nodes`,
    about: `Lists all nodes of a hierarchy ${phrase}, a page at a time, most recently changed first.`,
    area,
    status: 200,
    shows: objectsOfList(of, nodesOfCatalog, nodesOfHierarchy),
    async run(ctx, call) {
      const view = await viewOf(ctx, call)
      const { id } = await findHierarchy(ctx, view, call.params.hierarchy_id)
      return nodePage(ctx, view, { resource: nodesOfHierarchy, scope: [view.published.catalogId, id] }, call)
    },
  })

export const listChildrenOfHierarchy = ({ of, path, phrase, area, viewOf }: Family) =>
  action({
    name: `list-${of}-hierarchy-children`,
    route: `GET ${path}/hierarchies/:hierarchy_id/children`,
    about: `Lists the top nodes of a hierarchy ${phrase}, a page at a time, in the merchant's order.`,
    area,
    status: 200,
    shows: objectsOfList(of, nodesOfCatalog, nodesOfParent),
    async run(ctx, call) {
      const view = await viewOf(ctx, call)
      const { id } = await findHierarchy(ctx, view, call.params.hierarchy_id)
      return nodePage(ctx, view, { resource: nodesOfParent, scope: [view.published.catalogId, id] }, call)
    },
  })

export const listNodes = ({ of, path, phrase, area, viewOf }: Family) =>
  action({
    name: `list-${of}-nodes`,
    route: `GET ${path}/nodes`,
    about: `Lists the nodes of all hierarchies ${phrase}, a page at a time, most recently changed first.`,
    area,
    status: 200,
    shows: objectsOfList(of, nodesOfCatalog, nodesOfCatalog),
    async run(ctx, call) {
      const view = await viewOf(ctx, call)
      return nodePage(ctx, view, { resource: nodesOfCatalog, scope: [view.published.catalogId] }, call)
    },
  })

export const getNode = ({ of, path, phrase, area, viewOf }: Family) =>
  action({
    name: `get-${of}-node`,
    route: `GET ${path}/nodes/:node_id`,
    about: `Reads a node ${phrase}. The id of a hierarchy reads the hierarchy as a node: it is the parent of its top nodes.`,
    area,
    status: 200,
    shows: { resource: nodesOfCatalog },
    async run(ctx, call) {
      const view = await viewOf(ctx, call)
      const row = await findNode(ctx, view, call.params.node_id)
      return nodeAnswer(ctx, view, asNode(row, view), 'nodes')
    },
  })

export const listChildrenOfNode = ({ of, path, phrase, area, viewOf }: Family) =>
  action({
    name: `list-${of}-node-children`,
    route: `GET ${path}/nodes/:node_id/relationships/children`,
    about: `Lists the child nodes of a node ${phrase}, a page at a time, in the merchant's order.`,
    area,
    status: 200,
    shows: objectsOfList(of, nodesOfCatalog, nodesOfParent),
    async run(ctx, call) {
      const view = await viewOf(ctx, call)
      const { id } = await findNode(ctx, view, call.params.node_id)
      return nodePage(ctx, view, { resource: nodesOfParent, scope: [view.published.catalogId, id] }, call)
    },
  })
