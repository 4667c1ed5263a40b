-- A cart holds its contents and their prices in a column of their own. `hidden` keeps what lists, the feed and events
-- show of them. Carts of before have both in `hidden`, until they are written again: see docs/decisions/0090-things.md.
ALTER TABLE carts ADD COLUMN inside json;

CREATE OR REPLACE FUNCTION fill_cart_columns() RETURNS trigger LANGUAGE plpgsql AS $$
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

CALL track('carts', $$'cart'$$, personal => true, public_id => 'nullif(r.reference, r.id::text)', hidden => 'r.hidden');
ALTER TABLE carts DROP COLUMN summary;
