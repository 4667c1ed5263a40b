import { resource } from '../kernel/declare/resource.ts'
import { field, flag, group, integer, text } from '../kernel/shape/fields.ts'
import { type Row, walks } from '../kernel/shape/model.ts'
import { type Contents, emptyContents } from './contents.ts'
import { customAttributesField } from './custom-attributes.ts'
import { cartEnvelope } from './envelope.ts'
import { hiddenInLists } from './hidden-in-lists.ts'
import type { Includes } from './includes.ts'
import { mustBeOwnerOf, mustNotBeLast, ownedBy } from './owners.ts'
import { prepareCart, withSettings } from './prepare-cart.ts'
import type { PricedCart } from './priced-cart.ts'
import { cartMeta, metaOf } from './show-cart.ts'
import { cartRelationships, relationshipsOf } from './show-relationships.ts'
import type { CartSummary } from './summary.ts'

const hidden = { hidden: true, readOnly: true } as const

const fields = {
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
      'The instant for which the cart is priced, to preview it. It must be in the future when it is set, and cannot be removed. Such a cart cannot be checked out.',
    example: '2031-12-24T18:00:00Z',
  }),
  contents: field<Contents | undefined>({ type: 'object' }, hidden),
  priced: field<PricedCart | undefined>({ type: 'object' }, hidden),
  /** The ids of the customers and accounts that the cart is associated with. */
  customers: field<readonly string[] | undefined>({ type: 'array' }, hidden),
  accounts: field<readonly string[] | undefined>({ type: 'array' }, hidden),
  /** The shopper whose prices the cart has, as far as the associations do not say so. */
  shopper: field<CartShopper | undefined>({ type: 'object' }, hidden),
  expiry_days: integer(hidden),
  summary: field<CartSummary | undefined>({ type: 'object' }, hidden),
  /** The gateway of the payment intent. */
  payment_gateway: text(hidden),
  /** Of a cart that does not exist yet: when it was read, to the hour. */
  read_at: text(hidden),
  /** Never stored: what the request includes. */
  includes: field<Includes | undefined>({ type: 'object' }, hidden),
}

/** What the last request of a shopper said about them. */
export interface CartShopper {
  readonly channel?: string | undefined
  readonly tags?: readonly string[] | undefined
}

export type CartFields = typeof fields
export type CartRow = Row<CartFields>

/** What a shopper is about to buy. */
export const carts = resource({
  type: 'cart',
  noun: ['cart', 'carts'],
  about:
    'What a shopper is about to buy. A cart exists from its first write on; before that, any id reads as an empty cart. A cart expires when nothing has changed in it for some days.',
  path: '/v2/carts',
  table: 'carts',
  fields,
  addedUnder: 'carts',
  // Clients leave the type out.
  typeOptional: true,
  operations: ['create', 'update', 'delete'],
  filter: {
    ...walks,
    id: { ops: ['eq', 'in'], type: 'text', column: 'reference' },
    name: { ops: ['like', 'ilike'], caseless: 'like', indexed: true },
    account_ids: {
      ops: ['contains'],
      type: 'text',
      where: (_op, [id], bind) => ownedBy('accounts', bind(JSON.stringify([id]))),
    },
  },
  sort: ['created_at', 'updated_at'],
  order: '-updated_at',
  offsetMax: 10_000,
  area: 'carts',
  envelope: cartEnvelope,
  key: { field: 'id', where: (name, bind) => `reference = ${bind(name)}` },
  expires: 'expires_at',
  // Who knows the id of a cart may read it: see owners.ts.
  visible: 'all',
  unborn: withSettings,
  computed: true,
  personal: ['customer_id'],
  hiddenInLists,
  meta: { fields: cartMeta, of: metaOf },
  also: {
    fields: { relationships: cartRelationships },
    of: (row) => ({ relationships: relationshipsOf(row) }),
  },
  beforeWrite: async (work, draft) => {
    mustBeOwnerOf(work, draft.before)
    await prepareCart(work, draft)
  },
  beforeDelete: async (work, row) => {
    mustBeOwnerOf(work, row)
    await mustNotBeLast(work, row)
  },
  constraints: {
    carts_reference_key: {
      code: 'conflict',
      detail: 'a cart with this id already exists',
      source: 'data.id',
    },
  },
})

/** What is in the cart. */
export const contentsOf = ({ hidden }: Pick<CartRow, 'hidden'>): Contents => hidden.contents ?? emptyContents
