import { action } from '../../kernel/declare/action.ts'
import type { Call } from '../../kernel/declare/call.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { objectOf } from '../../kernel/openapi/named-schemas.ts'
import { findByName } from '../../kernel/query/find.ts'
import { list } from '../../kernel/request/operations.ts'
import { type Answer, noContent } from '../../kernel/shape/answer.ts'
import { choice, group, list as listOf, text } from '../../kernel/shape/fields.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { limits, tooManyAttached } from '../product-fields/association-rules.ts'
import { attach } from './associations.ts'
import { type CustomRelationshipFields, customRelationships } from './custom-relationships.ts'
import { products } from './products.ts'

const path = '/pcm/products/:product_id/custom-relationships'

const slugs = listOf(
  group(
    {
      type: choice(['custom-relationship'], { required: true }),
      slug: text({ required: true, min: 1, max: 255, about: 'The slug of the custom relationship.' }),
    },
    {},
  ),
  { required: true, maxItems: 100, about: 'The slugs of custom relationships.' },
)
type Slugs = readonly { readonly slug: string }[]

const shared = { area: 'products', shows: { page: true, data: objectOf(() => customRelationships) } } as const

export const listAttachedCustomRelationships = action({
  ...shared,
  name: 'list-attached-custom-relationships',
  route: `GET ${path}`,
  about: 'Lists the custom relationships that a product has.',
  status: 200,
  run: async (ctx, call) =>
    listOfProduct(ctx, (await findByName(ctx, products, call.params.product_id)).id, call),
})

const listOfProduct = (ctx: Ctx, productId: string, call: Call): Promise<Answer> =>
  list(
    ctx,
    customRelationships,
    [],
    call,
    (bind) =>
      `id IN (SELECT a.id FROM product_custom_relationships a WHERE a.store_id = $1 AND a.product_id = ${bind(productId)}::uuid)`,
  )

export const attachCustomRelationships = action({
  ...shared,
  name: 'attach-custom-relationships',
  route: `POST ${path}`,
  about: `Attaches custom relationships to a product, beside those that it has. It may have at most ${limits.attachedMax}.`,
  status: 201,
  data: slugs,
  async run(ctx, { data, ...call }) {
    const { id } = await findByName(ctx, products, call.params.product_id)
    const rows = await findBySlugs(ctx, data as Slugs)
    await ctx.store.lock(products, id)
    await ctx.store.lockShared(customRelationships, ...rows.map((one) => one.id))
    for (const one of rows) await attach(ctx, one, [id])
    const { hidden } = await findByName(ctx, products, id)
    if ((hidden.custom_relationships?.length ?? 0) > limits.attachedMax) {
      throw new Problem('unprocessable', tooManyAttached, { source: 'data' })
    }
    return { ...(await listOfProduct(ctx, id, call)), status: 201 }
  },
})

export const detachCustomRelationships = action({
  name: 'detach-custom-relationships',
  route: `DELETE ${path}`,
  about: 'Detaches custom relationships from a product, and removes its associations by them.',
  area: 'products',
  status: 204,
  data: slugs,
  async run(ctx, { params, data }) {
    const { id } = await findByName(ctx, products, params.product_id)
    const detached = await findBySlugs(ctx, data as Slugs)
    await ctx.store.lock(products, id)
    for (const one of detached) await detach(ctx, one, id)
    return noContent
  },
})

async function findBySlugs(ctx: Ctx, named: Slugs): Promise<Row<CustomRelationshipFields>[]> {
  const rows = new Map<string, Row<CustomRelationshipFields>>()
  for (const [i, { slug }] of named.entries()) {
    const row = await findByName(ctx, customRelationships, slug).catch((error) => {
      if (!(error instanceof Problem)) throw error
      throw notFound('custom relationship', slug, { source: `data.${i}.slug` })
    })
    rows.set(row.id, row)
  }
  return [...rows.values()]
}

async function detach({ store }: Ctx, { id, doc }: Row<CustomRelationshipFields>, productId: string) {
  await store.runLong(
    `DELETE FROM product_custom_relationships WHERE store_id = $1 AND product_id = $2 AND id = $3`,
    productId,
    id,
  )
  // The links back to it are removed too.
  if (doc.bi_directional) {
    await store.runLong(
      'DELETE FROM associated_products WHERE store_id = $1 AND custom_relationship_id = $2 AND id = $3',
      id,
      productId,
    )
  }
  await store.changeAll(products, {
    where: (bind) =>
      `r.id = ${bind(productId)}::uuid AND (r.hidden::jsonb->'custom_relationships') ? ${bind(doc.slug)}::text`,
    hidden: (bind) =>
      `jsonb_set(r.hidden::jsonb, '{custom_relationships}', (r.hidden::jsonb->'custom_relationships') - ${bind(doc.slug)}::text)::json`,
  })
}
