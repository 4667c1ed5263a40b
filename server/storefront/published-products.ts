import { choice, field, flag, group, list, map, reference, text } from '../kernel/fields.ts'
import { type FilterRule, type Resource, resource } from '../kernel/resource.ts'
import { componentProducts, valueId } from '../publishing/index.ts'
import { storefrontEnvelope } from './envelope.ts'

const bag = (about: string) => field({ type: 'object' }, { about })
const words = (about: string) => list(text({}), { about })
const linked = (about: string) =>
  field({ type: 'object', properties: { links: { type: 'object' } } }, { about })
const held = (about: string) => field({ type: 'object', properties: { data: { type: 'object' } } }, { about })
const time = (about: string) => text({ format: 'date-time', about })

const fields = {
  name: text({ about: 'In the language that was asked for, where there is a text in it.' }),
  description: text({ about: 'As the name.' }),
  sku: text({ about: 'Unique in the store.' }),
  slug: text({ about: 'Its part of a web address.' }),
  status: choice(['live'], { about: 'Drafts are not published.' }),
  commodity_type: choice(['physical', 'digital'], { about: 'Whether it is shipped.' }),
  upc_ean: text({ about: 'The number of its bar code.' }),
  manufacturer_part_num: text({ about: 'The number its maker gave it.' }),
  external_ref: text({ nullable: true, about: 'Its id in another system.' }),
  tags: words('To find and group it by.'),
  base_product: flag({ about: 'Whether it is a parent.' }),
  base_product_id: reference('product', { about: 'Of a child: its parent.' }),
  price: bag('What it costs now, by currency. Without it, it cannot be bought.'),
  tiers: bag('What each costs of those who buy more of it, by name.'),
  price_modifiers: words('Those that made the price of a child.'),
  components: bag('Of a bundle: what may be chosen from.'),
  custom_inputs: bag('What shoppers may have written on it.'),
  extensions: bag('What its templates say.'),
  shopper_attributes: map(text({}), { about: 'More that the merchant says of it.' }),
  curated_product: flag({ about: 'Whether it is curated in the node that is listed.' }),
  created_at: time('When it was made.'),
  updated_at: time('When it was last changed.'),
  published_at: time('Since when it is published as it is.'),
  relationships: group(
    {
      parent: held('Of a child: its parent.'),
      children: linked('Of a parent: where its children are listed.'),
      files: field({ type: 'object', properties: { data: { type: 'array' } } }, { about: 'Its files.' }),
      main_image: held('Its main image.'),
      component_products: linked('Of a bundle: where what may be chosen of it is listed.'),
      custom_relationships: linked('Where the products that it leads to are listed, by custom relationship.'),
    },
    { about: 'What is around it.' },
  ),
}

const meta = {
  catalog_id: reference('catalog', { about: 'The catalog that it is seen in.' }),
  catalog_source: choice(['pim'], { about: 'Where catalogs come from.' }),
  product_types: words('What it is: standard, parent, child or bundle.'),
  language: text({ about: 'The language of its texts; left out where they are as the merchant wrote them.' }),
  pricebook_id: reference('pricebook', { about: 'The price book that its price is from.' }),
  display_price: bag('The price in the currency that was asked for, with or without tax.'),
  original_price: bag('What it costs without the sale.'),
  original_display_price: bag('The same in the currency that was asked for.'),
  sale_id: text({ about: 'The name of the sale.' }),
  sale_expires: time('When the sale ends.'),
  tiers: bag('The display prices of tiers.'),
  price_modifiers: bag('What made the price of a child, by name.'),
  bread_crumbs: bag('The nodes that it is in: the way to each from its hierarchy.'),
  bread_crumb_nodes: words('The same nodes, those that it came to last first.'),
  variations: field({ type: 'array' }, { about: 'Of a parent: what its children differ in.' }),
  variation_matrix: bag('Of a parent: its children, by their options.'),
  child_option_ids: words('Of a child: its options.'),
  child_variations: field({ type: 'array' }, { about: 'Of a child: its option of each variation.' }),
  custom_relationships: words('The custom relationships that it has, by their slugs.'),
  bundle_configuration: bag('Of a bundle: what is chosen of it.'),
  component_products: bag('Of a bundle: what one of each that is chosen costs.'),
  component_product_data: bag('Of a bundle that a shopper configures: the products that are chosen.'),
  alternative_prices: field(
    { type: 'array' },
    { about: 'What it costs by the catalog’s own price books, where a rule names others in their place.' },
  ),
  available_prices: field({ type: 'array' }, { about: 'For the merchant: what each price book says of it.' }),
  available_pricebook_ids: words('For the merchant: the price books that have a price of it.'),
  explanation: bag('Why the price is what it is, where `Prefer: explain` asks for it.'),
}

