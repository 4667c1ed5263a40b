import type { userAuthenticationInfos } from '../identity/index.ts'
import type { Ctx } from '../kernel/context.ts'
import { inTransaction } from '../kernel/in-transaction.ts'
import { store } from '../kernel/operations.ts'
import type { Row } from '../kernel/resource.ts'
import { customers } from './customers.ts'

type Customer = { readonly id: string; readonly name: string }

/**
 * The customer that a user of the customers' realm is: the one with the same id, made at the first sign-in. An email
 * address makes nobody the customer who has it already (409): anyone could claim it.
 */
export async function customerOfUser(
  ctx: Ctx,
  user: Row<typeof userAuthenticationInfos.fields>,
): Promise<Customer> {
  const known = await ctx.store.find(customers, user.id)
  if (known) return { id: known.id, name: known.doc.name }
  return inTransaction(ctx, async (ctx) => {
    // Two first sign-ins of one user: the second one finds what the first one has made.
    await ctx.store.rows('SELECT pg_advisory_xact_lock(hashtextextended($1::text || $2, 0))', user.id)
    const made = await ctx.store.find(customers, user.id)
    if (made) return { id: made.id, name: made.doc.name }
    const { name, email } = user.doc
    const values = { name, email, external_ref: null, password: undefined, password_hash: undefined }
    const { id } = await store(ctx, customers, [], values, user.id)
    return { id, name }
  })
}
