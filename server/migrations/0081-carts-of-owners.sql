-- An index of some rows serves only statements that say so: carts without owners are in none of these.
CREATE OR REPLACE FUNCTION leave_carts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  CALL change_all('carts', OLD.store_id, OLD.id,
    format('r.%1$I <> ''[]'' AND r.%1$I @> jsonb_build_array($2::text)', TG_ARGV[0]),
    hidden => format('jsonb_set(r.hidden::jsonb, ''{%s}'', r.%I - $2::text)::json', TG_ARGV[0], TG_ARGV[0]));
  RETURN NULL;
END $$;
CREATE INDEX carts_with_owners ON carts (store_id, updated_at, id) WHERE customers <> '[]' OR accounts <> '[]';
