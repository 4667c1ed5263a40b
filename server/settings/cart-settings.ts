import { Problem } from '../kernel/errors.ts'
import { flag, integer, object } from '../kernel/fields.ts'
import { singleton } from '../kernel/singleton.ts'

interface Discounts {
  readonly custom_discounts_enabled?: boolean
  readonly use_rule_promotions?: boolean
}

const flags = (...names: readonly string[]) => ({
  properties: Object.fromEntries(names.map((name) => [name, { type: 'boolean' }])),
})

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
    discounts: object<Discounts, { default: Discounts; about: string }>(
      flags('custom_discounts_enabled', 'use_rule_promotions'),
      {
        default: { custom_discounts_enabled: false, use_rule_promotions: false },
        about: 'Custom discounts or rule promotions; not both.',
      },
    ),
    inventories: object<{ defer_inventory_check?: boolean }, { default: object; about: string }>(
      flags('defer_inventory_check'),
      { default: { defer_inventory_check: false }, about: 'Whether stock is checked at checkout only.' },
    ),
    show_all_carts: flag({ default: true, about: 'Whether a list of carts shows those of all channels.' }),
  },
  check: ({ discounts }) => {
    if (discounts?.custom_discounts_enabled && discounts.use_rule_promotions) {
      throw new Problem('unprocessable', 'Only one discount setting can be set to true at a time.', {
        title: 'Cannot use both discounts together',
        source: 'data.discounts',
      })
    }
  },
  show: (_ctx, values) => ({ data: { type: 'settings', ...values }, meta: { owner: 'store' } }),
})
