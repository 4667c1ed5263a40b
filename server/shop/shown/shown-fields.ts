import { componentsOf, products, shownVariations, variationMatrix } from '../../assortment/index.ts'
import { withExtensions } from '../../fields/index.ts'
import {
  choice,
  flag,
  group,
  integer,
  list,
  map,
  reference,
  type ShownValues,
  text,
} from '../../kernel/shape/fields.ts'
import { priceAttributes, priceMeta, priceTrace, salesField, words } from '../../prices/index.ts'
import { linkField, present, referenceField } from './shown-members.ts'

/** The answer for a product. The API document and the types follow from these fields. */

const names = (about: string) => list(text({}), { about, maxItems: Infinity })
const time = (about: string) => text({ format: 'date-time', about })

const of = products.fields

export const productAttributes = {
  name: present(of.name),
  description: present(of.description),
  sku: present(of.sku),
  slug: present(of.slug),
  status: choice(['live'], { about: 'Always `live`: drafts are not published.' }),
  commodity_type: present(of.commodity_type),
  upc_ean: present(of.upc_ean),
  manufacturer_part_num: present(of.mpn),
  external_ref: of.external_ref,
  tags: present(of.tags),
  base_product: flag({ about: 'Whether the product is a parent.' }),
  base_product_id: reference('product', { about: 'Children only: the parent.' }),
  ...priceAttributes,
  components: componentsOf({
    product_should_be_substituted_with_child: flag({
      about: 'Whether the option is a parent: a shopper chooses one of its children.',
    }),
  }),
  custom_inputs: present(of.custom_inputs),
  extensions: withExtensions.fields.extensions,
  shopper_attributes: words('Text from the merchant to shoppers, by key.'),
  curated_product: flag({ about: 'Whether the product is curated in the listed node.' }),
  created_at: time('The time of creation.'),
  updated_at: time('The time of the last change.'),
  published_at: time('When it was first published in this form.'),
}

export const productRelationships = {
  parent: referenceField('product', { about: 'Children only: the parent.' }),
  children: linkField('self', 'Parents only: the list of the children.'),
  files: group(
    {
      data: list(
        group(
          {
            type: choice(['file'], { required: true }),
            id: reference('file', { required: true }),
            created_at: text({ required: true, format: 'date-time' }),
          },
          {},
        ),
        { required: true },
      ),
    },
    { about: 'Its files.' },
  ),
  main_image: referenceField('main_image', { about: 'Its main image.' }),
  component_products: linkField('self', 'Bundles only: the list of the options.'),
  custom_relationships: group(
    { links: map(text({}), { required: true }) },
    { about: 'The lists of related products, by custom relationship.' },
  ),
}

/** How many of each option, by component. */
const selectedOptions = map(map(integer({}), { maxKeys: Infinity }), { required: true, maxKeys: Infinity })

const unitPrice = group(
  {
    price: priceAttributes.price,
    ...priceMeta,
    alternative_prices: alternativePrices('The price by the catalog’s own price books.'),
  },
  {},
)

function alternativePrices(about: string) {
  const { display_price, original_price, original_display_price, sale_id, sale_expires, pricebook_id } =
    priceMeta
  const displayed = { display_price, original_price, original_display_price }
  const one = group(
    {
      name: text({ required: true }),
      pricebook_id,
      ...displayed,
      sale_id,
      sale_expires,
      price: { ...priceAttributes.price, options: { required: true } },
      tiers: map(
        group({ price: { ...priceAttributes.price, options: { required: true } }, ...displayed }, {}),
        {},
      ),
      shopper_attributes: priceAttributes.shopper_attributes,
    },
    {},
  )
  return list(one, { about })
}

const amount = group({ amount: integer({ required: true }), includes_tax: flag({ required: true }) }, {})

const availablePrice = group(
  {
    pricebook_id: reference('pricebook', { required: true }),
    price: map(amount, { required: true }),
    tiers: map(
      group({ minimum_quantity: integer({ required: true }), price: map(amount, { required: true }) }, {}),
      {},
    ),
    sales: { ...salesField, options: { about: 'The sales of the price.' } },
    shopper_attributes: priceAttributes.shopper_attributes,
  },
  {},
)

export const productMeta = {
  catalog_id: reference('catalog', { about: 'The catalog that the product is shown in.' }),
  catalog_source: choice(['pim'], { about: 'The source of the catalog.' }),
  product_types: list(choice(['standard', 'parent', 'child', 'bundle'], {}), {
    about: 'The type of the product.',
  }),
  language: text({ about: 'The language of its texts. Absent if they are not translated.' }),
  ...priceMeta,
  bread_crumbs: map(list(text({ format: 'uuid' }), {}), {
    maxKeys: Infinity,
    about: 'The path from its hierarchy to each node of the product, by the id of the node.',
  }),
  bread_crumb_nodes: names('The ids of these nodes, most recently added first.'),
  variations: list(shownVariations.ofParent, {
    about: 'Parents only: the variations in which the children differ.',
  }),
  variation_matrix: variationMatrix,
  child_option_ids: names('Children only: the options.'),
  child_variations: list(shownVariations.ofChild, { about: 'Children only: the option of each variation.' }),
  custom_relationships: names('The slugs of its custom relationships.'),
  bundle_configuration: group(
    { selected_options: selectedOptions },
    { about: 'Bundles only: how many of each option are selected, by component.' },
  ),
  component_products: map(unitPrice, {
    maxKeys: Infinity,
    about: 'Bundles only: the unit price of each selected option, by the id of the option.',
  }),
  alternative_prices: alternativePrices(
    'The price by the catalog’s own price books, if a rule replaces them.',
  ),
  available_prices: list(availablePrice, {
    maxItems: Infinity,
    about: 'For the merchant: the price of each price book.',
  }),
  available_pricebook_ids: names('For the merchant: the price books that have a price for the product.'),
  explanation: group(
    {
      price: priceTrace('How the price was found.'),
      component_products: map(priceTrace(''), {
        maxKeys: Infinity,
        about: 'How the prices of the selected options were found.',
      }),
      no_price: group(
        { verdict: text({ required: true }), detail: text({ required: true }) },
        { about: 'Why the product has no price in the currency of the shopper.' },
      ),
    },
    { about: 'Why the price is what it is. Present if the request has `Prefer: explain`.' },
  ),
}

type ShownAttributes = ShownValues<typeof productAttributes>
type ShownMeta = ShownValues<typeof productMeta>

/** A product as shoppers see it. */
export interface ShownProduct {
  readonly type: 'product'
  readonly id: string
  readonly attributes: ShownAttributes
  readonly meta: ShownMeta & {
    readonly component_product_data?: Readonly<Record<string, ShownProduct>>
  }
  readonly relationships: ShownValues<typeof productRelationships>
}
