-- Once a store has a Store Admin, one who can sign in stays: also when a password or a provider goes. See decision 142.

-- Two who remove each other at once take turns.
CREATE FUNCTION must_keep_a_store_admin(of_store uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  store_admin CONSTANT uuid := '55c3c778-1d54-45b7-9da9-9c525aafdcc1';
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(of_store::text || 'store admins', 0));
  -- The store itself may be going.
  IF EXISTS (
      SELECT FROM role_assignments r
      JOIN user_authentication_infos u ON u.store_id = r.store_id AND u.id = r.user_id
      WHERE r.store_id = of_store AND r.role_id = store_admin AND (
        EXISTS (SELECT FROM user_authentication_password_profile_infos p WHERE p.store_id = u.store_id
          AND p.realm_id = u.realm_id AND p.user_authentication_info_id = u.id)
        OR EXISTS (SELECT FROM user_authentication_oidc_profile_infos o WHERE o.store_id = u.store_id
          AND o.realm_id = u.realm_id AND o.user_authentication_info_id = u.id AND o.subject IS NOT NULL)))
    OR NOT EXISTS (SELECT FROM stores WHERE id = of_store) THEN
    RETURN;
  END IF;
  RAISE EXCEPTION 'the last store admin' USING ERRCODE = 'check_violation',
    CONSTRAINT = 'role_assignments_last_store_admin';
END $$;

CREATE OR REPLACE FUNCTION keep_a_store_admin() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  store_admin CONSTANT uuid := '55c3c778-1d54-45b7-9da9-9c525aafdcc1';
BEGIN
  IF OLD.role_id = store_admin AND (TG_OP = 'DELETE' OR NEW.role_id <> store_admin) THEN
    PERFORM must_keep_a_store_admin(OLD.store_id);
  END IF;
  RETURN NULL;
END $$;

-- What somebody signs in with is gone. Most of them are no Store Admins.
CREATE FUNCTION keep_an_able_store_admin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM role_assignments WHERE store_id = OLD.store_id AND user_id = OLD.user_authentication_info_id
      AND role_id = '55c3c778-1d54-45b7-9da9-9c525aafdcc1') THEN
    PERFORM must_keep_a_store_admin(OLD.store_id);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER keep_an_able_store_admin AFTER DELETE ON user_authentication_password_profile_infos
  FOR EACH ROW EXECUTE FUNCTION keep_an_able_store_admin();
CREATE TRIGGER keep_an_able_store_admin AFTER DELETE ON user_authentication_oidc_profile_infos
  FOR EACH ROW EXECUTE FUNCTION keep_an_able_store_admin();
