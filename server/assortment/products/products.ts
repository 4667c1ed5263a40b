import { isDeepStrictEqual } from 'node:util'
import { withExtensions } from '../../fields/index.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { flag } from '../../kernel/shape/fields.ts'
import type { Draft } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { productEnvelope } from '../product-fields/envelope.ts'
import { type ProductFields, productFields } from '../product-fields/product-fields.ts'
import { productLinks, productMeta } from '../product-fields/product-links.ts'
import { findProductType } from '../product-fields/product-type.ts'
import { mustBeBundle, mustBeInNoBundle } from './bundles.ts'
import { holdParent, leaveParent } from './leave-parent.ts'
import { productFilters } from './product-filters.ts'
import { productIncludes } from './product-includes.ts'

/** What lists of nodes add to their products. */
const inNodes = {
  curated_product: flag({ about: 'In the list of a node: whether the product is curated there.' }),
}

/** A product, as the merchant sees it. */
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
