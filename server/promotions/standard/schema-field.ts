import { field, type JsonSchema } from '../../kernel/shape/fields.ts'
import type { StandardSchemas, StandardType } from '../discounts/standard/standard-document.ts'
import { currencyCode, promotionAmount } from './amounts-field.ts'
import { charactersMax, object } from './promotion-document.ts'

/** The shape of `schema`. Which members a type of promotion has is in `check-schema.ts`. */

export type StandardSchema = StandardSchemas[StandardType]

const listOf = (items: JsonSchema, maxItems: number, minItems = 0) => ({
  ...{ type: 'array', maxItems, items },
  ...(minItems && { minItems }),
})
const optional = (schema: JsonSchema): JsonSchema => ({ ...schema, type: [schema.type, 'null'] })

const name = { type: 'string', minLength: 1, maxLength: 255 } as const
const id = { type: 'string', format: 'uuid' } as const
const count = { type: 'integer', minimum: 1, maximum: 1_000_000_000 } as const
const percentage = { type: 'number', minimum: 0, maximum: 100 } as const
const scalars = ['string', 'number', 'boolean']
/** One value, or several of which any will do. */
const values = {
  ...{ type: [...scalars, 'array'], maxLength: 255, maxItems: 100 },
  items: { type: scalars, maxLength: 255 },
} as const

const attributeMembers = {
  template: { ...name, description: 'The template, such as `products(shoes)`.' },
  field: { ...name, description: 'The slug of the field.' },
  type: { enum: ['string', 'integer', 'boolean', 'float', 'date'] },
  value: values,
  values,
} as const
const attribute = object(attributeMembers, 'template', 'field', 'type')
const products = (about: string) => ({ ...listOf(name, 1000), description: about })
const nodes = listOf(id, 1000)
const attributes = listOf(object({ ...attributeMembers, attribute }), 100)
const condition = object({ node: object({ values: listOf(id, 1000, 1) }, 'values'), attribute })
const conditions = object({ or: listOf(object({ and: listOf(condition, 50, 1) }, 'and'), 50, 1) }, 'or')

const about = (description: string, schema: JsonSchema): JsonSchema => ({ ...optional(schema), description })

const members = {
  target_catalogs: about('The catalogs whose items take part; by default all.', listOf(id, 100)),
  targets: about(
    'The products that the discount is for, by SKU or id; `["all"]` is for all products. An item takes part if any of the ' +
      'members `targets`, `target_nodes`, `target_attributes` and `target_conditions` names it.',
    listOf(name, 1000),
  ),
  target_nodes: about('The products in these nodes and below them. Not beside `["all"]`.', nodes),
  target_attributes: about('The products whose template field has one of these values.', attributes),
  target_conditions: about(
    'The products that meet all conditions of one of the lists: nodes, and values of template fields.',
    conditions,
  ),
  exclude: about(
    'The products that the promotion is not for, although `targets` and the like name them.',
    object({
      targets: optional(products('By SKU or id.')),
      nodes: optional(nodes),
      attributes: optional(attributes),
      conditions: optional(conditions),
    }),
  ),
  currencies: about(
    'An `amount` or a `percentage` for each currency. The promotion applies to carts in these currencies only. The amount of ' +
      'a `bundle_fixed_discount` is the price of the bundle.',
    listOf(object({ currency: currencyCode, amount: promotionAmount, percentage }, 'currency'), 50, 1),
  ),
  percent: about('For `item_percent_discount`: the percentage in every currency.', percentage),
  x: about('For `x_for_y` and `x_for_amount`: the size of a set.', count),
  y: about('For `x_for_y`: how many units of a set are paid.', { ...count, minimum: 0 }),
  requirements: about(
    'For bundles and gifts: some units of any of the products of each entry.',
    listOf(object({ targets: { ...listOf(name, 1000, 1) }, quantity: count }, 'targets', 'quantity'), 50, 1),
  ),
  gifts: about('The products that are free, by SKU or id: one unit of each.', listOf(name, 50, 1)),
  auto_add_free_gift: about('Whether the server adds the gifts to the cart.', { type: 'boolean' }),
} as const

export type SchemaMember = keyof typeof members

export const schemaMembers = Object.keys(members) as readonly SchemaMember[]

export const schemaField = field<StandardSchema>(object(members), {
  required: true,
  about: `Which items the promotion is for, and what it takes off. An update replaces all of it. At most ${charactersMax} characters of JSON.`,
  example: { currencies: [{ currency: 'USD', amount: 500 }] },
})

/** A copy without members that the schema does not have, and without those that are null. */
export function keepMembers(value: unknown, schema: JsonSchema = schemaField.schema): unknown {
  if (Array.isArray(value)) return value.map((one) => keepMembers(one, schema.items as JsonSchema))
  if (typeof value !== 'object' || value === null || !schema.properties) return value
  const kept = Object.entries(schema.properties).flatMap(([name, member]) => {
    const has = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
    return has === undefined || has === null ? [] : [[name, keepMembers(has, member)]]
  })
  return Object.fromEntries(kept)
}
