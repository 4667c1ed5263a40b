import { isId } from '../../kernel/ids.ts'
import { named } from '../../kernel/openapi/named-schemas.ts'
import { optional, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Work } from '../../kernel/work/context.ts'
import { accountRealmId, merchantRealmId } from '../../people/index.ts'

/** The author of a change or a read, as the public contract shows it. A key has no email address. */
export const initiator = named(
  'Initiator',
  shown.group({
    'access-token-id': shown.text,
    'access-token-store-id': shown.text,
    'access-token-type': optional(shown.text),
    'access-token-name': optional(shown.text),
    'access-token-email': optional(shown.text),
  }),
)

export type Initiator = ShownValue<typeof initiator>

/**
 * Finds the initiators for actors of the change feed: application keys, colleagues, and shoppers with a token of their
 * own. Only the id of a deleted one is known. A key without a shopper always has client credentials, because no other
 * grant can read or change personal data: see people/permissions/access.ts.
 */
export async function findInitiators(
  work: Work,
  actors: readonly string[],
): Promise<(actor: string) => Initiator> {
  const ids = [...new Set(actors)].filter(isId)
  const rows = await work.store.run(
    `SELECT id, 'client-credentials-token', doc->>'name', NULL FROM application_keys
     WHERE store_id = $1 AND id = ANY($2::uuid[])
     UNION ALL
     SELECT id, 'customer-token', name, email FROM customers WHERE store_id = $1 AND id = ANY($2::uuid[])
     UNION ALL
     SELECT id, CASE realm_id WHEN $3 THEN 'account-management-authentication-token' ELSE 'colleague-token' END, name, email
     FROM user_authentication_infos WHERE store_id = $1 AND realm_id IN ($3, $4) AND id = ANY($2::uuid[])`,
    ids,
    // Only members and colleagues: a customer who signs in at a provider has the id of their user, in their own realm.
    await accountRealmId(work),
    await merchantRealmId(work),
  )
  const rowsById = new Map(rows.map((row) => [row[0], row]))
  return (actor) => {
    const [, type, name, email] = rowsById.get(actor) ?? []
    return {
      'access-token-id': actor,
      'access-token-store-id': work.store.id,
      ...(type && { 'access-token-type': type }),
      ...(name && { 'access-token-name': name }),
      ...(email && { 'access-token-email': email }),
    }
  }
}
