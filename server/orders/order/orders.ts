import type { CartTotals, CustomAttributes } from '../../carts/index.ts'
import type { Principal } from '../../kernel/auth/principal.ts'
import { resource } from '../../kernel/declare/resource.ts'
import type { Envelope } from '../../kernel/shape/envelope.ts'
import { choice, field, flag, group, integer, text } from '../../kernel/shape/fields.ts'
import { type FilterRule, indexed, type Row, type Whole, walks } from '../../kernel/shape/model.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import type { Notation } from '../../store/index.ts'
import { type PaymentSums, paymentStates } from '../payment-state/payment-of.ts'
import { address } from './addresses.ts'
import { idIn } from './id-filter.ts'
import { firstState, shippings, statuses } from './order-states.ts'
import { prepareOrder } from './prepare-order.ts'
import { recordOrderEvents } from './record-order-events.ts'
import type { OrderShippingGroup } from './shipping-groups.ts'
import { metaOf, orderMeta } from './show-order.ts'
import { orderRelationships, relationshipsOf } from './show-relationships.ts'
import { shownOfOrder } from './shown-of-order.ts'
import type { OrderStock } from './stock-of-order.ts'

const orderEnvelope: Envelope = {
  times: 'meta.timestamps',
  digits: 0,
  fields: 'top',
  links: 'own',
  href: 'absolute',
}

const person = (about: string) =>
  group(
    {
      name: text({ max: 255, about: 'The name of the person.', example: 'Ada Byron' }),
      email: text({ max: 320, about: 'The email address of the person.', example: 'ada@example.com' }),
    },
    { readOnly: true, personal: true, about },
  )

const hidden = { hidden: true, readOnly: true } as const
const ids = field<readonly string[] | undefined>({ type: 'array' }, hidden)
const id = text({ ...hidden, format: 'uuid' })

const fields = {
  order_number: text({
    max: 64,
    personal: true,
    about: 'A number of your own. It need not be unique.',
    example: 'R-1021',
  }),
  external_ref: text({
    max: 64,
    personal: true,
    about: 'The id of the order in another system. An update with the empty text removes it.',
    example: 'erp-7731',
  }),
  status: choice(statuses, {
    default: firstState.status,
    about: 'Whether the order is paid. An update can cancel an order that is not fulfilled.',
  }),
  payment: choice(paymentStates, {
    default: firstState.payment,
    readOnly: true,
    about: 'What has been paid.',
  }),
  shipping: choice(shippings, {
    default: firstState.shipping,
    about: 'Whether the order has been shipped. An update can fulfil an order that is paid.',
  }),
  anonymized: flag({ readOnly: true, default: false, about: 'Whether the personal data has been removed.' }),
  customer: person('The customer or guest who bought.'),
  contact: person('The contact of the account that bought.'),
  billing_address: address({ readOnly: true, personal: true, about: 'Who pays.' }),
  shipping_address: address({
    personal: true,
    about: 'Where the order is shipped. It can change until the order is fulfilled.',
  }),
  custom_attributes: field<CustomAttributes | undefined>(
    { type: 'object', additionalProperties: true },
    { readOnly: true, personal: true, about: 'The custom attributes of the cart.' },
  ),
  payment_intent_id: text({
    readOnly: true,
    about: 'The payment intent of the cart, until it is confirmed.',
  }),
  currency: field<Notation>({ type: 'object' }, hidden),
  prices: field<CartTotals['prices']>({ type: 'object' }, hidden),
  /** Of `prices`: lists are sorted by it. */
  with_tax: integer(hidden),
  payments: field<PaymentSums>({ type: 'object' }, hidden),
  fully_paid_at: text(hidden),
  is_manual: flag(hidden),
  /** When an order that a seller enters was placed elsewhere. */
  placed_at: text({ ...hidden, stored: false }),
  /** Where the stock of its items is: only available, allocated to the order, or shipped. */
  stock: field<OrderStock>({ type: 'object' }, hidden),
  customer_id: id,
  account_id: id,
  account_member_id: id,
  item_ids: ids,
  custom_discount_ids: ids,
  promotion_ids: ids,
  product_ids: ids,
  product_skus: ids,
  shipping_groups: field<readonly OrderShippingGroup[] | undefined>({ type: 'array' }, hidden),
  /** The cart, with the version that the order was made of. */
  cart: field<OrderCart | undefined>({ type: 'object' }, hidden),
}

