import { isDeepStrictEqual } from 'node:util'
import { withExtensions } from '../../fields/index.ts'
import { action } from '../../kernel/declare/action.ts'
import { listing } from '../../kernel/declare/listing.ts'
import { type Inclusion, resource } from '../../kernel/declare/resource.ts'
import { findByName, findListed } from '../../kernel/query/find.ts'
import { list } from '../../kernel/request/operations.ts'
import { flag } from '../../kernel/shape/fields.ts'
import type { Draft, Row } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { change } from '../../kernel/write/by-rules.ts'
import { files } from '../../store/index.ts'
import { productEnvelope } from '../product-fields/product-envelope.ts'
import {
  type Product,
  type ProductFields,
  productFields,
  type VariationMatrix,
} from '../product-fields/product-fields.ts'
import { productLinks, productMeta } from '../product-fields/product-links.ts'
import { mustBeBundle, mustBeInNoBundle } from './bundles.ts'
import { productFilters } from './product-filters.ts'

/** The objects that `include` shows with products. */
const productIncludes: Readonly<Record<string, Inclusion<ProductFields>>> = {
  main_image: {
    target: () => files,
    under: 'main_images',
    find: (ctx, rows) => {
      const ids = rows.flatMap(({ hidden }) => hidden.relationships?.main_image?.data.id ?? [])
      return findListed(ctx, files, ids)
    },
  },
  files: {
    target: () => files,
    under: 'files',
    find: async (ctx, rows) => {
      const linked = await ctx.store.run(
        `SELECT id FROM product_files WHERE store_id = $1 AND product_id = ANY($2::uuid[])
         ORDER BY product_id, created_at, id`,
        rows.map(({ id }) => id),
      )
      const ids = linked.map(([id]) => id as string)
      return findListed(ctx, files, ids)
    },
  },
  component_products: {
    target: () => products,
    under: 'component_products',
    find: async (ctx, rows) => {
      const linked = await ctx.store.run(
        'SELECT id FROM product_components WHERE store_id = $1 AND bundle_id = ANY($2::uuid[]) ORDER BY bundle_id, id',
        rows.map(({ id }) => id),
      )
      const ids = linked.map(([id]) => id as string)
      return findListed(ctx, products, ids)
    },
  },
}

/** What lists of nodes add to their products. */
const inNodes = {
  curated_product: flag({ about: 'In the list of a node: whether the product is curated there.' }),
}

export const products = resource({
  type: 'product',
  noun: ['product', 'products'],
  about: 'A product, as the merchant sees it.',
  path: '/pcm/products',
  table: 'products',
  addedUnder: 'products',
  fields: productFields,
  filter: productFilters,
  sort: ['created_at', 'id', 'name', 'updated_at'],
  area: 'products',
  envelope: productEnvelope,
  refusedWith: 422,
  meta: productMeta,
  also: productLinks,
  shownWith: { ...withExtensions, fields: { ...withExtensions.fields, ...inNodes } },
  include: productIncludes,
  beforeWrite: completeProduct,
  beforeDelete: async (work, row) => {
    await holdParent(work, row)
    await mustBeInNoBundle(work, row.id)
  },
  afterDelete: leaveParent,
  constraints: {
    products_sku_key: {
      code: 'unprocessable',
      detail: 'data.attributes.sku: Must be unique amongst products.',
      source: 'data.attributes.sku',
    },
    products_slug_key: {
      code: 'unprocessable',
      detail: 'data.attributes.slug: Must be unique amongst products.',
      source: 'data.attributes.slug',
    },
    product_components_id_fkey: {
      code: 'unprocessable',
      detail: 'The product is part of a bundle. Remove it from there first.',
    },
  },
})

async function completeProduct(work: Work, draft: Draft<ProductFields>): Promise<void> {
  const { values, before } = draft
  if (values.tags) values.tags = [...new Set(values.tags.map((tag) => tag.toLowerCase()))]
  nameComponents(values)
  await mustBeBundle(work, draft)
  values.product_type = findProductType(values)
  // Builds do not come here, so the child was changed by itself.
  if (
    before?.hidden.parent_id &&
    !isDeepStrictEqual(listMerchantValues(before.doc), listMerchantValues(values))
  )
    values.edited = true
}

/** Gives every component a name, because storefronts show it. The default is its key. */
function nameComponents(values: Draft<ProductFields>['values']): void {
  for (const [key, component] of Object.entries(values.components ?? {})) component.name ??= key
}

/** The values that merchants set, without extensions. */
function listMerchantValues(values: Draft<ProductFields>['values']): object {
  const shown = Object.entries(values).filter(
    ([name, value]) =>
      value !== undefined &&
      !Object.hasOwn(withExtensions.fields, name) &&
      !productFields[name as keyof ProductFields]?.options.hidden,
  )
  return Object.fromEntries(shown)
}

type TypeFacts = Pick<Product, 'parent_id' | 'components' | 'variation_matrix'>

/** The type of a product, which follows from its values. */
function findProductType({ parent_id, components, variation_matrix }: TypeFacts): Product['product_type'] {
  if (parent_id) return 'child'
  if (Object.keys(components ?? {}).length) return 'bundle'
  return Object.keys(variation_matrix ?? {}).length ? 'parent' : 'standard'
}

/** Locks the parent: a build and this change wait for each other. */
async function holdParent({ store }: Work, { hidden: { parent_id } }: Row<ProductFields>): Promise<void> {
  if (parent_id) await store.lock(products, parent_id)
}

/** Removes a deleted child from the matrix of its parent. A parent without children becomes a standard product. */
async function leaveParent(work: Work, { id, hidden }: Row<ProductFields>): Promise<void> {
  const { parent_id } = hidden
  if (!parent_id) return
  const parent = await work.store.findWhole(products, parent_id)
  if (!parent) return
  const variation_matrix = without(parent.hidden.variation_matrix ?? {}, id)
  await change(work, products, [], parent_id, { variation_matrix })
}

/** The matrix without a child, and without options that become empty. */
function without(matrix: VariationMatrix, childId: string): VariationMatrix {
  const left: Record<string, string | VariationMatrix> = {}
  for (const [option, inside] of Object.entries(matrix)) {
    const remaining = typeof inside === 'string' ? inside : without(inside, childId)
    if (remaining !== childId && Object.keys(remaining).length) left[option] = remaining
  }
  return left
}

/** The products that have this parent. */
const children = listing(products, {
  noun: ['child-product', 'child-products'],
  scope: { columns: ['parent_id'] },
  counted: false,
})

/** Lists the children of a product, a page at a time. */
export const listChildren = action({
  name: 'list-children',
  route: 'GET /pcm/products/:product_id/children',
  about: 'Lists the children of a product, with the filters and sorts of the list of products.',
  area: 'products',
  status: 200,
  shows: { resource: products, page: true, rows: [children] },
  async run(ctx, call) {
    const { id } = await findByName(ctx, products, call.params.product_id)
    return list(ctx, children, [id], call)
  },
})
