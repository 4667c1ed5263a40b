import { Problem } from '../kernel/errors.ts'
import type { Work } from '../kernel/work/context.ts'
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
  if (!who.shopper || (!owners.customers.length && !owners.accounts.length)) return
  const isOwner =
    caller.customers.some((id) => owners.customers.includes(id)) ||
    caller.accounts.some((id) => owners.accounts.includes(id))
  if (isOwner) return
  throw new Problem('forbidden', 'The cart belongs to another shopper. Use a cart of your own.')
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
