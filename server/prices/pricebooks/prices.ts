import { action } from '../../kernel/declare/action.ts'
import { listing } from '../../kernel/declare/listing.ts'
import { type Resource, resource } from '../../kernel/declare/resource.ts'
import { longText } from '../../kernel/query/long-text.ts'
import { list } from '../../kernel/request/operations.ts'
import { text } from '../../kernel/shape/fields.ts'
import { type Draft, indexed, walks } from '../../kernel/shape/model.ts'
import { ownerMeta } from '../../store/index.ts'
import { currenciesField, salesField, wordsField } from './currencies-field.ts'
import { completeCurrencies, completeSales } from './must-be-sellable.ts'
import { conflict, externalRef, pricebookEnvelope } from './pricebook-fields.ts'
import { pricebooks } from './pricebooks.ts'

const fields = {
  sku: text({ required: true, min: 1, max: 500, about: 'The SKU of the product.', example: 'LOAF-RYE' }),
  currencies: currenciesField(
    'The unit price, by currency, and unit prices for larger quantities (`tiers`).',
  ),
  sales: salesField,
  external_ref: externalRef,
  admin_attributes: wordsField('Text that only the merchant sees, by key.'),
  shopper_attributes: wordsField('Text that shoppers see too, by key.'),
  // The address of the list of all prices does not name the price book.
  pricebook_id: text({ format: 'uuid', hidden: true, readOnly: true }),
}
type PriceFields = typeof fields

export const prices: Resource<PriceFields> = resource({
  type: 'product-price',
  noun: ['price', 'prices'],
  about: 'The price of a SKU in one price book: amounts by currency, sales, and tiers for larger quantities.',
  path: '/pcm/pricebooks/:pricebook_id/prices',
  parent: () => pricebooks,
  table: 'prices',
  fields,
  filter: {
    ...walks,
    sku: indexed('eq'),
    external_ref: {
      ops: ['eq'],
      type: 'text',
      where: (_op, refs, bind) => {
        const values = refs.map(bind)
        const hashes = values.map((value) => `md5(${value})`)
        return `md5(external_ref) IN (${hashes.join(', ')}) AND external_ref IN (${values.join(', ')})`
      },
    },
  },
  sort: ['created_at', 'id', 'updated_at'],
  area: 'pricebooks',
  envelope: pricebookEnvelope,
  meta: {
    fields: {
      ...ownerMeta.fields,
      pricebook_id: text({ format: 'uuid', about: 'The price book of the price.' }),
    },
    of: ({ hidden }) => ({ owner: 'store', pricebook_id: hidden.pricebook_id }),
  },
  refusedWith: 422,
  closed: true,
  beforeWrite: completePrice,
  constraints: {
    prices_sku_key: { ...conflict, detail: 'The price already exists', source: 'data.attributes.sku' },
    prices_external_ref_key: {
      ...conflict,
      detail: 'The price already exists: another price of the price book has this external_ref.',
      source: 'data.attributes.external_ref',
    },
  },
})

/** The prices of all price books. */
const pricesOfStore = listing(prices, {
  noun: ['price-of-any-pricebook', 'prices-of-all-pricebooks'],
  scope: { columns: ['prices_of'] },
  filter: { sku: indexed('eq', 'like'), external_ref: longText('external_ref', 'eq', 'like') },
})

function completePrice(_work: unknown, { values, scope }: Draft<PriceFields>): void {
  values.pricebook_id = scope[0]
  values.currencies = completeCurrencies(values.currencies, 'data.attributes.currencies')
  if (values.sales) values.sales = completeSales(values.sales, 'data.attributes.sales')
}

export const listAllPrices = action({
  name: 'list-all-prices',
  route: 'GET /pcm/pricebooks/prices',
  about: 'Lists the prices of all price books, a page at a time, newest first.',
  area: 'pricebooks',
  status: 200,
  shows: { resource: prices, page: true, rows: [pricesOfStore] },
  run: (ctx, call) => list(ctx, pricesOfStore, [ctx.store.id], call),
})
