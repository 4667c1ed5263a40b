import { matchingText, productsWhere } from '../../fields/index.ts'
import { longText } from '../../kernel/query/long-text.ts'
import { type FilterRule, indexed, walks } from '../../kernel/shape/model.ts'
import type { Binds } from '../../kernel/storage/binds.ts'

/**
 * The products with these ids. If the filter stands alone, the array makes PostgreSQL look them up in the primary key.
 * Its estimates are poor here, because it knows little about the values of one store. Beside other conditions it might
 * compare each product with the whole array.
 */
const hasIdSql = (ids: string, alone: boolean): string =>
  alone ? `products.id = ANY(ARRAY(${ids}))` : `products.id IN (${ids})`

/** The ids of the products with an index row that meets the condition. */
const idsByValueSql = (name: string, condition: string, bind: Binds['bind']): string =>
  `SELECT v.product_id FROM product_values v WHERE v.store_id = $1 AND v.name = ${bind(name)} AND ${condition}`

/** Tags are stored in lower case. */
const byTag: FilterRule = {
  ops: ['eq', 'like', 'ilike'],
  type: 'text',
  where: (op, values, bind, _part, alone) => {
    const lowerCase = values.map((value) => value.toLowerCase())
    const condition = matchingText(op === 'ilike' ? 'like' : op, lowerCase, bind)
    return hasIdSql(idsByValueSql('tags', condition, bind), alone)
  },
}

const byAttribute = (of: string): FilterRule => ({
  ops: ['eq'],
  type: 'text',
  part: /^/,
  where: (op, values, bind, key, alone) =>
    hasIdSql(idsByValueSql(`${of}.${key}`, matchingText(op, values, bind), bind), alone),
})

/** By the slugs of a template and its field. Only slugs of templates may contain dots. */
const byExtension: FilterRule = {
  ops: ['eq'],
  type: 'text',
  part: /^.+\.[^.]+$/,
  where: (op, values, bind, part, alone) => {
    const at = part.lastIndexOf('.')
    const ids = productsWhere(part.slice(0, at), part.slice(at + 1), op as 'eq' | 'in', values, bind)
    return hasIdSql(ids, alone)
  },
}

/** By the ids of flows. */
const byTemplate: FilterRule = {
  ops: ['eq'],
  type: 'uuid',
  where: (_op, values, bind, _part, alone) =>
    hasIdSql(
      `SELECT t.product_id FROM product_templates t WHERE t.store_id = $1 AND t.id = ANY(${bind(values)}::uuid[])`,
      alone,
    ),
}

/** Whether a product is in some node. */
const byNode: FilterRule = {
  ops: ['eq'],
  type: 'boolean',
  where: (_op, values, _bind, _part, alone) => {
    if (values.includes('true') && values.includes('false')) return 'true'
    return values.includes('true')
      ? hasIdSql('SELECT n.id FROM node_products n WHERE n.store_id = $1', alone)
      : 'NOT EXISTS (SELECT FROM node_products n WHERE n.store_id = $1 AND n.id = products.id)'
  },
}

const partNumber: FilterRule = { ...indexed('eq', 'like', 'ilike'), column: 'mpn', type: 'text' }

/** The filters of a list of products. */
export const productFilters = {
  ...walks,
  name: indexed('eq', 'like', 'ilike'),
  sku: { ...indexed('eq', 'like', 'ilike'), caseless: 'like' },
  slug: indexed('eq', 'like', 'ilike'),
  upc_ean: indexed('eq', 'like', 'ilike'),
  manufacturer_part_num: partNumber,
  mpn: partNumber,
  external_ref: longText('external_ref', 'eq', 'like', 'ilike', 'gt', 'ge', 'lt', 'le'),
  description: longText('description', 'eq', 'like', 'ilike'),
  status: indexed('eq'),
  commodity_type: indexed('eq'),
  product_types: { ...indexed('eq'), column: 'product_type', type: 'text' },
  parent_id: { ...indexed('eq'), type: 'uuid' },
  // A store has only products of its own.
  owner: { ops: ['eq'], type: 'text', column: `'store'::text` },
  tags: byTag,
  templates: byTemplate,
  has_nodes: byNode,
  'extensions.*': byExtension,
  'admin_attributes.*': byAttribute('admin_attributes'),
  'shopper_attributes.*': byAttribute('shopper_attributes'),
} satisfies Record<string, FilterRule | readonly string[]>
