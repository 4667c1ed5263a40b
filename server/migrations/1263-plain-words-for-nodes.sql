-- What Citus cannot send to a node as it stood, in other words: see docs/decisions/0152-feed-of-each-node.md.

-- An insert of values has no subquery there.
CREATE FUNCTION entry_kind(of_store uuid, of_api uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce((SELECT a.api_type FROM custom_apis a WHERE a.store_id = of_store AND a.id = of_api), 'custom_entry');
END $$;
CALL track('entries', 'entry_kind(r.store_id, r.custom_api_id)', '{custom_api_id}', hidden =>
  $$json_build_object('meta', json_build_object('data_size', r.hidden#>'{meta,data_size}'))$$);

CREATE FUNCTION fed_of_order(hidden json) RETURNS json LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (SELECT json_strip_nulls(row_to_json(h)) FROM json_to_record(hidden) h (currency json, prices json,
    payments json, fully_paid_at json, is_manual json, customer_id json, account_id json, account_member_id json,
    item_ids json, custom_discount_ids json, promotion_ids json));
END $$;
CALL track('orders', $$'order'$$, personal => true, hidden => 'fed_of_order(r.hidden)');

-- Two who remove each other at once take turns.
CREATE OR REPLACE FUNCTION must_keep_a_store_admin(of_store uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  store_admin CONSTANT uuid := '55c3c778-1d54-45b7-9da9-9c525aafdcc1';
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(of_store::text || 'store admins', 0));
  PERFORM FROM role_assignments r
  JOIN user_authentication_infos u ON u.store_id = of_store AND u.id = r.user_id
  WHERE r.store_id = of_store AND r.role_id = store_admin AND (
    EXISTS (SELECT 1 FROM user_authentication_password_profile_infos p WHERE p.store_id = of_store
      AND p.realm_id = u.realm_id AND p.user_authentication_info_id = u.id)
    OR EXISTS (SELECT 1 FROM user_authentication_oidc_profile_infos o WHERE o.store_id = of_store
      AND o.realm_id = u.realm_id AND o.user_authentication_info_id = u.id AND o.subject IS NOT NULL))
  LIMIT 1;
  IF FOUND THEN RETURN; END IF;
  -- The store itself may be going.
  PERFORM FROM stores WHERE id = of_store;
  IF NOT FOUND THEN RETURN; END IF;
  RAISE EXCEPTION 'the last store admin' USING ERRCODE = 'check_violation',
    CONSTRAINT = 'role_assignments_last_store_admin';
END $$;

-- Citus plans each statement for its values. Elsewhere sessions take the plan for all values after five calls.
ALTER FUNCTION stock_documents(uuid, uuid[]) RESET plan_cache_mode;
ALTER FUNCTION list_seek(text, uuid, uuid, text, bigint) RESET plan_cache_mode;
ALTER FUNCTION list_block_at(text, uuid, uuid, text, timestamptz, uuid) RESET plan_cache_mode;
