import { singleton } from '../kernel/declare/singleton.ts'
import { Problem } from '../kernel/errors.ts'
import { choice, flag, group, integer } from '../kernel/shape/fields.ts'

const off = flag({ default: false })

export const ownerMeta = group({ owner: choice(['store'], {}) }, { about: 'The owner of the settings.' })

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
  },
  check: ({ discounts }) => {
    if (discounts.custom_discounts_enabled && discounts.use_rule_promotions) {
      throw new Problem('unprocessable', 'Only one discount setting can be set to true at a time.', {
        title: 'Cannot use both discounts together',
        source: 'data.discounts',
      })
    }
  },
  shows: { beside: { meta: ownerMeta } },
  show: (_ctx, values) => ({ data: { type: 'settings', ...values }, meta: { owner: 'store' } }),
})
