import { singleton } from '../../kernel/declare/singleton.ts'
import { Problem } from '../../kernel/errors.ts'
import { choice, flag, group, integer } from '../../kernel/shape/fields.ts'

const off = flag({ default: false })

export const settingsMeta = group({ owner: choice(['store'], {}) }, { about: 'The owner of the settings.' })

export const cartSettings = singleton({
  name: 'cart-settings',
  type: 'settings',
  about: 'The cart settings of the store: when carts expire, and which kind of discount applies.',
  path: '/v2/settings/cart',
  area: 'settings',
  operations: ['get', 'update'],
  fields: {
    cart_expiry_days: integer({
      default: 7,
      min: 1,
      max: 365,
      about: 'The number of days after which an unchanged cart expires.',
    }),
    discounts: group(
      { custom_discounts_enabled: off, use_rule_promotions: off },
      { default: {}, about: 'Which discounts carts accept: custom discounts or rule promotions, not both.' },
    ),
    inventories: group(
      { defer_inventory_check: off },
      { default: {}, about: 'When carts check stock: with `defer_inventory_check` only at checkout.' },
    ),
    show_all_carts: flag({
      default: true,
      about: 'Whether lists of carts include the carts of all channels.',
    }),
    shoppers_add_custom_items: flag({
      default: true,
      about:
        'Whether shoppers can add custom items, at prices of their own. A custom item with the SKU of a product is refused to shoppers in any case.',
    }),
    shoppers_set_cart_attributes: flag({
      default: true,
      about:
        'Whether shoppers can set the custom attributes of a cart. Rule promotions can test these, so shoppers can then fulfil such a condition by saying so.',
    }),
    shoppers_see_snapshots: flag({
      default: false,
      about:
        'Whether shoppers can use carts with a `snapshot_date`. These show sales and promotions that have not begun.',
    }),
    shoppers_set_order_references: flag({
      default: false,
      about: 'Whether shoppers can set `order_number` and `external_ref` at the checkout.',
    }),
  },
  check: ({ discounts }) => {
    if (discounts.custom_discounts_enabled && discounts.use_rule_promotions) {
      throw new Problem('unprocessable', 'Only one discount setting can be set to true at a time.', {
        title: 'Cannot use both discounts together',
        source: 'data.discounts',
      })
    }
  },
  shows: { beside: { meta: settingsMeta } },
  show: (_ctx, values) => ({ data: { type: 'settings', ...values }, meta: { owner: 'store' } }),
})
