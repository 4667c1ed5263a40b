import { linked, linkedElsewhere, linkTo, listOf, object } from '../kernel/openapi/shapes.ts'
import { choice, field, group, list, nullable } from '../kernel/shape/fields.ts'
import type { Row } from '../kernel/shape/model.ts'
import {
  type ChildVariation,
  type ProductFields,
  type ProductVariation,
  productTypes,
  shownVariations,
  variationMatrix,
} from './product-fields.ts'

/** What is shown of a product beside its attributes. */

export const productMeta = {
  fields: {
    owner: choice(['store', 'organization'], { about: 'Whose it is.' }),
    product_types: field(
      { type: 'array', items: { enum: productTypes }, minItems: 1, maxItems: 1 },
      { about: 'What it is: alone, a parent, a child, or a bundle of others.' },
    ),
    variations: list(field<ProductVariation>(shownVariations.ofParent.schema, {}), {
      about: 'Of a parent: what its children differ in.',
    }),
    variation_matrix: variationMatrix,
    child_variations: list(field<ChildVariation>(shownVariations.ofChildOfMerchant.schema, {}), {
      about: 'Of a child: its option of each variation.',
    }),
    custom_relationships: field(listOf({ type: 'string' }), {
      about: 'The custom relationships that it has, by their slugs.',
    }),
  },
  of: ({ hidden }: Row<ProductFields>) => {
    const { product_type, variations, variation_matrix = {}, child_variations, custom_relationships } = hidden
    return {
      owner: 'store' as const,
      product_types: [product_type],
      variation_matrix,
      variations,
      child_variations,
      custom_relationships: custom_relationships?.length ? custom_relationships : undefined,
    }
  },
}

const links = (about: string) => field(linkedElsewhere('self'), { about })
const one = (about: string, type: string) => field(linked(nullable(linkTo(type))), { about })

/** Where its links are; only of the main image and of a parent it is said here which. */
export const productLinks = {
  fields: {
    relationships: group(
      {
        base_product: one('Of a child: its parent.', 'product'),
        children: links('Its children.'),
        component_products: links('Of a bundle: what it consists of.'),
        files: links('Its files.'),
        main_image: one('Its main image.', 'file'),
        templates: links('Its templates.'),
        variations: links('What its children differ in.'),
        custom_relationships: field(
          object({
            data: { ...listOf(object({})), maxItems: 0 },
            links: { type: 'object', additionalProperties: { type: 'string' } },
          }),
          { about: 'Other products: where they are listed, by the slug of a custom relationship.' },
        ),
      },
      { about: 'Where its links are.' },
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
