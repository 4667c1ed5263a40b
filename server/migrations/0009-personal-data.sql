-- The types in the change feed whose objects hold personal data. Indexes are built by it: whoever adds a type makes a
-- new function and new indexes.
CREATE FUNCTION holds_personal_data(type text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT type IN ('customer', 'account', 'address', 'account_membership', 'user_authentication_info',
    'user_authentication_oidc_profile_info', 'user_authentication_password_profile_info', 'order')
$$;

-- The changes of such objects, by object and by what they belong to. Other changes cost nothing here.
CREATE INDEX changes_of_personal_data ON changes (store_id, type, id, seq) WHERE holds_personal_data(type);
CREATE INDEX changes_of_personal_data_by_scope ON changes (store_id, scope) WHERE holds_personal_data(type);
-- Whom the event of a one-time password is about: it names the user beside their own changes.
CREATE INDEX changes_of_one_time_passwords ON changes (store_id, (doc->'user_authentication_info'->>'id'))
  WHERE type = 'one-time-password-token-request';

-- The change feed as a list that the query engine can page: ids are made of time and sequence (RFC 9562, version 8),
-- so that their order is that of the changes. What the reader needs to say what changed is gathered for one page only.
CREATE VIEW personal_data_changes AS
SELECT c.store_id, c.id AS resource_id, c.type AS feed_type, c.scope AS parent_id,
  (lpad(to_hex((extract(epoch FROM c.at) * 1000)::bigint), 12, '0') || '80008' || lpad(to_hex(c.seq), 15, '0'))::uuid AS id,
  0 AS version, c.at AS created_at, c.at AS updated_at,
  json_build_object(
    'kind', c.kind, 'actor', c.actor, 'parent_id', c.scope, 'after', c.doc,
    'before', (
      -- Writers of one object take turns: its changes are in the order of `seq`, whatever their transactions are.
      SELECT b.doc FROM changes b
      WHERE b.store_id = c.store_id AND b.type = c.type AND b.id = c.id AND b.seq < c.seq
        AND holds_personal_data(b.type)
      ORDER BY b.seq DESC LIMIT 1),
    'parent', (
      SELECT json_build_object('type', p.type, 'parent_id', p.scope) FROM changes p
      WHERE p.store_id = c.store_id AND p.id = c.scope AND p.type IN ('customer', 'account', 'user_authentication_info')
        AND holds_personal_data(p.type)
      LIMIT 1)
  ) AS doc
FROM changes c
WHERE holds_personal_data(c.type);

-- Accounts that are no company but one person's: named as their only member. Such an account is made with a new
-- member where the store wants it.
CREATE VIEW personal_accounts AS
SELECT m.store_id, m.account_member_id, m.account_id, a.created_at
FROM account_memberships m
JOIN user_authentication_infos u ON u.store_id = m.store_id AND u.id = m.account_member_id
JOIN accounts a ON a.store_id = m.store_id AND a.id = m.account_id AND a.name = u.name
WHERE NOT EXISTS (
  SELECT FROM account_memberships o
  WHERE o.store_id = m.store_id AND o.account_id = m.account_id AND o.account_member_id <> m.account_member_id);

-- What belongs to one person's, or one account's, set of personal data: `root` is who the set is about.
CREATE VIEW personal_data_entries AS
SELECT store_id, root_type, root_id, resource_type, resource_id,
  md5(resource_type || resource_id)::uuid AS id, 0 AS version, created_at, created_at AS updated_at,
  json_build_object('resource_type', resource_type, 'resource_id', resource_id) AS doc
FROM (
  SELECT store_id, 'customer' AS root_type, id AS root_id, 'customer' AS resource_type, id AS resource_id, created_at
  FROM customers
  UNION ALL
  SELECT store_id, 'customer', customer_id, 'address', id, created_at FROM customer_addresses
  UNION ALL
  SELECT store_id, 'account', id, 'account', id, created_at FROM accounts
  UNION ALL
  SELECT store_id, 'account', account_id, 'address', id, created_at FROM account_addresses
  UNION ALL
  SELECT store_id, 'account', account_id, 'account-membership', id, created_at FROM account_memberships
  UNION ALL
  SELECT store_id, 'user-authentication-info', id, 'user-authentication-info', id, created_at
  FROM user_authentication_infos
  UNION ALL
  SELECT u.store_id, 'user-authentication-info', u.id, 'account-member', u.id, u.created_at
  FROM user_authentication_infos u JOIN authentication_realms r ON r.store_id = u.store_id AND r.id = u.realm_id
  WHERE r.origin = 'account_authentication_settings'
  UNION ALL
  SELECT store_id, 'user-authentication-info', user_authentication_info_id, 'user-authentication-oidc-profile-info', id,
    created_at FROM user_authentication_oidc_profile_infos
  UNION ALL
  SELECT store_id, 'user-authentication-info', user_authentication_info_id,
    'user-authentication-password-profile-info', id, created_at FROM user_authentication_password_profile_infos
  UNION ALL
  SELECT store_id, 'user-authentication-info', account_member_id, 'account-membership', id, created_at
  FROM account_memberships
  UNION ALL
  SELECT store_id, 'user-authentication-info', account_member_id, 'account', account_id, created_at
  FROM personal_accounts
  UNION ALL
  SELECT p.store_id, 'user-authentication-info', p.account_member_id, 'address', d.id, d.created_at
  FROM personal_accounts p JOIN account_addresses d ON d.store_id = p.store_id AND d.account_id = p.account_id
) entries;

-- Whose set an entry belongs to: what it hangs on, or hung on when it was still there. An entry that is neither
-- there nor in the feed is in no set. A membership says something about the member.
CREATE FUNCTION personal_data_root(of_store uuid, of_type text, of_id uuid)
RETURNS TABLE (root_type text, root_id uuid) LANGUAGE sql STABLE AS $$
  SELECT * FROM (
    SELECT e.root_type, e.root_id FROM personal_data_entries e
    WHERE e.store_id = of_store AND e.resource_type = of_type AND e.resource_id = of_id AND e.root_type = ANY (
      CASE of_type
        WHEN 'customer' THEN '{customer}'
        WHEN 'account' THEN '{account}'
        WHEN 'address' THEN '{customer,account}'
        ELSE '{user-authentication-info}' END::text[])
    UNION ALL
    SELECT CASE
        WHEN c.type IN ('customer', 'account') THEN c.type
        WHEN c.type <> 'address' THEN 'user-authentication-info'
        WHEN c.doc->'relationships'->'customer' IS NOT NULL THEN 'customer'
        ELSE 'account' END,
      CASE c.type
        WHEN 'customer' THEN c.id
        WHEN 'account' THEN c.id
        WHEN 'user_authentication_info' THEN c.id
        WHEN 'account_membership' THEN (c.doc->>'account_member_id')::uuid
        ELSE c.scope END
    FROM changes c
    WHERE c.store_id = of_store AND c.id = of_id AND c.doc IS NOT NULL AND holds_personal_data(c.type)
      AND c.type = CASE of_type WHEN 'account-member' THEN 'user_authentication_info' ELSE replace(of_type, '-', '_') END
      AND (of_type <> 'account-member' OR EXISTS (
        SELECT FROM authentication_realms r
        WHERE r.store_id = of_store AND r.id = c.scope AND r.origin = 'account_authentication_settings'))
  ) roots (root_type, root_id) LIMIT 1
$$;

CREATE TABLE erasure_requests (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  resource_type text COLLATE "C" GENERATED ALWAYS AS (doc->>'resource_type') STORED NOT NULL,
  resource_id uuid GENERATED ALWAYS AS ((doc->>'resource_id')::uuid) STORED NOT NULL,
  CONSTRAINT erasure_requests_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX erasure_requests_by_created_at ON erasure_requests (store_id, resource_id, created_at, id);
CALL track('erasure_requests', $$'erasure_request'$$);

-- Deletes the rows older than `before` among the oldest `rows` changes of the store; returns how many they were.
CREATE FUNCTION trim_changes(of_store uuid, before timestamptz, rows integer) RETURNS bigint LANGUAGE sql AS $$
  WITH oldest AS MATERIALIZED (
    SELECT c.xid, c.seq, c.at FROM changes c WHERE c.store_id = of_store ORDER BY c.xid, c.seq LIMIT rows
  ), trimmed AS (
    DELETE FROM changes c USING oldest o
    WHERE c.store_id = of_store AND c.xid = o.xid AND c.seq = o.seq AND o.at < before RETURNING 1
  )
  SELECT count(*) FROM trimmed
$$;
