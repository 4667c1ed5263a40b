import { action } from '../../kernel/declare/action.ts'
import { objectText } from '../../kernel/http/object-text.ts'
import { findByName, findListed, scopeOf } from '../../kernel/query/find.ts'
import { parse } from '../../kernel/query/parse.ts'
import { portionsOf } from '../../kernel/query/portions.ts'
import { answerList } from '../../kernel/request/export-list.ts'
import { includedParts } from '../../kernel/request/included.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import type { ProductFields } from '../product-fields/product-fields.ts'
import { products } from '../products/products.ts'
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
    const curated = new Set(node.doc.curated_products)
    return answerList(
      ctx,
      call,
      {
        source: { resource: nodeProducts, scope: [node.id] },
        async *show(ctx, rows) {
          for await (const found of productsOf(ctx, rows))
            yield found.map((row) => {
              const text = objectText(products, row, ctx, true)
              // Only the type and the id come before the attributes, so the first match is the right one.
              return curated.has(row.id)
                ? text.replace(/"attributes": ?\{/, '$&"curated_product":true,')
                : text
            })
        },
        shown: products,
      },
      {
        beside: (portions) =>
          includedParts(ctx, products, parse(call.query).include, async function* () {
            for await (const rows of portions()) yield* productsOf(ctx, rows)
          }),
      },
    )
  },
})

/** The products of some rows. */
async function* productsOf(ctx: Ctx, rows: readonly Row[]): AsyncGenerator<readonly Row<ProductFields>[]> {
  const ids = rows.map(({ id }) => id)
  yield* portionsOf(await findListed(ctx, products, ids))
}