/** Where an order comes from. */
interface OrderCart {
  readonly id: string
  readonly version: number
  /** A hash of the body of the checkout: the same request again gets the same order. */
  readonly request: string
}

export type OrderFields = typeof fields
export type OrderRow = Row<OrderFields>
/** An order that was read to be changed. */
export type WholeOrder = Whole<OrderFields, unknown>

const textIn = (column: string): FilterRule => ({ ...indexed('eq', 'like'), type: 'text', column })
/** Email addresses are compared without case. */
const emailIn = (column: string): FilterRule => {
  const folded = (text: string) => `(${caseless(text)} COLLATE "C")`
  return {
    ops: ['eq', 'like'],
    type: 'text',
    where: (op, values, bind) => {
      const texts = values.map((value) => folded(`${bind(value)}::text`))
      return op === 'like'
        ? `${folded(column)} LIKE ${texts[0]}`
        : `${folded(column)} IN (${texts.join(', ')})`
    },
  }
}
const amount: FilterRule = { ...indexed('eq', 'lt', 'le', 'gt', 'ge'), type: 'integer' }
const listed = (column: string): FilterRule => ({
  ops: ['eq'],
  type: 'text',
  where: (_op, values, bind) =>
    `(${values.map((value) => `${column} @> ${bind(JSON.stringify([value]))}::jsonb`).join(' OR ')})`,
})

/** What a shopper has bought. */
export const orders = resource({
  type: 'order',
  noun: ['order', 'orders'],
  about:
    'What a shopper has bought: the items of a cart with their prices at its checkout, which never change. Payments decide on the status.',
  path: '/v2/orders',
  table: 'orders',
  fields,
  shownHidden: shownOfOrder,
  addedUnder: 'orders',
  thing: true,
  operations: ['update'],
  filter: {
    ...walks,
    status: indexed('eq'),
    payment: indexed('eq'),
    shipping: indexed('eq'),
    currency: { ...indexed('eq'), type: 'text' },
    with_tax: amount,
    without_tax: amount,
    name: textIn('name'),
    email: emailIn('email'),
    // As older clients call them.
    'customer.name': textIn('name'),
    'customer.email': emailIn('email'),
    'contact.name': textIn('contact_name'),
    'contact.email': emailIn('contact_email'),
    customer_id: idIn('customer_id'),
    account_id: idIn('account_id'),
    account_member_id: idIn('account_member_id'),
    order_number: indexed('eq', 'like'),
    external_ref: indexed('eq', 'like'),
    shipping_name: textIn('shipping_name'),
    billing_name: textIn('billing_name'),
    shipping_postcode: textIn('shipping_postcode'),
    billing_postcode: textIn('billing_postcode'),
    product_id: listed('product_ids'),
    manual: { ...indexed('eq'), type: 'boolean' },
    product_sku: listed('product_skus'),
  },
  sort: ['id', 'created_at', 'updated_at', 'payment', 'shipping', 'status', 'with_tax'],
  order: '-updated_at',
  offsetMax: 10_000,
  area: 'orders',
  envelope: orderEnvelope,
  visible: ownOrders,
  personal: ['customer_id', 'account_id', 'account_member_id'],
  meta: { fields: orderMeta, of: metaOf },
  also: {
    fields: { relationships: orderRelationships },
    of: (row) => ({ relationships: relationshipsOf(row) }),
  },
  beforeWrite: prepareOrder,
  afterWrite: recordOrderEvents,
  constraints: {
    orders_cart_key: { code: 'conflict', detail: 'this version of the cart has just become an order' },
    orders_paid_check: {
      code: 'unprocessable',
      detail:
        'What is paid, authorized and waits for a gateway cannot exceed the total of the order. Cancel what is authorized or waits first; what is paid stays.',
    },
  },
})

/** The SQL of the orders that a shopper sees: those of their own, or of the account of their token. */
function ownOrders({ kind, shopper }: Principal, bind: (value: unknown) => string): string {
  if (kind === 'customer' && shopper) return `customer_id = ${bind(shopper.id)}::uuid`
  const account = kind === 'account-member' ? shopper?.claims.account_id : undefined
  return typeof account === 'string' ? `account_id = ${bind(account)}::uuid` : 'false'
}
