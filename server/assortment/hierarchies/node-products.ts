import { action } from '../../kernel/declare/action.ts'
import { type Resource, resource } from '../../kernel/declare/resource.ts'
import { notFound } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { objectText } from '../../kernel/http/object-text.ts'
import { findByName, findListed, scopeOf } from '../../kernel/query/find.ts'
import { parse } from '../../kernel/query/parse.ts'
import { portionsOf } from '../../kernel/query/portions.ts'
import { answerList } from '../../kernel/request/export-list.ts'
import { includedParts } from '../../kernel/request/included.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import { choice, group, list, reference } from '../../kernel/shape/fields.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Ctx, Work } from '../../kernel/work/context.ts'
import { change } from '../../kernel/write/by-rules.ts'
import type { ProductFields } from '../product-fields/product-fields.ts'
import { products } from '../products/products.ts'
import { hierarchyEnvelope } from './hierarchy-envelope.ts'
import { nodeIn, nodes } from './nodes.ts'

/** The products of a node. Each row has the id of a product, and lists show that product. */
export const nodeProducts: Resource = resource({
  type: 'product',
  noun: ['node-product', 'node-products'],
  about: 'The relationship of a product to a node.',
  path: '/pcm/hierarchies/:hierarchy_id/nodes/:node_id/products',
  table: 'node_products',
  parent: () => nodes,
  scope: { columns: ['node_id'], of: (_work, { node_id = '' }) => [nodeIn(node_id)] },
  fields: {},
  order: {
    by: '-place',
    about: 'the curated products first, in their order, then the others, the most recently changed first',
  },
  area: 'hierarchies',
  envelope: { ...hierarchyEnvelope, times: 'none' },
  operations: [],
  constraints: {
    node_products_target_fkey: { code: 'not_found', detail: 'product not found', source: 'data' },
    node_products_parent_fkey: { code: 'not_found', detail: 'node not found' },
  },
})

type ProductCondition = (bind: (value: unknown) => string) => string

/** Adds the `products` that meet a condition to these nodes. Existing links stay unchanged. */
export const attachProducts = ({ store }: Work, nodeIds: readonly string[], condition: ProductCondition) =>
  store.insertFrom(nodeProducts, {
    columns: ['node_id', 'id', 'doc', 'product_updated_at'],
    // Everyone locks products in this order, so there are no deadlocks.
    rows: (bind) =>
      `SELECT node.id, products.id, '{}'::json, products.updated_at
       FROM unnest(${bind(nodeIds)}::uuid[]) AS node (id) CROSS JOIN products
       WHERE products.store_id = $1 AND ${condition(bind)} ORDER BY products.id`,
    unchanged: 'products',
  })

/** Removes the `products` that meet a condition from these nodes, and from their curated products. */
export async function detachProducts(
  { store }: Work,
  nodeIds: readonly string[],
  condition: ProductCondition,
) {
  // The lock keeps others from curating.
  await store.lock(nodes, ...nodeIds)
  return store.removeAll(
    nodeProducts,
    (bind) =>
      `r.node_id = ANY(${bind(nodeIds)}::uuid[]) AND r.id IN (
         SELECT products.id FROM products WHERE products.store_id = $1 AND ${condition(bind)})`,
  )
}

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

const link = group(
  { type: choice(['product'], { required: true }), id: reference('product', { required: true }) },
  {},
)
type ProductLink = NonNullable<(typeof link)['value']>

const links = list(link, { maxItems: 10_000, about: 'Products, live or draft.' })
const idsIn = (data: unknown) => [...new Set((data as readonly ProductLink[]).map(({ id }) => id))]

const route = '/pcm/hierarchies/:hierarchy_id/nodes/:id/relationships/products'
const shared = { area: 'hierarchies', data: links, shows: { resource: nodes } } as const

export const addNodeProducts = action({
  ...shared,
  name: 'add-node-products',
  route: `POST ${route}`,
  about: 'Adds products to the node. Products that are already in it stay.',
  status: 201,
  run: (ctx, { params, data }) =>
    changeNode(ctx, params, 201, async (work, id) => {
      const ids = idsIn(data)
      await mustExist(work, data as readonly ProductLink[])
      await attachProducts(work, [id], (bind) => `products.id = ANY(${bind(ids)}::uuid[])`)
    }),
})

export const deleteNodeProducts = action({
  ...shared,
  name: 'delete-node-products',
  route: `DELETE ${route}`,
  about: 'Removes products from the node, and from its curated products. The products themselves stay.',
  status: 200,
  run: (ctx, { params, data }) =>
    changeNode(ctx, params, 200, async (work, id, scope) => {
      const ids = idsIn(data)
      await work.store.lock(nodes, id)
      const { doc } = await findByName(work, nodes, id, scope)
      const curated = doc.curated_products ?? []
      const remaining = curated.filter((product) => !ids.includes(product))
      if (remaining.length < curated.length)
        await change(work, nodes, scope, id, { curated_products: remaining })
      await detachProducts(work, [id], (bind) => `products.id = ANY(${bind(ids)}::uuid[])`)
    }),
})

/** Changes the node of the path and answers with it. */
async function changeNode(
  ctx: Ctx,
  params: Readonly<Record<string, string>>,
  status: number,
  run: (work: Work, id: string, scope: readonly string[]) => Promise<void>,
): Promise<Answer> {
  const scope = await scopeOf(ctx, nodes, params)
  const { id } = await findByName(ctx, nodes, params.id ?? '', scope)
  await run(ctx, id, scope)
  return objectAnswer(status, nodes, await findByName(ctx, nodes, id, scope), ctx)
}

async function mustExist({ store }: Work, links: readonly ProductLink[]): Promise<void> {
  const lockedIds = await store.lockShared(products, ...links.map(({ id }) => id))
  const missing = links.findIndex(({ id }) => !lockedIds.has(id))
  if (missing < 0) return
  throw notFound('product', links[missing]?.id, { source: `data.${missing}.id` })
}
