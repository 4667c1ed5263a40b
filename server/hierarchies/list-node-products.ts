import { action } from '../kernel/declare/action.ts'
import { pageAnswer } from '../kernel/http/object-answer.ts'
import { objectText } from '../kernel/http/object-text.ts'
import { findAll, findByName, scopeOf } from '../kernel/query/find.ts'
import { fetchPage } from '../kernel/query/page.ts'
import { parse } from '../kernel/query/parse.ts'
import { included } from '../kernel/request/included.ts'
import { products } from '../products/index.ts'
import { nodeProducts } from './node-products.ts'
import { nodes } from './nodes.ts'

/** Lists the products of a node, including drafts. */
export const listNodeProducts = action({
  name: 'list-node-products',
  route: 'GET /pcm/hierarchies/:hierarchy_id/nodes/:node_id/products',
  about:
    'Lists the products of a node, including drafts, a page at a time. The curated products come first, in their order, ' +
    'with `curated_product: true`. The others follow, the most recently changed first.',
  area: 'hierarchies',
  status: 200,
  shows: { resource: products, page: true, rows: [nodeProducts] },

  async run(ctx, call) {
    const scope = await scopeOf(ctx, nodes, call.params)
    const node = await findByName(ctx, nodes, call.params.node_id, scope)
    const query = parse(call.query)
    const page = await fetchPage(ctx, { resource: nodeProducts, scope: [node.id] }, query)
    const rows = await findAll(
      ctx,
      products,
      page.rows.map(({ id }) => id),
    )
    const curated = new Set(node.doc.curated_products)
    const byId = new Map(rows.map((row) => [row.id, row]))
    const shown = page.rows.flatMap(({ id }) => {
      const row = byId.get(id)
      if (!row) return []
      const text = objectText(products, row, ctx, true)
      // Only the type and the id come before the attributes, so the first match is the right one.
      return curated.has(id) ? text.replace(/"attributes": ?\{/, '$&"curated_product":true,') : text
    })
    const more = await included(ctx, products, query.include, rows)
    return pageAnswer(200, shown.join(','), page, ctx, call, {}, more)
  },
})
