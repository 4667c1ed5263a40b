import { field, group, list } from '../../kernel/shape/fields.ts'
import type { Row } from '../../kernel/shape/model.ts'
import {
  about,
  emptyRelationship,
  linkTo,
  optional,
  orNull,
  relationshipTo,
  shown,
} from '../../kernel/shape/shown.ts'
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
    custom_relationships: optional(
      about('The slugs of the attached custom relationships.', shown.list(shown.text)),
    ),
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

const links = (text: string) => optional(about(text, emptyRelationship('self')))
const one = (text: string, type: string) => optional(about(text, relationshipTo(orNull(linkTo(type)))))

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
        custom_relationships: optional(
          about(
            'Links to the associated products, by the slug of the custom relationship.',
            shown.group({
              data: list(shown.group({}), { required: true, maxItems: 0 }),
              links: shown.map(shown.text),
            }),
          ),
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
  const linked = (path: string) => ({ data: [] as const, links: { self: at(path) } })
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
