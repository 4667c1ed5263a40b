import { folded } from '../identity/index.ts'
import { guarded } from '../kernel/attempts/attempts.ts'
import { slowVerify } from '../kernel/attempts/slow-hash.ts'
import type { Work } from '../kernel/work/context.ts'
import { nobodysHash } from '../passwords/index.ts'
import { type Identified, tokenEpochs } from './customer-token.ts'

/** Who signs in with these; undefined, and counted as a guess, after the same work whatever is wrong. */
export async function customerWithPassword(
  work: Work,
  email: string,
  password: string,
): Promise<Identified | undefined> {
  const attempt = { at: 'customer-sign-in', whose: await folded(work, email) }
  return guarded(work, attempt, () => find(work, email, password))
}

async function find(work: Work, email: string, password: string): Promise<Identified | undefined> {
  const [row] = await work.store.rows(
    `SELECT c.id, c.name, c.hidden->>'password_hash', ${tokenEpochs.columns} FROM customers c ${tokenEpochs.joins}
     WHERE c.store_id = $1 AND lower(c.email COLLATE "default") = lower($2 COLLATE "default")`,
    email,
  )
  const [id, name, theirs, ...epochs] = row ?? []
  const good = await slowVerify(work, theirs ?? nobodysHash, password)
  return good && theirs && id && name ? { id, name, ...tokenEpochs.read(epochs) } : undefined
}
