import { action } from '../../kernel/declare/action.ts'
import { listing } from '../../kernel/declare/listing.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { objectOf } from '../../kernel/openapi/named-schemas.ts'
import { answerList } from '../../kernel/request/export-list.ts'
import { list as listRows } from '../../kernel/request/operations.ts'
import { json, noContent } from '../../kernel/shape/answer.ts'
import { choice, group, integer, list, reference } from '../../kernel/shape/fields.ts'
import { type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import {
  type AssociationRefusal,
  decide,
  limits,
  tooManyAttached,
} from '../product-fields/association-rules.ts'
import {
  associations,
  attach,
  findBoth,
  findSides,
  link,
  type ProductRelationship,
  unlink,
} from './associations.ts'
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
): Promise<{ associated: readonly string[]; refused: readonly AssociationRefusal[] }> {
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

const dissociationList = list(
  group(
    {
      type: choice(['product'], { required: true }),
      id: reference('product', { required: true, about: 'The id of the associated product.' }),
    },
    {},
  ),
  {
    required: true,
    maxItems: limits.associatedMax,
    about: 'The products to dissociate. Products that are not associated are ignored.',
  },
)

export const dissociateProducts = action({
  name: 'dissociate-products',
  route: 'DELETE /pcm/products/:product_id/custom-relationships/:slug',
  about: 'Removes associations of a product by a custom relationship, which stays attached to the product.',
  area: 'products',
  status: 204,
  data: dissociationList,
  async run(ctx, { params, data }) {
    const both = await findBoth(ctx, params)
    const ids = (data as readonly { id: string }[]).map(({ id }) => id)
    await ctx.store.lock(products, both.productId, ...(both.by.doc.bi_directional ? ids : []))
    const changedIds = await unlink(ctx, both, ids)
    await ctx.store.touchAll(products, (bind) => `r.id = ANY(${bind(changedIds)}::uuid[])`)
    return noContent
  },
})

const path = '/pcm/products/:product_id/custom-relationships/:slug'
const inOrder = 'products with a sort_order first, lowest first; then the others as they were added'
export const listAssociatedProductIds = action({
  name: 'list-associated-product-ids',
  route: `GET ${path}`,
  about: `Lists the ids of the products that a product is associated with by a custom relationship: ${inOrder}.`,
  area: 'products',
  status: 200,
  shows: { page: true, data: objectOf(() => associations), rows: [associations] },
  async run(ctx, call) {
    const { productId, by } = await findBoth(ctx, call.params)
    const source = { resource: associations, scope: [productId, by.id] }
    return answerList(ctx, call, { source })
  },
})

/** The associated products themselves. */
const associatedProducts = listing(products, {
  noun: ['product-associated-with-another', 'products-associated-with-another'],
  table:
    '(SELECT p.*, a.place, a.product_id AS associated_with, a.custom_relationship_id AS associated_by ' +
    'FROM associated_products a JOIN products p ON p.store_id = a.store_id AND p.id = a.id) products',
  scope: { columns: ['associated_with', 'associated_by'] },
  order: { by: 'place', about: inOrder },
  counted: false,
})

export const listAssociatedProducts = action({
  name: 'list-associated-products',
  route: `GET ${path}/products`,
  about: `Lists the products that a product is associated with by a custom relationship: ${inOrder}.`,
  area: 'products',
  status: 200,
  shows: { resource: products, page: true, rows: [associatedProducts] },
  async run(ctx, call) {
    const { productId, by } = await findBoth(ctx, call.params)
    return listRows(ctx, associatedProducts, [productId, by.id], call)
  },
})
