import { singleton } from '../kernel/declare/singleton.ts'
import { Problem } from '../kernel/errors.ts'
import { choice, flag, group, integer } from '../kernel/shape/fields.ts'

const off = flag({ default: false })

export const ownerMeta = group({ owner: choice(['store'], {}) }, { about: 'Who set them.' })

export const cartSettings = singleton({
  name: 'cart-settings',
  type: 'settings',
  about: 'How carts of the store behave: when they expire, and which kind of discount they take.',
  path: '/v2/settings/cart',
  area: 'settings',
  operations: ['get', 'update'],
  fields: {
    cart_expiry_days: integer({
      default: 7,
      min: 1,
      max: 365,
      about: 'Days after which an untouched cart is gone.',
    }),
    discounts: group(
      { custom_discounts_enabled: off, use_rule_promotions: off },
      { default: {}, about: 'Custom discounts or rule promotions; not both.' },
    ),
    inventories: group(
      { defer_inventory_check: off },
      { default: {}, about: 'Whether stock is checked at checkout only.' },
    ),
    show_all_carts: flag({ default: true, about: 'Whether a list of carts shows those of all channels.' }),
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
