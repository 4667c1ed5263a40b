import { field } from '../../kernel/shape/fields.ts'
import type { RuleSet } from '../discounts/rules/rule-document.ts'
import { charactersMax, object } from '../standard/promotion-document.ts'
import { operators, treeKinds } from './check-nodes.ts'

/** The shape of `rule_set`. What conditions and arguments may be is in `check-rule-set.ts`. */

const count = (description: string) => ({
  ...{ type: ['integer', 'null'], minimum: 1, maximum: 1_000_000_000 },
  description,
})
const flag = (description: string) => ({ type: ['boolean', 'null'], description })

/** Their own conditions are described in words: `check-nodes.ts` checks them, and stops at the limits. */
const conditionMembers = (strategies: readonly string[]) => ({
  strategy: { type: 'string', enum: strategies, description: 'The kind of condition.' },
  operator: { type: ['string', 'null'], enum: [...operators, null], description: 'How it compares.' },
  args: {
    ...{ type: ['array', 'null'], items: { description: 'A text, a number or an object.' } },
    description: 'What it compares with.',
  },
  children: {
    ...{ type: ['array', 'null'], maxItems: 500, items: { description: 'A condition.' } },
    description: 'Further conditions, for the same items.',
  },
})

const tree = (strategies: readonly string[], description: string) => ({
  type: ['object', 'array', 'null'],
  required: ['strategy'],
  properties: conditionMembers(strategies),
  maxItems: 500,
  items: object(conditionMembers(strategies), 'strategy'),
  description: `${description} A list of conditions stands for \`and\`. A promotion has at most 500 in all, in at most 10 levels.`,
})

const limitations = object({
  max_discount: {
    ...{ type: ['integer', 'null'], minimum: 0, maximum: 1_000_000_000_000 },
    description: 'The most that the action takes off a cart.',
  },
  max_quantity: count('How many units of each item are discounted.'),
  items: {
    ...object({
      max_items: count('How many items are discounted.'),
      max_units: count('How many units of all items are discounted.'),
      price_strategy: {
        enum: ['cheapest', 'expensive', null],
        description: 'Which items these are; by default the cheapest.',
      },
      auto_add: flag(
        'Whether the server adds the items; only if the promotion is automatic and takes 100 percent.',
      ),
      show_suggestions: flag('Whether the cart suggests the items that it lacks.'),
    }),
    type: ['object', 'null'],
  },
})

export const ruleSetField = field<RuleSet>(
  object(
    {
      catalog_ids: {
        ...{ type: ['array', 'null'], maxItems: 100, items: { type: 'string', format: 'uuid' } },
        description: 'The catalogs whose items take part; by default all items, also custom ones.',
      },
      currencies: {
        ...{ type: ['array', 'null'], maxItems: 50, items: { type: 'string', pattern: '^[A-Z]{3}$' } },
        description: 'The currencies of the carts that the promotion is for; by default any.',
      },
      rules: tree(treeKinds.rules, 'What a cart must be like; by default any cart.'),
      actions: {
        type: 'array',
        minItems: 1,
        maxItems: 20,
        items: object(
          {
            strategy: {
              enum: [
                ...['cart_discount', 'item_discount', 'items_bundle_discount', 'item_bundle_discount'],
                'shipping_discount',
              ],
            },
            args: {
              ...{ type: 'array', minItems: 2, maxItems: 3, items: { type: ['string', 'number'] } },
              description:
                '`["fixed", amount]`, `["percent", percentage]`, `["fixed_price", amount]` or `["fixed_price", units, amount]`.',
            },
            condition: tree(
              [...treeKinds.condition, 'shipping_type'],
              'Which items the action is for; for shipping, the `shipping_type`.',
            ),
            limitations: { ...limitations, type: ['object', 'null'] },
          },
          'strategy',
          'args',
        ),
        description: 'What the promotion takes off.',
      },
    },
    'actions',
  ),
  {
    required: true,
    about: `What a cart must be like, and what the promotion takes off. An update replaces all of it. At most ${charactersMax} characters of JSON.`,
    example: {
      rules: { strategy: 'cart_total', operator: 'gte', args: [10_000] },
      actions: [{ strategy: 'cart_discount', args: ['percent', 20] }],
    },
  },
)
