import { matchingText } from '../extensions/index.ts'
import { productsWhere } from '../flows/index.ts'
import { longText } from '../kernel/query/long-text.ts'
import { type FilterRule, indexed, walks } from '../kernel/shape/model.ts'

type Bind = (value: unknown) => string

/**
 * The products of these ids. Where nothing else is asked, they are looked up in the key, in its order, however few or
 * many the planner takes them for: it knows little of the values of one store. Among other conditions each product
 * might be compared with all of an array.
 */
const withIds = (ids: string, alone: boolean): string =>
  alone ? `products.id = ANY(ARRAY(${ids}))` : `products.id IN (${ids})`

/** The ids of the products with an index row that meets the condition. */
const idsByValue = (name: string, condition: string, bind: Bind): string =>
  `SELECT v.product_id FROM product_values v WHERE v.store_id = $1 AND v.name = ${bind(name)} AND ${condition}`

/** Tags are kept in small letters. */
const tagged: FilterRule = {
  ops: ['eq', 'like'],
  type: 'text',
  where: (op, values, bind, _part, alone) => {
    const wanted = values.map((value) => value.toLowerCase())
    return withIds(idsByValue('tags', matchingText(op, wanted, bind), bind), alone)
  },
}

const withAttribute = (of: string): FilterRule => ({
  ops: ['eq'],
  type: 'text',
  part: /^/,
  where: (op, values, bind, key, alone) =>
    withIds(idsByValue(`${of}.${key}`, matchingText(op, values, bind), bind), alone),
})

/** By the slug of a template and that of its field: slugs of templates may have points, those of fields have none. */
const withExtension: FilterRule = {
  ops: ['eq'],
  type: 'text',
  part: /^.+\.[^.]+$/,
  where: (op, values, bind, part, alone) => {
    const at = part.lastIndexOf('.')
    const found = productsWhere(part.slice(0, at), part.slice(at + 1), op as 'eq' | 'in', values, bind)
    return withIds(found, alone)
  },
}

/** By the ids of flows. */
const withTemplate: FilterRule = {
  ops: ['eq'],
  type: 'uuid',
  where: (_op, values, bind, _part, alone) =>
    withIds(
      `SELECT t.product_id FROM product_templates t WHERE t.store_id = $1 AND t.id = ANY(${bind(values)}::uuid[])`,
      alone,
    ),
}

/** Whether a product is in some node. */
const inSomeNode: FilterRule = {
  ops: ['eq'],
  type: 'boolean',
  where: (_op, values, _bind, _part, alone) => {
    if (values.includes('true') && values.includes('false')) return 'true'
    return values.includes('true')
      ? withIds('SELECT n.id FROM node_products n WHERE n.store_id = $1', alone)
      : 'NOT EXISTS (SELECT FROM node_products n WHERE n.store_id = $1 AND n.id = products.id)'
  },
}

const partNumber: FilterRule = { ...indexed('eq', 'like'), column: 'mpn', type: 'text' }

/** What a list of products may be filtered by. */
export const productFilters = {
  ...walks,
  name: indexed('eq', 'like'),
  sku: { ...indexed('eq', 'like'), caseless: 'like' },
  slug: indexed('eq', 'like'),
  upc_ean: indexed('eq', 'like'),
  manufacturer_part_num: partNumber,
  mpn: partNumber,
  external_ref: longText('external_ref', 'eq', 'like', 'gt', 'ge', 'lt', 'le'),
  description: longText('description'),
  status: indexed('eq'),
  commodity_type: indexed('eq'),
  product_types: { ...indexed('eq'), column: 'product_type', type: 'text' },
  parent_id: { ...indexed('eq'), type: 'uuid' },
  // All that a store has are its own.
  owner: { ops: ['eq'], type: 'text', column: `'store'::text` },
  tags: tagged,
  templates: withTemplate,
  has_nodes: inSomeNode,
  'extensions.*': withExtension,
  'admin_attributes.*': withAttribute('admin_attributes'),
  'shopper_attributes.*': withAttribute('shopper_attributes'),
} satisfies Record<string, FilterRule | readonly string[]>