/** Which of a list has one of these tags, which are kept in small letters. Every scope begins with the catalog. */
const tagged: FilterRule = {
  ops: ['eq'],
  type: 'text',
  where: (_op, values, bind) =>
    '(id, since) IN (SELECT t.id, t.since FROM published_texts t WHERE t.store_id = $1 AND t.catalog_id = $2::uuid ' +
    `AND t.value_ids && ${bind(values.map((value) => valueId('tags', value.toLowerCase())))}::bigint[])`,
}

const product = {
  type: 'product',
  about: 'A product as shoppers see it: as it was published, at the price of this moment.',
  table: 'published_products',
  fields,
  // Worked out for all of a page: see show-products.ts.
  meta: { fields: meta, of: () => ({}) as never },
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
  ignoresSort: true,
  offsetMax: 10_000,
  editions: true,
  area: 'catalog',
  visible: 'all',
  envelope: storefrontEnvelope,
  operations: [],
} as const

/** Any product that is published, also what only a bundle leads to. */
export const publishedProducts: Resource = resource({
  ...product,
  noun: ['published-product', 'published-products'],
  path: '/catalog/products',
  scope: { columns: ['catalog_id'] },
})

/** All products of a catalog. */
export const productsOfCatalog: Resource = resource({
  ...product,
  noun: ['product-of-catalog', 'products-of-catalog'],
  path: '/catalog/products',
  scope: { columns: ['listed_in'] },
})

/** Those of a node, or of any node of a hierarchy. */
export const productsOfNode: Resource = resource({
  ...product,
  noun: ['product-of-node', 'products-of-node'],
  path: '/catalog/nodes/:node_id/relationships/products',
  table: 'products_of_nodes',
  scope: { columns: ['catalog_id', 'node_id'] },
  order: {
    by: '-place',
    about: 'the curated ones first, in their order; then those that were changed most recently',
  },
})

/** The children of a product. */
export const productsOfParent: Resource = resource({
  ...product,
  noun: ['child-of-product', 'children-of-product'],
  path: '/catalog/products/:product_id/relationships/children',
  scope: { columns: ['catalog_id', 'parent_id'] },
})

/** Those that a product leads to, with the name that it leads to them by. */
const related = `(
  SELECT p.*, r.product_id AS leads_from, r.since AS leads_since, r.name AS leads_by, r.place
  FROM published_relations r JOIN published_products p
    ON p.store_id = r.store_id AND p.catalog_id = r.catalog_id AND p.id = r.id) published_related`

/** Those that a product leads to, by a custom relationship. */
export const productsOfRelationship: Resource = resource({
  ...product,
  noun: ['related-product', 'related-products'],
  path: '/catalog/products/:product_id/relationships/:slug/products',
  table: related,
  scope: { columns: ['catalog_id', 'leads_from'] },
  order: { by: 'place', about: 'in the order that the merchant gave them' },
  counted: false,
})

/** Which of them: by this name, from the row of the product that is true in the edition. Options need not be listed. */
export const leadingBy = (name: string, since: number) => (bind: (value: unknown) => string) =>
  `leads_by = ${bind(name)} AND leads_since = ${bind(since)}::int` +
  (name === componentProducts ? '' : ' AND listed_in IS NOT NULL')
