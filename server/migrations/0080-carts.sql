-- A cart, with all that is in it: see docs/decisions/0036-carts.md.
CREATE TABLE carts (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  reference text COLLATE "C" GENERATED ALWAYS AS (doc->>'id') STORED NOT NULL,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  customer_id uuid GENERATED ALWAYS AS ((hidden#>>'{customers,0}')::uuid) STORED,
  customers jsonb GENERATED ALWAYS AS ((hidden->'customers')::jsonb) STORED,
  accounts jsonb GENERATED ALWAYS AS ((hidden->'accounts')::jsonb) STORED,
  -- In UTC: a time zone would make the sum depend on the session.
  expires_at timestamp(3) GENERATED ALWAYS AS
    ((updated_at AT TIME ZONE 'UTC') + (hidden->>'expiry_days')::integer * interval '24 hours') STORED NOT NULL,
  CONSTRAINT carts_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT carts_reference_key UNIQUE (store_id, reference)
);
CREATE INDEX carts_by_created_at ON carts (store_id, created_at, id);
CREATE INDEX carts_by_updated_at ON carts (store_id, updated_at, id);
CREATE INDEX carts_by_name ON carts (store_id, lower(name COLLATE "default") text_pattern_ops, created_at, id);
CREATE INDEX carts_by_customer ON carts (store_id, customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX carts_by_customers ON carts USING gin (customers jsonb_path_ops) WHERE customers <> '[]';
CREATE INDEX carts_by_accounts ON carts USING gin (accounts jsonb_path_ops) WHERE accounts <> '[]';
CREATE INDEX carts_by_expires_at ON carts (expires_at);
CALL track('carts', $$'cart'$$, personal => true);

-- A customer or an account that is deleted leaves its carts behind.
CREATE FUNCTION leave_carts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  CALL change_all('carts', OLD.store_id, OLD.id,
    format('r.%I @> jsonb_build_array($2::text)', TG_ARGV[0]),
    hidden => format('jsonb_set(r.hidden::jsonb, ''{%s}'', r.%I - $2::text)::json', TG_ARGV[0], TG_ARGV[0]));
  RETURN NULL;
END $$;
CREATE TRIGGER leave_carts AFTER DELETE ON customers FOR EACH ROW EXECUTE FUNCTION leave_carts('customers');
CREATE TRIGGER leave_carts AFTER DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION leave_carts('accounts');
