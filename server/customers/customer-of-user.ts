import { userAuthenticationInfos } from '../identity/index.ts'
import { unauthorized } from '../kernel/auth/tokens.ts'
import type { Row } from '../kernel/shape/model.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { add } from '../kernel/write/by-rules.ts'
import type { Identified } from './customer-token.ts'
import { customers } from './customers.ts'

type Customer = Omit<Identified, 'tokenEpoch'>

/**
 * The customer that a user of the customers' realm is: the one with the same id, made at the first sign-in. An email
 * address makes nobody the customer who has it already (409): anyone could claim it. It is taken from a customer who
 * only claims it, where the provider has verified that it is this user's.
 */
export async function customerOfUser(ctx: Ctx, realmId: string, userId: string): Promise<Customer> {
  const known = await ctx.store.findWhole(customers, userId)
  if (known) return customerIn(known)
  return ctx.actingAs(userId).transaction(async (ctx) => {
    // Two first sign-ins of one user: the second one finds what the first one has made.
    await ctx.store.takeTurn(userId)
    const made = await ctx.store.findWhole(customers, userId)
    if (made) return customerIn(made)
    const user = await ctx.store.findWhole(userAuthenticationInfos, userId, [realmId])
    if (!user) throw unauthorized('The user has been deleted.')
    const { name, email } = user.doc
    const email_claimed = user.hidden.email_claimed
    const said = { email_claimed, email_verified: !email_claimed }
    return customerIn(await add(ctx, customers, [], { name, email, ...said }, userId))
  })
}

const customerIn = ({ id, doc, hidden }: Row<typeof customers.fields>): Customer => ({
  id,
  name: doc.name,
  passwordEpoch: hidden.password_epoch,
})
