import { limitAttempts } from '../../kernel/attempts/attempts.ts'
import { slowVerify } from '../../kernel/attempts/slow-hash.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import type { Work } from '../../kernel/work/context.ts'
import { foldCase } from '../identity/fold-case.ts'
import { dummyHash } from '../passwords/sign-in-with-password.ts'
import { type SignedInCustomer, tokenEpochs } from './customer-token.ts'

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
