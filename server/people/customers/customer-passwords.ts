import { limitAttempts } from '../../kernel/attempts/attempts.ts'
import { slowVerify } from '../../kernel/attempts/slow-hash.ts'
import { newId } from '../../kernel/ids.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import type { Work } from '../../kernel/work/context.ts'
import { foldCase } from '../identity/fold-case.ts'
import { dummyHash } from '../passwords/sign-in-with-password.ts'
import { giveAddress } from './claimed-addresses.ts'
import { type SignedInCustomer, tokenEpochs } from './customer-token.ts'
import { customers } from './customers.ts'

/**
 * Finds the customer with these credentials. If they are wrong, it returns undefined after the same time, and counts a
 * guess.
 */
export async function findCustomerWithPassword(
  work: Work,
  email: string,
  password: string,
): Promise<SignedInCustomer | undefined> {
  const attempt = { action: 'customer-sign-in', owner: await foldCase(work, email) }
  return limitAttempts(work, attempt, () => find(work, email, password))
}

async function find(work: Work, email: string, password: string): Promise<SignedInCustomer | undefined> {
  const [row] = await work.store.run(
    `SELECT c.id, c.name, c.hidden->>'password_hash', ${tokenEpochs.columns} FROM customers c ${tokenEpochs.joins}
     WHERE c.store_id = $1 AND ${caseless('c.email')} = ${caseless('$2')}`,
    email,
  )
  const [id, name, passwordHash, ...epochs] = row ?? []
  const isCorrect = await slowVerify(work, passwordHash ?? dummyHash, password)
  return isCorrect && passwordHash && id && name ? { id, name, ...tokenEpochs.read(epochs) } : undefined
}

/**
 * Deletes the passwords and revokes the tokens of customers who lose their link to a provider: the person who signed in
 * by that link may have set the password. A password that an administrator set stays, unless the customer turns out to
 * be another person; then the address is reset too.
 */
export async function forgetPasswords(
  work: Work,
  userIds: readonly string[],
  isSomeoneElse = false,
): Promise<void> {
  if (isSomeoneElse) for (const id of userIds) await giveAddress(work, id)
  const onlyGeneratedSql = isSomeoneElse ? '' : ` AND r.hidden->>'password_given' IS DISTINCT FROM 'true'`
  await work.store.changeAll(customers, {
    where: (bind) =>
      `r.id = ANY(${bind(userIds)}::uuid[]) AND r.hidden->>'password_hash' IS NOT NULL${onlyGeneratedSql}`,
    doc: () => `(r.doc::jsonb || '{"password": false}')::json`,
    hidden: (bind) =>
      `(r.hidden::jsonb - 'password_hash' || jsonb_build_object('password_epoch', ${bind(newId())}::text))::json`,
  })
}
