/**
 * Accounts that were made with a new member, for as long as nobody else is in them. They remember for whom: either may
 * have another name by now, and the member may be gone.
 */
export const personalAccounts = `
  SELECT a.store_id, (a.hidden->>'made_for')::uuid AS account_member_id, a.id AS account_id, a.created_at
  FROM accounts a
  WHERE a.hidden->>'made_for' IS NOT NULL AND NOT EXISTS (
    SELECT FROM account_memberships o
    WHERE o.store_id = a.store_id AND o.account_id = a.id AND o.account_member_id <> (a.hidden->>'made_for')::uuid)`
