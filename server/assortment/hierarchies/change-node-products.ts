import { action } from '../../kernel/declare/action.ts'
import { notFound } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { findByName, scopeOf } from '../../kernel/query/find.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import { choice, group, list, reference } from '../../kernel/shape/fields.ts'
import type { Ctx, Work } from '../../kernel/work/context.ts'
import { change } from '../../kernel/write/by-rules.ts'
import { products } from '../products/products.ts'
import { attachProducts, detachProducts } from './node-products.ts'
import { nodes } from './nodes.ts'

const link = group(
  { type: choice(['product'], { required: true }), id: reference('product', { required: true }) },
  {},
)
type Link = NonNullable<(typeof link)['value']>

const links = list(link, { maxItems: 10_000, about: 'Products, live or draft.' })
const idsIn = (data: unknown) => [...new Set((data as readonly Link[]).map(({ id }) => id))]

const route = '/pcm/hierarchies/:hierarchy_id/nodes/:id/relationships/products'
const shared = { area: 'hierarchies', data: links, shows: { resource: nodes } } as const

/** Adds products to a node. */
export const addNodeProducts = action({
  ...shared,
  name: 'add-node-products',
  route: `POST ${route}`,
  about: 'Adds products to the node. Products that are already in it stay.',
  status: 201,
  run: (ctx, { params, data }) =>
    changeNode(ctx, params, 201, async (work, id) => {
      const ids = idsIn(data)
      await mustExist(work, data as readonly Link[])
      await attachProducts(work, [id], (bind) => `products.id = ANY(${bind(ids)}::uuid[])`)
    }),
})

/** Removes products from a node. */
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

async function mustExist({ store }: Work, links: readonly Link[]): Promise<void> {
  const lockedIds = await store.lockShared(products, ...links.map(({ id }) => id))
  const missing = links.findIndex(({ id }) => !lockedIds.has(id))
  if (missing < 0) return
  throw notFound('product', links[missing]?.id, { source: `data.${missing}.id` })
}
