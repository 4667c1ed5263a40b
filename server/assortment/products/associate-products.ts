import { action } from '../../kernel/declare/action.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { json } from '../../kernel/shape/answer.ts'
import { choice, group, integer, list, reference } from '../../kernel/shape/fields.ts'
import { type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { decide, limits, type Refusal, tooManyAttached } from '../product-fields/association-rules.ts'
import { attach, findBoth, findSides, link, type ProductRelationship } from './associations.ts'
import { customRelationships } from './custom-relationships.ts'
import { products } from './products.ts'

const associationList = list(
  group(
    {
      type: choice(['product'], { required: true }),
      id: reference('product', { required: true, about: 'The id of the product to associate.' }),
      attributes: group(
        { sort_order: integer({ nullable: true, about: 'The lowest number comes first; null removes it.' }) },
        {},
      ),
    },
    {},
  ),
  {
    required: true,
    maxItems: limits.associatedMax,
    about: 'The products to associate. Existing associations stay.',
  },
)
type AssociationItems = readonly { id: string; attributes?: { sort_order?: number | null } }[]

const outcome = shown.group({
  associated_products: shown.list(shown.uuid),
  products_not_associated: shown.list(shown.group({ ID: shown.text, Details: shown.text })),
  owner: shown.constant('store'),
  timestamps: shown.group({ created_at: shown.time, updated_at: shown.time }),
})

/** Associates a product with others by a custom relationship. */
export const associateProducts = action({
  name: 'associate-products',
  route: 'POST /pcm/products/:product_id/custom-relationships/:slug',
  about:
    'Associates a product with others by a custom relationship, which is attached to the product if necessary. The ' +
    'response names the products that could not be associated, with the reason; all others are associated.',
  area: 'products',
  status: 201,
  data: associationList,
  shows: { beside: { meta: outcome } },
  async run(ctx, { params, data }) {
    const both = await findBoth(ctx, params)
    const items = new Map(
      (data as AssociationItems).map(({ id, attributes }) => [id, attributes?.sort_order]),
    )
    const { associated, refused } = await associate(ctx, both, items)
    const now = ctx.clock.now().toISOString()
    const meta: ShownValue<typeof outcome> = {
      associated_products: associated,
      products_not_associated: refused,
      owner: 'store',
      timestamps: { created_at: now, updated_at: now },
    }
    return json(201, { meta })
  },
})

async function associate(
  ctx: Ctx,
  both: ProductRelationship,
  items: ReadonlyMap<string, number | null | undefined>,
): Promise<{ associated: readonly string[]; refused: readonly Refusal[] }> {
  const { productId, by } = both
  const ids = [...items.keys()]
  const { bi_directional } = by.doc
  // A bidirectional relationship changes the other products too.
  await ctx.store.lock(products, productId, ...(bi_directional ? ids : []))
  if (!bi_directional) await ctx.store.lockShared(products, ...ids)
  await ctx.store.lockShared(customRelationships, by.id)
  const sides = await findSides(ctx, both, [productId, ...ids])
  const base = sides.get(productId)
  if (!base) throw notFound('product', productId)
  if (!base.isAttached && base.attached >= limits.attachedMax)
    throw new Problem('unprocessable', tooManyAttached)
  const { associated, refused } = decide({ ...base, id: productId }, ids, sides, bi_directional)
  const attachedIds = await attach(ctx, by, bi_directional ? [productId, ...associated] : [productId])
  const isNew = (id: string) => !sides.get(id)?.isAssociated
  const linkedIds = await link(ctx, by.id, [
    ...associated
      .filter((id) => isNew(id) || items.get(id) !== undefined)
      .map((id) => ({ from: productId, to: id, sortOrder: items.get(id) })),
    ...(bi_directional ? associated.filter((id) => !sides.get(id)?.leadsBack) : []).map((id) => ({
      from: id,
      to: productId,
    })),
  ])
  // A product shows its associations, so it changes.
  const changedIds = linkedIds.filter((id) => !attachedIds.includes(id))
  await ctx.store.touchAll(products, (bind) => `r.id = ANY(${bind(changedIds)}::uuid[])`)
  return { associated, refused }
}
