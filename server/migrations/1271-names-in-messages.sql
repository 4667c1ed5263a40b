-- Citus passes on the message of a node, and not the field that names a constraint: see `brokenConstraint`.

CREATE OR REPLACE FUNCTION refuse_movements(refused integer[], is_deleted boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF is_deleted THEN
    RAISE EXCEPTION 'the stock was deleted meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  RAISE EXCEPTION 'the stock cannot be moved: constraint "stock_movements"' USING ERRCODE = 'check_violation',
    CONSTRAINT = 'stock_movements', DETAIL = array_to_json(refused)::text;
END $$;

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
  RAISE EXCEPTION 'the last store admin: constraint "role_assignments_last_store_admin"' USING
    ERRCODE = 'check_violation', CONSTRAINT = 'role_assignments_last_store_admin';
END $$;
