import { newId } from '../../kernel/ids.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import type { Rows } from '../../kernel/storage/store.ts'
import type { Work } from '../../kernel/work/context.ts'
import { foldCase } from '../identity/fold-case.ts'

// Only the table, because the resource uses these rules.
const customers: Rows = { table: 'customers' }

/** An address that belongs to nobody (RFC 2606), for the customer `r`. Nobody knows `random`, or can take it first. */
const unusableEmailSql = (random: string) =>
  `md5(r.id::text || ${random}::text)::uuid::text || '@address-taken.invalid'`

const hasEmail = (email: string) => `${caseless('r.email')} = ${caseless(`${email}::text`)}`

/**
 * Locks an address until the end of the transaction: claims of it and transfers to its owner run one after the other. A
 * concurrent claim could otherwise block the owner.
 */
export const lockAddress = async (work: Work, email: string): Promise<void> =>
  work.store.advisoryLock(`address of a customer ${await foldCase(work, email)}`)

/**
 * Takes an address from a customer who only claims it, because its owner is here. The customer keeps the account, the
 * password and the token, and can set another address. Needs `lockAddress`.
 */
export async function takeAddress({ store }: Work, email: string, forId: string): Promise<void> {
  await store.changeAll(customers, {
    where: (bind) =>
      `r.id <> ${bind(forId)} AND ${hasEmail(bind(email))} AND r.hidden->>'email_claimed' = 'true'`,
    doc: (bind) => `(r.doc::jsonb || jsonb_object(ARRAY['email', ${unusableEmailSql(bind(newId()))}]))::json`,
    hidden: () => `(r.hidden::jsonb - 'email_claimed')::json`,
  })
}

/**
 * Gives a customer the address of their user, because its owner has signed in and a stranger had only claimed it. If
 * another customer owns the address, this customer gets an unusable one.
 */
export async function giveAddress(work: Work, userId: string): Promise<void> {
  const [user] = await work.store.run(
    'SELECT email FROM user_authentication_infos WHERE store_id = $1 AND id = $2',
    userId,
  )
  const email = user?.[0]
  if (!email) return
  await lockAddress(work, email)
  await takeAddress(work, email, userId)
  await work.store.changeAll(customers, {
    where: (bind) =>
      `r.id = ${bind(userId)} AND (NOT ${hasEmail(bind(email))} OR r.hidden->>'email_claimed' = 'true')`,
    doc: (bind) => {
      const address = bind(email)
      const taken = `EXISTS (SELECT FROM customers o WHERE o.store_id = $1 AND o.id <> ${bind(userId)}
        AND ${caseless('o.email')} = ${caseless(`${address}::text`)})`
      const unusable = unusableEmailSql(bind(newId()))
      return `(r.doc::jsonb || jsonb_object(ARRAY['email',
        CASE WHEN ${taken} THEN ${unusable} ELSE ${address}::text END]))::json`
    },
    hidden: () => `(r.hidden::jsonb - 'email_claimed')::json`,
  })
}
