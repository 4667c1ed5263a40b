import { emptyRelationship, linkTo, listOf, object, relationshipTo } from '../../kernel/openapi/shapes.ts'
import { field, group, list, nullable } from '../../kernel/shape/fields.ts'
import type { Row } from '../../kernel/shape/model.ts'
import { ownerMeta } from '../../store/index.ts'
import {
  type ChildVariation,
  type ProductFields,
  type ProductVariation,
  productTypes,
  shownVariations,
  variationMatrix,
} from './product-fields.ts'

/** The members of a product beside its attributes. */

export const productMeta = {
  fields: {
    ...ownerMeta.fields,
    product_types: field(
      { type: 'array', items: { enum: productTypes }, minItems: 1, maxItems: 1 },
      { about: 'The type of the product: standard, parent, child or bundle.' },
    ),
    variations: list(field<ProductVariation>(shownVariations.ofParent.schema, {}), {
      about: 'Parents only: the variations in which the children differ.',
    }),
    variation_matrix: variationMatrix,
    child_variations: list(field<ChildVariation>(shownVariations.ofChildOfMerchant.schema, {}), {
      about: 'Children only: the option of each variation.',
    }),
    custom_relationships: field(listOf({ type: 'string' }), {
      about: 'The slugs of the attached custom relationships.',
    }),
  },
  of: ({ hidden }: Row<ProductFields>) => {
    const { product_type, variations, variation_matrix = {}, child_variations, custom_relationships } = hidden
    return {
      ...ownerMeta.of(),
      product_types: [product_type],
      variation_matrix,
      variations,
      child_variations,
      custom_relationships: custom_relationships?.length ? custom_relationships : undefined,
    }
  },
}

const links = (about: string) => field(emptyRelationship('self'), { about })
const one = (about: string, type: string) => field(relationshipTo(nullable(linkTo(type))), { about })

/** Links to relationships. Only the main image and the parent are shown here themselves. */
export const productLinks = {
  fields: {
    relationships: group(
      {
        base_product: one('Children only: the parent.', 'product'),
        children: links('The children.'),
        component_products: links('Bundles only: the products of the bundle.'),
        files: links('The files.'),
        main_image: one('The main image.', 'file'),
        templates: links('The templates.'),
        variations: links('The variations in which the children differ.'),
        custom_relationships: field(
          object({
            data: { ...listOf(object({})), maxItems: 0 },
            links: { type: 'object', additionalProperties: { type: 'string' } },
          }),
          { about: 'Links to the associated products, by the slug of the custom relationship.' },
        ),
      },
      { about: 'Links to the relationships.' },
    ),
  },
  of: (row: Row<ProductFields>) => ({ relationships: relationshipsOf(row) }),
}

function relationshipsOf({ id, hidden }: Row<ProductFields>) {
  const { parent_id, relationships, custom_relationships = [] } = hidden
  const at = (path: string) => `/products/${id}/${path}`
  const linked = (path: string) => ({ data: [], links: { self: at(path) } })
  const bySlug = custom_relationships.map((slug) => [slug, at(`custom-relationships/${slug}/products`)])
  return {
    base_product: parent_id ? { data: { type: 'product', id: parent_id } } : undefined,
    children: linked('children'),
    component_products: linked('relationships/component_products'),
    files: linked('relationships/files'),
    main_image: relationships?.main_image ?? { data: null },
    templates: linked('relationships/templates'),
    variations: linked('relationships/variations'),
    custom_relationships: bySlug.length
      ? { data: [], links: { self: at('custom-relationships'), ...Object.fromEntries(bySlug) } }
      : undefined,
  }
}
