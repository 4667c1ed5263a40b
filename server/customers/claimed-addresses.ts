import { folded } from '../identity/index.ts'
import type { Rows } from '../kernel/storage/store.ts'
import type { Work } from '../kernel/work/context.ts'

// Not the resource, whose rules these are.
const customers: Rows = { table: 'customers' }

/** An address that is no one's, and can be no one's (RFC 2606). Nobody can guess it, and be there first. */
const nowhere = `gen_random_uuid() || '@address-taken.invalid'`

const has = (email: string) => `lower(r.email COLLATE "default") = lower(${email}::text COLLATE "default")`

/**
 * Whoever claims an address and whoever takes it from them do so one after the other, to the end of the transaction:
 * else one who claims it at the same time would be in the way.
 */
export const takeAddressTurn = async (work: Work, email: string): Promise<void> =>
  work.store.takeTurn(`address of a customer ${await folded(work, email)}`)

/**
 * Takes an address from a customer who only says that it is theirs: here is someone who has it. They keep all else:
 * their account, their password, and their token, with which they can give themself another address. Needs its turn.
 */
export async function takeAddress({ store }: Work, email: string, forId: string): Promise<void> {
  await store.changeAll(customers, {
    where: (bind) => `r.id <> ${bind(forId)} AND ${has(bind(email))} AND r.hidden->>'email_claimed' = 'true'`,
    doc: () => `(r.doc::jsonb || jsonb_build_object('email', ${nowhere}))::json`,
    hidden: () => `(r.hidden::jsonb - 'email_claimed')::json`,
  })
}

/**
 * A customer turns out to be the owner of their user's address, and not whoever claimed it: it is theirs, in place of
 * any other that the stranger had put there. Not if a customer has it whose own it is: then it is nobody's.
 */
export async function giveAddress(work: Work, userId: string): Promise<void> {
  const [user] = await work.store.rows(
    'SELECT email FROM user_authentication_infos WHERE store_id = $1 AND id = $2',
    userId,
  )
  const email = user?.[0]
  if (!email) return
  await takeAddressTurn(work, email)
  await takeAddress(work, email, userId)
  await work.store.changeAll(customers, {
    where: (bind) =>
      `r.id = ${bind(userId)} AND (NOT ${has(bind(email))} OR r.hidden->>'email_claimed' = 'true')`,
    doc: (bind) => {
      const address = bind(email)
      const taken = `EXISTS (SELECT FROM customers o WHERE o.store_id = $1 AND o.id <> ${bind(userId)}
        AND lower(o.email COLLATE "default") = lower(${address}::text COLLATE "default"))`
      return `(r.doc::jsonb || jsonb_build_object('email', CASE WHEN ${taken} THEN ${nowhere} ELSE ${address}::text END))::json`
    },
    hidden: () => `(r.hidden::jsonb - 'email_claimed')::json`,
  })
}
