-- A set of personal data is named by the id of the person or account that it is about. A customer who signs in at a
-- provider is a user with the same id: both are one set.
DROP FUNCTION personal_data_root(uuid, text, uuid);
DROP VIEW personal_data_entries;
DROP VIEW personal_accounts;

-- Accounts that were made with a new member, for as long as nobody else is in them. They remember for whom: either may
-- have another name by now, and the member may be gone.
CREATE INDEX accounts_by_member ON accounts (store_id, ((hidden->>'made_for')::uuid))
  WHERE hidden->>'made_for' IS NOT NULL;
CREATE VIEW personal_accounts AS
SELECT a.store_id, (a.hidden->>'made_for')::uuid AS account_member_id, a.id AS account_id, a.created_at
FROM accounts a
WHERE a.hidden->>'made_for' IS NOT NULL AND NOT EXISTS (
  SELECT FROM account_memberships o
  WHERE o.store_id = a.store_id AND o.account_id = a.id AND o.account_member_id <> (a.hidden->>'made_for')::uuid);

-- What belongs to a set. An entry may be in several; in one of them it is `at_home`: erasing it erases that one.
CREATE VIEW personal_data_entries AS
SELECT store_id, root_id, at_home, resource_type, resource_id,
  md5(resource_type || resource_id)::uuid AS id, 0 AS version, created_at, created_at AS updated_at,
  json_build_object('resource_type', resource_type, 'resource_id', resource_id) AS doc
FROM (
  SELECT store_id, id AS root_id, true AS at_home, 'customer' AS resource_type, id AS resource_id, created_at
  FROM customers
  UNION ALL
  SELECT store_id, customer_id, true, 'address', id, created_at FROM customer_addresses
  UNION ALL
  SELECT store_id, id, true, 'account', id, created_at FROM accounts
  UNION ALL
  SELECT store_id, account_id, true, 'address', id, created_at FROM account_addresses
  UNION ALL
  -- A membership says something about the member.
  SELECT store_id, account_id, false, 'account-membership', id, created_at FROM account_memberships
  UNION ALL
  SELECT store_id, account_member_id, true, 'account-membership', id, created_at FROM account_memberships
  UNION ALL
  SELECT store_id, id, true, 'user-authentication-info', id, created_at FROM user_authentication_infos
  UNION ALL
  SELECT u.store_id, u.id, true, 'account-member', u.id, u.created_at
  FROM user_authentication_infos u JOIN authentication_realms r ON r.store_id = u.store_id AND r.id = u.realm_id
  WHERE r.origin = 'account_authentication_settings'
  UNION ALL
  SELECT store_id, user_authentication_info_id, true, 'user-authentication-oidc-profile-info', id, created_at
  FROM user_authentication_oidc_profile_infos
  UNION ALL
  SELECT store_id, user_authentication_info_id, true, 'user-authentication-password-profile-info', id, created_at
  FROM user_authentication_password_profile_infos
  UNION ALL
  SELECT store_id, account_member_id, false, 'account', account_id, created_at FROM personal_accounts
  UNION ALL
  SELECT p.store_id, p.account_member_id, false, 'address', d.id, d.created_at
  FROM personal_accounts p JOIN account_addresses d ON d.store_id = p.store_id AND d.account_id = p.account_id
) entries;

-- The set that an entry is at home in: of what it hangs on, or hung on when it was still there. An entry that is
-- neither there nor in the log is in none.
CREATE FUNCTION personal_data_root(of_store uuid, of_type text, of_id uuid) RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT root_id FROM (
    SELECT e.root_id FROM personal_data_entries e
    WHERE e.store_id = of_store AND e.resource_type = of_type AND e.resource_id = of_id AND e.at_home
    UNION ALL
    SELECT CASE
        WHEN l.type IN ('customer', 'account', 'user_authentication_info') THEN l.id
        WHEN l.type = 'account_membership' THEN (l.doc->>'account_member_id')::uuid
        ELSE l.scope END
    FROM (
      SELECT c.store_id, c.type, c.id, c.scope, c.doc
      FROM changes c WHERE c.doc IS NOT NULL AND holds_personal_data(c.type)
      UNION ALL
      -- A membership's member is not known from here.
      SELECT r.store_id, r.type, r.id, r.scope, NULL
      FROM personal_data_reads r WHERE r.type <> 'account_membership'
    ) l
    WHERE l.store_id = of_store AND l.id = of_id
      AND l.type = CASE of_type WHEN 'account-member' THEN 'user_authentication_info' ELSE replace(of_type, '-', '_') END
      AND (of_type <> 'account-member' OR EXISTS (
        SELECT FROM authentication_realms r
        WHERE r.store_id = of_store AND r.id = l.scope AND r.origin = 'account_authentication_settings'))
  ) roots LIMIT 1
$$;
