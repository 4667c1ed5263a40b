-- Carts are locked in the order of their ids: see docs/decisions/0132-owners-before-carts.md.

CREATE OR REPLACE FUNCTION leave_carts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- An index of some rows serves only statements that say so: carts without owners are in none of these.
  is_of_owner text := format('r.%1$I <> ''[]'' AND r.%1$I @> jsonb_build_array($2::text)', TG_ARGV[0]);
BEGIN
  EXECUTE 'SELECT FROM carts r WHERE r.store_id = $1 AND ' || is_of_owner || ' ORDER BY r.id FOR NO KEY UPDATE'
    USING OLD.store_id, OLD.id;
  CALL change_all('carts', OLD.store_id, OLD.id, is_of_owner,
    hidden => format('jsonb_set(r.hidden::jsonb, ''{%s}'', r.%I - $2::text)::json', TG_ARGV[0], TG_ARGV[0]));
  RETURN NULL;
END $$;
