import { products, stockTransactions } from '../../assortment/index.ts'
import { carts } from '../../carts/index.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { orders } from '../../orders/index.ts'
import { gateways, transactions } from '../../payments/index.ts'
import {
  accountAddresses,
  accountMembers,
  accountMemberships,
  accountResource,
  customerAddresses,
  customerResource,
  userAuthenticationInfos,
} from '../../people/index.ts'
import { catalogRules, releases } from '../../shop/index.ts'
import { currencies, files } from '../../store/index.ts'
import type { Family } from '../integrations/event-keys.ts'
import { observedIntegrations } from '../integrations/integrations.ts'

/** Where the events of a family come from, and what they show. */
interface EventSource {
  readonly family: Family
  /** The resource whose response is the payload. Its table is the source of the changes in the feed. */
  readonly resource: Resource
  /** The endings of the keys for the first write of an object, where that is not `created`. */
  readonly createdAs?: readonly string[]
  /** Whether the payload has the object's items under `included`. */
  readonly hasItems?: true
  /** What the payload shows is also in the hidden values. Changes from before the feed had them have no payload. */
  readonly needsHidden?: true
  /** Only the users of the realm of account members. */
  readonly ofMembers?: true
}

/** Sources of events: changes of rows. Custom APIs, settings and one-time passwords are in `eventsOf`. */
export const eventSources: readonly EventSource[] = [
  { family: 'account', resource: accountResource },
  { family: 'account-member', resource: accountMembers, ofMembers: true },
  { family: 'account-membership', resource: accountMemberships },
  { family: 'address', resource: accountAddresses },
  { family: 'address', resource: customerAddresses },
  { family: 'cart', resource: carts, createdAs: ['updated'] },
  { family: 'catalog-release', resource: releases },
  { family: 'catalog-rule', resource: catalogRules },
  { family: 'currency', resource: currencies },
  { family: 'customer', resource: customerResource },
  { family: 'file', resource: files },
  { family: 'integration', resource: observedIntegrations },
  { family: 'order', resource: orders, hasItems: true },
  { family: 'payment-gateway', resource: gateways },
  { family: 'product', resource: products, needsHidden: true },
  { family: 'stock-transaction', resource: stockTransactions },
  { family: 'transaction', resource: transactions },
  { family: 'user-authentication-info', resource: userAuthenticationInfos },
]

/** The source of the events of a family, for a change of this table. */
export const sourceOf = (family: string, table: string): EventSource | undefined =>
  eventSources.find((one) => one.family === family && one.resource.table === table)
