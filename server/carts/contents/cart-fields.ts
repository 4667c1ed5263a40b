import { field, flag, group, integer, text, type Values } from '../../kernel/shape/fields.ts'
import type { Row, Whole } from '../../kernel/shape/model.ts'
import type { ShownProduct } from '../../shop/index.ts'
import type { Contents } from './contents.ts'
import { customAttributesField } from './custom-attributes.ts'
import type { PricedCart, PricedContents } from './priced-cart.ts'
import type { ShownContents, ShownTotals } from './shown-of.ts'

const hidden = { hidden: true, readOnly: true } as const

export const cartFields = {
  id: text({
    pattern: /^[A-Za-z0-9_-]{1,255}$/,
    immutable: true,
    about:
      'The id of the cart: chosen by the client, or a UUID. Everyone who knows the id of a cart can use it.',
    example: 'kitchen-tablet',
  }),
  name: text({
    min: 1,
    max: 255,
    pattern: /\S/,
    default: 'Cart',
    about: 'The name of the cart.',
    example: 'Saturday breakfast',
  }),
  description: text({ max: 65_535, default: '', about: 'A description of the cart.' }),
  contact: group(
    { email: text({ format: 'email', max: 320, about: 'The email address of the shopper.' }) },
    { about: 'The contact of a guest. A cart of a customer or an account has none.' },
  ),
  discount_settings: group(
    {
      custom_discounts_enabled: flag({
        about: 'Whether the cart takes custom discounts. Promotions then do not apply.',
      }),
      use_rule_promotions: flag({ about: 'Whether rule promotions apply to the cart.' }),
    },
    { about: 'The kind of discounts. Default: the cart settings of the store when the cart was created.' },
  ),
  inventory_settings: group(
    {
      defer_inventory_check: flag({ about: 'Whether stock is checked only at checkout.' }),
    },
    { about: 'When stock is checked. Default: the cart settings of the store when the cart was created.' },
  ),
  custom_attributes: customAttributesField(
    'Attributes of your own, with their types. An update replaces all of them. The order gets a copy.',
  ),
  payment_intent_id: text({ max: 255, about: 'The payment intent of the cart. The empty text removes it.' }),
  snapshot_date: text({
    format: 'date-time',
    about:
      'The instant for which the cart is priced, to preview it. It must be in the future when it is set, and cannot be removed. Such a cart cannot be checked out. Only sellers can use it, unless `shoppers_see_snapshots` of the cart settings lets shoppers.',
    example: '2031-12-24T18:00:00Z',
  }),
  /** What responses, lists, the feed and events have of the contents and the prices: see `shownOf`. */
  contents: field<ShownContents | undefined>({ type: 'object' }, hidden),
  priced: field<ShownTotals | undefined>({ type: 'object' }, hidden),
  /** The ids of the customers and accounts that the cart is associated with. */
  customers: field<readonly string[] | undefined>({ type: 'array' }, hidden),
  accounts: field<readonly string[] | undefined>({ type: 'array' }, hidden),
  /** The shopper whose prices the cart has, as far as the associations do not say so. */
  shopper: field<CartShopper | undefined>({ type: 'object' }, hidden),
  expiry_days: integer(hidden),
  /** Whether a payment of the cart sets its payment intent. */
  links_payment: flag({ ...hidden, stored: false }),
  /** Of a cart that does not exist yet: when it was read, to the hour. */
  read_at: text(hidden),
  /** What the request includes. */
  includes: field<Includes | undefined>({ type: 'object' }, { ...hidden, stored: false }),
}

/** What the last request of a shopper said about them. */
export interface CartShopper {
  readonly channel?: string | undefined
  readonly tags?: readonly string[] | undefined
}

export type CartFields = typeof cartFields
/** A cart as lists read it. */
export type CartRow = Row<CartFields>
/** A cart with its contents, and what they cost. */
export type Cart = Whole<CartFields, PricedContents>

/** The values of a cart, and what is in it. */
export interface CartValues extends Omit<Values<CartFields>, 'contents' | 'priced'> {
  readonly contents: Contents
  /** What the contents cost at the last change. Undefined before the first one. */
  readonly priced?: PricedCart | undefined
}

export const valuesOf = ({ doc, hidden, inside }: Cart): CartValues =>
  ({ ...doc, ...hidden, ...inside }) as CartValues

/** A cart whose contents are these. Its documents are parsed once. */
export const cartWith = (row: CartRow, inside: PricedContents): Cart => ({
  id: row.id,
  version: row.version,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  text: row.text,
  written: row.written,
  scope: row.scope,
  added: row.added,
  doc: row.doc,
  hidden: { ...row.hidden, ...inside } as Cart['hidden'],
  inside,
})

/** What a request includes. */
export interface Includes {
  readonly names: readonly string[]
  /** The selected products of the bundles, by id. */
  readonly componentProducts?: ReadonlyMap<string, ShownProduct> | undefined
  /** The promotions that apply to the cart, and not only to items. */
  readonly promotions: PricedCart['promotions']
}
