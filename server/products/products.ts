import { choice, list, text } from '../kernel/fields.ts'
import { longText } from '../kernel/query/long-text.ts'
import { indexed, resource, walks } from '../kernel/resource.ts'
import { productEnvelope } from './envelope.ts'

const fields = {
  name: text({ required: true, min: 1, max: 1024, about: 'Shown to shoppers.', example: 'Rye loaf' }),
  commodity_type: choice(['physical', 'digital'], { required: true, about: 'Whether it is shipped.' }),
  sku: text({ nullable: true, min: 1, max: 1024, about: 'Unique in the store.', example: 'LOAF-RYE' }),
  slug: text({
    nullable: true,
    min: 1,
    max: 1024,
    pattern: /^[A-Za-z0-9._{}-]+$/,
    about: 'Its part of a web address; unique in the store.',
    example: 'rye-loaf',
  }),
  status: choice(['draft', 'live'], { default: 'draft', about: 'Whether shoppers may see it.' }),
  description: text({ nullable: true, about: 'Shown to shoppers.' }),
  upc_ean: text({ nullable: true, max: 255, about: 'The number of its bar code.' }),
  mpn: text({ nullable: true, max: 255, about: 'The number its maker gave it.' }),
  external_ref: text({ nullable: true, max: 2048, about: 'Its id in another system.' }),
  tags: list(text({ min: 1, max: 255, pattern: /^[^\s,]+$/ }), {
    maxItems: 20,
    about: 'To find and group it by.',
  }),
}

/** What is sold, as the merchant knows it. */
export const products = resource({
  type: 'product',
  noun: ['product', 'products'],
  about: 'What is sold, as the merchant knows it.',
  path: '/pcm/products',
  table: 'products',
  fields,
  filter: {
    ...walks,
    name: indexed('eq', 'like', 'in'),
    sku: indexed('eq', 'like', 'in'),
    slug: indexed('eq', 'like', 'in'),
    external_ref: longText('external_ref'),
  },
  sort: ['created_at', 'id', 'name', 'updated_at'],
  area: 'products',
  envelope: productEnvelope,
  constraints: {
    products_sku_key: {
      code: 'invalid_field',
      detail: 'Must be unique amongst products.',
      source: 'data.attributes.sku',
    },
    products_slug_key: {
      code: 'invalid_field',
      detail: 'Must be unique amongst products.',
      source: 'data.attributes.slug',
    },
  },
})
