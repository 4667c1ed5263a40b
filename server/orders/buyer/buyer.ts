import { actsAsSeller } from '../../kernel/auth/principal.ts'
import { blame, missingField, notFound, Problem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { findByName } from '../../kernel/query/find.ts'
import { group, text, type Values } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { accountResource, customerResource, findAccountMember } from '../../people/index.ts'
import type { DiscountShopper } from '../../promotions/index.ts'

const name = text({ min: 1, max: 255, about: 'The name of the person.', example: 'Ada Byron' })
const email = text({
  format: 'email',
  max: 320,
  about: 'The email address of the person.',
  example: 'ada@example.com',
})
const id = (about: string) => text({ max: 255, about })

export const buyerFields = {
  customer: group(
    { id: id('The id of a customer.'), name, email },
    {
      about: 'Who buys: the id of a customer, or the name and the email address of a guest.',
      example: { name: 'Ada Byron', email: 'ada@example.com' },
    },
  ),
  account: group(
    { id: id('The id of the account.'), member_id: id('The id of the member who orders.') },
    { about: 'The account that buys, where a seller orders for it. Shoppers send the token of the account.' },
  ),
  contact: group({ name, email }, { about: 'Whom to ask about the order of an account.' }),
}

type BuyerBody = Values<typeof buyerFields>
interface Person {
  readonly name: string
  readonly email: string
}

/** Who buys: a customer or a guest, or an account with a contact. */
export interface Buyer {
  readonly customerId?: string | undefined
  readonly accountId?: string | undefined
  readonly accountMemberId?: string | undefined
  readonly customer?: Person | undefined
  readonly contact?: Person | undefined
}

/** As codes know the buyer. */
export const codeShopperOf = ({ customerId, accountId, customer, contact }: Buyer): DiscountShopper => ({
  customerId,
  accountId,
  email: (customer ?? contact)?.email,
})

/** In the order of an erasure. */
const buyerTables = [
  ['accountMemberId', 'user_authentication_infos'],
  ['accountId', 'accounts'],
  ['customerId', 'customers'],
] as const

type BuyerIds = { readonly [F in (typeof buyerTables)[number][0]]?: string | undefined }

/**
 * Locks whom a request names as the buyer, if they exist, and returns their ids. Nobody erases them before the
 * transaction ends: an erasure would not find the order, and it would keep their name. Comes before the lock of a cart,
 * as who deletes a person locks them first and then their carts: see docs/decisions/0132-owners-before-carts.md.
 */
export async function lockBuyer(ctx: Ctx, body: BuyerBody): Promise<ReadonlySet<string>> {
  const ids = idsIn(ctx, body)
  const locked = new Set<string>()
  for (const [field, table] of buyerTables) {
    const id = ids[field]?.toLowerCase()
    if (id && isId(id)) for (const one of await ctx.store.lockShared({ table }, id)) locked.add(one)
  }
  return locked
}

/** Whom the token and the body name. Nobody has looked yet whether they exist. */
function idsIn({ who }: Ctx, { customer, account }: BuyerBody): BuyerIds {
  const member = memberIn(who)
  if (member) return member
  if (account?.id) return { accountId: account.id, accountMemberId: account.member_id }
  const own = who.kind === 'customer' ? who.shopper?.id : undefined
  return customer ? { customerId: customer.id || own } : {}
}

/** The account and the member of a token. */
function memberIn({ kind, shopper }: Ctx['who']) {
  const accountId = kind === 'account-member' ? shopper?.claims.account_id : undefined
  return typeof accountId === 'string' ? { accountId, accountMemberId: shopper?.id } : undefined
}

/**
 * Finds out who buys, from the token and the body, or refuses. The owner of the cart is not asked: the checkout names
 * the buyer, whom the caller has locked.
 */
export async function findBuyer(ctx: Ctx, body: BuyerBody, locked: ReadonlySet<string>): Promise<Buyer> {
  const buyer = await buyerOf(ctx, body)
  for (const [field] of buyerTables) {
    const id = buyer[field]
    if (id && !locked.has(id)) {
      throw new Problem('not_found', 'The buyer has just been deleted.', { source: 'data' })
    }
  }
  return buyer
}

async function buyerOf(ctx: Ctx, body: BuyerBody): Promise<Buyer> {
  const member = memberIn(ctx.who)
  if (member) return { ...member, contact: contactIn(body) }
  if (body.account?.id) return accountOf(ctx, body, body.account.id)
  if (!body.customer) throw noBuyer()
  const { customerId } = idsIn(ctx, body)
  return customerId ? customerOf(ctx, customerId) : { customer: personIn(body.customer, 'data.customer') }
}

const noBuyer = () =>
  new Problem(
    'invalid_field',
    'The order needs a buyer. Send data.customer, with the id of a customer or with the name and the email of a guest. For an account, send data.contact with the token of the account, or data.account and data.contact as a seller.',
    { source: 'data.customer' },
  )

async function accountOf(ctx: Ctx, body: BuyerBody, id: string): Promise<Buyer> {
  if (!actsAsSeller(ctx.who)) {
    const detail =
      'Only a seller can order for an account by its id. Send the token of the account in EP-Account-Management-Authentication-Token.'
    throw new Problem('forbidden', detail, { source: 'data.account' })
  }
  const member = body.account?.member_id
  const account = await blame('data.account.id', () => findByName(ctx, accountResource, id))
  const row = member ? await findAccountMember(ctx, member, 'data.account.member_id') : undefined
  return { accountId: account.id, accountMemberId: row?.id, contact: contactIn(body) }
}

async function customerOf(ctx: Ctx, id: string): Promise<Buyer> {
  const { store } = ctx
  const row = await blame('data.customer.id', async () => {
    // Anyone may order for a customer whose id they know; they do not get to see the customer: see show-buyer.ts.
    const found = isId(id) ? await store.find(customerResource, id.toLowerCase()) : undefined
    if (!found) throw notFound('customer', id)
    return found
  })
  return { customerId: row.id, customer: { name: row.doc.name, email: row.doc.email } }
}

const contactIn = ({ contact }: BuyerBody): Person => personIn(contact ?? {}, 'data.contact')

function personIn(
  { name, email }: { readonly name?: string | undefined; readonly email?: string | undefined },
  source: string,
): Person {
  if (!name?.trim()) throw missingField(`${source}.name`)
  if (!email) throw missingField(`${source}.email`)
  return { name, email }
}
