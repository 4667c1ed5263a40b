import { unauthorized } from '../../kernel/auth/tokens.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import type { SignedInCustomer } from './customer-token.ts'
import { customers } from './customers.ts'

type Customer = Omit<SignedInCustomer, 'tokenEpoch'>

/**
 * Finds the customer of a user of the customer realm: the one with the same id, which the first sign-in creates. If
 * another customer has the email address, that is a conflict (409), because anyone could claim an address. A customer
 * who only claims the address loses it, if the provider has verified that it is this user's.
 */
export async function findOrAddCustomer(ctx: Ctx, realmId: string, userId: string): Promise<Customer> {
  const customer = await ctx.store.findWhole(customers, userId)
  if (customer) return toCustomer(customer)
  return ctx.actingAs(userId).transaction(async (ctx) => {
    // Of two concurrent first sign-ins, the second finds the customer that the first has created.
    await ctx.store.advisoryLock(userId)
    const existing = await ctx.store.findWhole(customers, userId)
    if (existing) return toCustomer(existing)
    const user = await ctx.store.findWhole(userAuthenticationInfos, userId, [realmId])
    if (!user) throw unauthorized('The user has been deleted.')
    const { name, email } = user.doc
    const email_claimed = user.hidden.email_claimed
    const emailFlags = { email_claimed, email_verified: !email_claimed }
    return toCustomer(await add(ctx, customers, [], { name, email, ...emailFlags }, userId))
  })
}

const toCustomer = ({ id, doc, hidden }: Row<typeof customers.fields>): Customer => ({
  id,
  name: doc.name,
  passwordEpoch: hidden.password_epoch,
})
