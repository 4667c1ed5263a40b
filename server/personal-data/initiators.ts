import { accountRealmId } from '../identity/index.ts'
import { isId } from '../kernel/ids.ts'
import { named } from '../kernel/openapi/named-schemas.ts'
import { object } from '../kernel/openapi/shapes.ts'
import type { Work } from '../kernel/work/context.ts'

/** Who caused something, in the words of the public contract. A key has no email address. */
export interface Initiator {
  readonly 'access-token-id': string
  readonly 'access-token-store-id': string
  readonly 'access-token-type'?: string
  readonly 'access-token-name'?: string
  readonly 'access-token-email'?: string
}

/** The schema of an initiator. */
export const initiatorSchema = named(
  'Initiator',
  object(
    Object.fromEntries(
      ['id', 'store-id', 'type', 'name', 'email'].map((fact) => [`access-token-${fact}`, { type: 'string' }]),
    ),
    ['access-token-id', 'access-token-store-id'],
  ),
)

/**
 * The initiators behind actors of the change feed: application keys, and shoppers who came with a token of their own.
 * Of one that is gone only the id is known. A key alone reads and changes personal data with client credentials only:
 * see permissions/access.ts.
 */
export async function initiatorsOf(
  work: Work,
  actors: readonly string[],
): Promise<(actor: string) => Initiator> {
  const ids = [...new Set(actors)].filter(isId)
  const rows = await work.store.rows(
    `SELECT id, 'client-credentials-token', doc->>'name', NULL FROM application_keys
     WHERE store_id = $1 AND id = ANY($2::uuid[])
     UNION ALL
     SELECT id, 'customer-token', name, email FROM customers WHERE store_id = $1 AND id = ANY($2::uuid[])
     UNION ALL
     SELECT id, 'account-management-authentication-token', name, email FROM user_authentication_infos
     WHERE store_id = $1 AND realm_id = $3 AND id = ANY($2::uuid[])`,
    ids,
    // A customer who signs in at a provider has the id of their user, in the realm of customers.
    await accountRealmId(work),
  )
  const found = new Map(rows.map((row) => [row[0], row]))
  return (actor) => {
    const [, type, name, email] = found.get(actor) ?? []
    return {
      'access-token-id': actor,
      'access-token-store-id': work.store.id,
      ...(type && { 'access-token-type': type }),
      ...(name && { 'access-token-name': name }),
      ...(email && { 'access-token-email': email }),
    }
  }
}
