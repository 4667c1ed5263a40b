/**
 * The accounts that were created with a new member and have no other member. They store that member's id, because both
 * can be renamed, and the member can be deleted.
 */
export const personalAccounts = `
  SELECT a.store_id, (a.hidden->>'made_for')::uuid AS account_member_id, a.id AS account_id, a.created_at
  FROM accounts a
  WHERE a.hidden->>'made_for' IS NOT NULL AND NOT EXISTS (
    SELECT FROM account_memberships o
    WHERE o.store_id = $1 AND o.account_id = a.id AND o.account_member_id <> (a.hidden->>'made_for')::uuid)`
