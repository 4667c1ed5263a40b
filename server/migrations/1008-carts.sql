-- The tables and routines of carts/ at the baseline: see docs/decisions/0094-baseline.md.

-- A routine may use what comes after it.
SET LOCAL check_function_bodies = off;

-- == carts/cart ==

CREATE FUNCTION fill_cart_columns() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  days integer;
BEGIN
  SELECT h.customers, h.accounts, h.expiry_days INTO NEW.customers, NEW.accounts, days
    FROM json_to_record(NEW.hidden) AS h (customers jsonb, accounts jsonb, expiry_days integer);
  NEW.customer_id := (NEW.customers->>0)::uuid;
  -- In UTC: a time zone would make the sum depend on the session.
  NEW.expires_at := (NEW.updated_at AT TIME ZONE 'UTC') + days * interval '24 hours';
  RETURN NEW;
END $$;

-- A cart, with all that is in it: see docs/decisions/0036-carts.md.
CREATE TABLE carts (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  reference text COLLATE "C" GENERATED ALWAYS AS (doc->>'id') STORED NOT NULL,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  customer_id uuid,
  customers jsonb,
  accounts jsonb,
  -- In UTC: a time zone would make the sum depend on the session.
  expires_at timestamp(3) NOT NULL,
  -- The contents and their prices; `hidden` has what lists, the feed and events show of them. A cart from before this
  -- column has both in `hidden`, until it is written again: see docs/decisions/0090-things.md.
  inside json,
  CONSTRAINT carts_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT carts_reference_key UNIQUE (store_id, reference)
);
CREATE INDEX carts_by_accounts ON carts USING gin (accounts jsonb_path_ops) WHERE accounts <> '[]';
CREATE INDEX carts_by_created_at ON carts (store_id, created_at, id);
CREATE INDEX carts_by_customer ON carts (store_id, customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX carts_by_customers ON carts USING gin (customers jsonb_path_ops) WHERE customers <> '[]';
CREATE INDEX carts_by_expires_at ON carts (expires_at);
CREATE INDEX carts_by_name ON carts (store_id, lower(name COLLATE "default") text_pattern_ops, created_at, id);
CREATE INDEX carts_by_updated_at ON carts (store_id, updated_at, id);
CREATE INDEX carts_with_owners ON carts (store_id, updated_at, id) WHERE customers <> '[]' OR accounts <> '[]';
CREATE TRIGGER fill_cart_columns BEFORE INSERT OR UPDATE ON carts FOR EACH ROW EXECUTE FUNCTION fill_cart_columns();
ALTER TABLE carts ENABLE ALWAYS TRIGGER fill_cart_columns;
CALL track('carts', $$'cart'$$, personal => true, public_id => 'nullif(r.reference, r.id::text)', hidden => 'r.hidden');

-- An index of some rows serves only statements that say so: carts without owners are in none of these.
CREATE FUNCTION leave_carts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  CALL change_all('carts', OLD.store_id, OLD.id,
    format('r.%1$I <> ''[]'' AND r.%1$I @> jsonb_build_array($2::text)', TG_ARGV[0]),
    hidden => format('jsonb_set(r.hidden::jsonb, ''{%s}'', r.%I - $2::text)::json', TG_ARGV[0], TG_ARGV[0]));
  RETURN NULL;
END $$;

CREATE TRIGGER leave_carts AFTER DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION leave_carts('accounts');

CREATE TRIGGER leave_carts AFTER DELETE ON customers FOR EACH ROW EXECUTE FUNCTION leave_carts('customers');
