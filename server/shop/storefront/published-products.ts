import { listing } from '../../kernel/declare/listing.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { objectOf } from '../../kernel/openapi/named-schemas.ts'
import { field, group } from '../../kernel/shape/fields.ts'
import type { FilterRule } from '../../kernel/shape/model.ts'
import { productAttributes, productMeta, productRelationships } from '../shown/shown-fields.ts'
import { componentProducts } from '../sources/published-product.ts'
import { valueId } from '../sources/value-id.ts'
import { published } from './published.ts'

const meta = {
  ...productMeta,
  component_product_data: field<object | undefined>(
    { type: 'object', additionalProperties: objectOf(() => publishedProducts).schema },
    { about: 'In the response to a configured bundle: the selected products, by their ids.' },
  ),
}

const fields = {
  ...productAttributes,
  relationships: group(productRelationships, { about: 'Links to related objects.' }),
}

/**
 * A condition for rows with one of these tags, which are stored in lower case. Every scope begins with the catalog.
 */
const tagged: FilterRule = {
  ops: ['eq'],
  type: 'text',
  where: (_op, values, bind) =>
    '(id, since) IN (SELECT t.id, t.since FROM published_texts t WHERE t.store_id = $1 AND t.catalog_id = $2::uuid ' +
    `AND t.value_ids && ${bind(values.map((value) => valueId('tags', value.toLowerCase())))}::bigint[])`,
}

/** Any published product, including those that are only options of bundles. */
export const publishedProducts: Resource = published({
  type: 'product',
  noun: ['published-product', 'published-products'],
  about: 'A product as shoppers see it: as it was published, at its current price.',
  path: '/catalog/products',
  table: 'published_products',
  scope: { columns: ['catalog_id'] },
  fields,
  filter: {
    id: ['eq'],
    name: ['eq'],
    sku: ['eq'],
    slug: ['eq'],
    manufacturer_part_num: ['eq'],
    upc_ean: ['eq'],
    product_types: { ops: ['eq'], type: 'text', column: 'product_type' },
    tags: tagged,
  },
  meta,
})

/** All products of a catalog. */
export const productsOfCatalog = listing(publishedProducts, {
  noun: ['product-of-catalog', 'products-of-catalog'],
  scope: { columns: ['listed_in'] },
})

/** The products of a node, or of any node of a hierarchy. */
export const productsOfNode = listing(publishedProducts, {
  noun: ['product-of-node', 'products-of-node'],
  table: 'products_of_nodes',
  scope: { columns: ['catalog_id', 'node_id'] },
  order: {
    by: '-place',
    about: 'curated products first, in their order; then the most recently changed',
  },
})

/** The children of a product. */
export const productsOfParent = listing(publishedProducts, {
  noun: ['child-of-product', 'children-of-product'],
  scope: { columns: ['catalog_id', 'parent_id'] },
})

/** The products that a product is related to, with the name of the relation. */
const related = `(
  SELECT p.*, r.product_id AS leads_from, r.since AS leads_since, r.name AS leads_by, r.place
  FROM published_relations r JOIN published_products p
    ON p.store_id = r.store_id AND p.catalog_id = r.catalog_id AND p.id = r.id) published_related`

/** The products that a product is related to by a custom relationship. */
export const productsOfRelationship = listing(publishedProducts, {
  noun: ['related-product', 'related-products'],
  table: related,
  scope: { columns: ['catalog_id', 'leads_from'] },
  order: { by: 'place', about: 'in the order of the merchant' },
  counted: false,
})

/**
 * A condition for the relations with this name. They belong to the row of the product that is valid in the edition.
 * Options need not be in a list.
 */
export const leadingBy = (name: string, since: number) => (bind: (value: unknown) => string) =>
  `leads_by = ${bind(name)} AND leads_since = ${bind(since)}::int` +
  (name === componentProducts ? '' : ' AND listed_in IS NOT NULL')
