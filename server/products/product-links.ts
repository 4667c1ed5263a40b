import { choice, field, group } from '../kernel/fields.ts'
import type { Row } from '../kernel/resource.ts'
import { type ProductFields, productTypes } from './product-fields.ts'

/** What is shown of a product beside its attributes. */

const list = (about: string) => field({ type: 'array' }, { about })

export const productMeta = {
  fields: {
    owner: choice(['store', 'organization'], { about: 'Whose it is.' }),
    product_types: field(
      { type: 'array', items: { enum: productTypes }, minItems: 1, maxItems: 1 },
      { about: 'What it is: alone, a parent, a child, or a bundle of others.' },
    ),
    variations: list('Of a parent: what its children differ in.'),
    variation_matrix: field({ type: 'object' }, { about: 'Of a parent: its children, by their options.' }),
    child_variations: list('Of a child: its option of each variation.'),
    custom_relationships: list('The custom relationships that it has, by their slugs.'),
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

const links = (about: string) =>
  field({ type: 'object', properties: { data: { type: 'array' }, links: { type: 'object' } } }, { about })
const one = (about: string) =>
  field({ type: 'object', properties: { data: { type: ['object', 'null'] } } }, { about })

/** Where its links are; only of the main image and of a parent it is said here which. */
export const productLinks = {
  fields: {
    relationships: group(
      {
        base_product: one('Of a child: its parent.'),
        children: links('Its children.'),
        component_products: links('Of a bundle: what it consists of.'),
        files: links('Its files.'),
        main_image: one('Its main image.'),
        templates: links('Its templates.'),
        variations: links('What its children differ in.'),
        custom_relationships: links('Other products, by custom relationship.'),
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
