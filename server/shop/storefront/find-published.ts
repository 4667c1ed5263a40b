import type { Resource } from '../../kernel/declare/resource.ts'
import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import type { View } from '../view/view.ts'
import { publishedNodes } from './published-nodes.ts'
import { publishedProducts } from './published-products.ts'
import { isNode } from './show-nodes.ts'

/** Makes a function that finds the published object that a path names, or throws a Problem (404). */
const finder =
  (what: string, resource: Resource, isOne: (row: Row) => boolean = () => true) =>
  async (ctx: Ctx, { published }: View, params: Readonly<Record<string, string>>): Promise<Row> => {
    const id = params[`${what}_id`] ?? ''
    const scope = [published.catalogId, String(published.edition)]
    const row = isId(id) ? await ctx.store.findWhole(resource, id.toLowerCase(), scope) : undefined
    if (!row || !isOne(row)) throw notFound(what, id)
    return row
  }

export const findProduct = finder('product', publishedProducts)
/** Finds a node. A hierarchy counts as one: clients read it as the parent of its top nodes. */
export const findNode = finder('node', publishedNodes)
export const findHierarchy = finder('hierarchy', publishedNodes, (row) => !isNode(row))
