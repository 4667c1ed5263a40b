import { actsAsSeller, isSeller } from '../../kernel/auth/principal.ts'
import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { CartRow } from './cart-fields.ts'

/** The customers and accounts that a cart is associated with. */
export interface Owners {
  readonly customers: readonly string[]
  readonly accounts: readonly string[]
}

export const ownersOf = ({ hidden }: Pick<CartRow, 'hidden'>): Owners => ({
  customers: hidden.customers ?? [],
  accounts: hidden.accounts ?? [],
})

/** The SQL of the carts with an owner; `ids` is that of a list of one id. Carts without owners are in no index. */
export const ownedBy = (column: 'customers' | 'accounts', ids: string): string =>
  `(${column} <> '[]' AND ${column} @> ${ids}::jsonb)`

const hasOwner = ({ customers, accounts }: Owners): boolean => customers.length + accounts.length > 0

/** The customer or account of a shopper's token. */
export function ownerIn({ who }: Work): Owners {
  const account = who.kind === 'account-member' ? who.shopper?.claims.account_id : undefined
  return {
    customers: who.kind === 'customer' && who.shopper ? [who.shopper.id] : [],
    accounts: typeof account === 'string' ? [account] : [],
  }
}

/**
 * Refuses (403) a shopper who is signed in, and whose customer or account is not among the owners of the cart. A cart
 * without owners belongs to everyone who knows its id.
 */
export function mustBeOwner(work: Work, owners: Owners): void {
  const { who } = work
  const caller = ownerIn(work)
  if (!who.shopper || !hasOwner(owners)) return
  const isOwner =
    caller.customers.some((id) => owners.customers.includes(id)) ||
    caller.accounts.some((id) => owners.accounts.includes(id))
  if (isOwner) return
  throw new Problem('forbidden', 'The cart belongs to another shopper. Use a cart of your own.')
}

/**
 * Refuses (403) an order of a cart with owners by anyone but an owner and sellers. Anyone who knows the id of the
 * cart would order at the prices of its owner.
 */
export function mustOrderAsOwner(work: Work, cart: CartRow): void {
  const owners = ownersOf(cart)
  mustBeOwner(work, owners)
  if (work.who.shopper || isSeller(work.who) || !hasOwner(owners)) return
  throw new Problem(
    'forbidden',
    'The cart belongs to a customer or an account, so only its owner or a seller can order it. Send the token of the customer in X-Moltin-Customer-Token, or that of the account in EP-Account-Management-Authentication-Token.',
  )
}

/** Where the token of an owner is sent. */
const tokenHeaders = {
  customers: 'X-Moltin-Customer-Token',
  accounts: 'EP-Account-Management-Authentication-Token',
} as const

/**
 * Refuses (403) to make someone else the owner of a cart: it would have the prices and the products of that owner. An
 * application key without a shopper's token may name anyone.
 */
export function mustNameOwn(work: Work, kind: 'customers' | 'accounts', ids: readonly string[]): void {
  if (actsAsSeller(work.who)) return
  const [own] = ownerIn(work)[kind]
  if (own !== undefined && ids.every((id) => id === own)) return
  throw new Problem(
    'forbidden',
    `Shoppers can associate a cart only with themselves. Send the token of the owner in ${tokenHeaders[kind]}, and its id in the body.`,
    { source: 'data.0.id' },
  )
}

export const mustBeOwnerOf = (work: Work, cart: CartRow | undefined): void => {
  if (cart) mustBeOwner(work, ownersOf(cart))
}

/** Refuses to delete the only cart of a customer or an account. */
export async function mustNotBeLast({ store }: Work, cart: CartRow): Promise<void> {
  const { customers, accounts } = ownersOf(cart)
  // Another request may delete the other cart. In the order of the ids, so that no two wait for each other.
  for (const id of [...customers, ...accounts].sort()) await store.advisoryLock(`carts of ${id}`)
  for (const [column, ids] of [['customers', customers] as const, ['accounts', accounts] as const]) {
    for (const id of ids) {
      const others = await store.read(
        `SELECT 1 FROM carts WHERE store_id = $1 AND id <> $2 AND ${ownedBy(column, '$3')} LIMIT 1`,
        cart.id,
        JSON.stringify([id]),
      )
      if (others.length) continue
      throw new Problem(
        'bad_request',
        'This is the only cart of its customer or account, so it cannot be deleted. Remove the association first.',
        { title: 'Last cart' },
      )
    }
  }
}
