-- The tables and routines of orders/ at the baseline: see docs/decisions/0094-baseline.md.

-- A routine may use what comes after it.
SET LOCAL check_function_bodies = off;

-- == orders/order ==

-- What shoppers have bought: see docs/decisions/0042-orders.md.
CREATE TABLE orders (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  status text COLLATE "C" GENERATED ALWAYS AS (doc->>'status') STORED NOT NULL,
  payment text COLLATE "C" GENERATED ALWAYS AS (doc->>'payment') STORED NOT NULL,
  shipping text COLLATE "C" GENERATED ALWAYS AS (doc->>'shipping') STORED NOT NULL,
  currency text COLLATE "C" GENERATED ALWAYS AS (hidden#>>'{currency,code}') STORED NOT NULL,
  with_tax bigint GENERATED ALWAYS AS ((hidden#>>'{prices,with_tax}')::bigint) STORED NOT NULL,
  without_tax bigint GENERATED ALWAYS AS ((hidden#>>'{prices,without_tax}')::bigint) STORED NOT NULL,
  paid bigint GENERATED ALWAYS AS ((hidden#>>'{payments,paid}')::bigint) STORED NOT NULL,
  authorized bigint GENERATED ALWAYS AS ((hidden#>>'{payments,authorized}')::bigint) STORED NOT NULL,
  pending bigint GENERATED ALWAYS AS ((hidden#>>'{payments,pending}')::bigint) STORED NOT NULL,
  customer_id uuid GENERATED ALWAYS AS ((hidden->>'customer_id')::uuid) STORED,
  account_id uuid GENERATED ALWAYS AS ((hidden->>'account_id')::uuid) STORED,
  account_member_id uuid GENERATED ALWAYS AS ((hidden->>'account_member_id')::uuid) STORED,
  name text COLLATE "C" GENERATED ALWAYS AS (doc#>>'{customer,name}') STORED,
  email text COLLATE "C" GENERATED ALWAYS AS (doc#>>'{customer,email}') STORED,
  contact_name text COLLATE "C" GENERATED ALWAYS AS (doc#>>'{contact,name}') STORED,
  contact_email text COLLATE "C" GENERATED ALWAYS AS (doc#>>'{contact,email}') STORED,
  order_number text COLLATE "C" GENERATED ALWAYS AS (doc->>'order_number') STORED,
  external_ref text COLLATE "C" GENERATED ALWAYS AS (doc->>'external_ref') STORED,
  shipping_postcode text COLLATE "C" GENERATED ALWAYS AS (left(doc#>>'{shipping_address,postcode}', 255)) STORED,
  billing_postcode text COLLATE "C" GENERATED ALWAYS AS (left(doc#>>'{billing_address,postcode}', 255)) STORED,
  -- The products of the items, and their SKUs.
  product_ids jsonb GENERATED ALWAYS AS ((hidden->'product_ids')::jsonb) STORED NOT NULL,
  product_skus jsonb GENERATED ALWAYS AS ((hidden->'product_skus')::jsonb) STORED NOT NULL,
  -- The version of the cart that the order was made of.
  cart_id uuid GENERATED ALWAYS AS ((hidden#>>'{cart,id}')::uuid) STORED,
  cart_version integer GENERATED ALWAYS AS ((hidden#>>'{cart,version}')::integer) STORED,
  -- Whether a seller entered the order without a cart: lists are filtered by it.
  manual boolean GENERATED ALWAYS AS (coalesce((hidden->>'is_manual')::boolean, false)) STORED NOT NULL,
  shipping_name text COLLATE "C" GENERATED ALWAYS AS (left(((doc#>>'{shipping_address,first_name}') || ' ')
    || (doc#>>'{shipping_address,last_name}'), 255)) STORED,
  billing_name text COLLATE "C" GENERATED ALWAYS AS (left(((doc#>>'{billing_address,first_name}') || ' ')
    || (doc#>>'{billing_address,last_name}'), 255)) STORED,
  -- What the discounts of an order come to, as metrics count it. Read from `hidden`, it cost a filter by a product as
  -- much as the orders themselves, and an update of an order twice.
  discount bigint GENERATED ALWAYS AS (- coalesce((hidden#>>'{prices,discount}')::bigint, 0)) STORED NOT NULL,
  CONSTRAINT orders_pkey PRIMARY KEY (store_id, id),
  -- One version of a cart makes one order.
  CONSTRAINT orders_cart_key UNIQUE (store_id, cart_id, cart_version),
  -- What is paid, authorized and waits for a gateway never exceeds the total.
  CONSTRAINT orders_paid_check CHECK (paid >= 0 AND authorized >= 0 AND pending >= 0
    AND paid + authorized + pending <= with_tax)
);
CREATE INDEX orders_by_account_id ON orders (store_id, account_id, created_at, id) WHERE account_id IS NOT NULL;
CREATE INDEX orders_by_account_member_id ON orders (store_id, account_member_id, created_at, id)
  WHERE account_member_id IS NOT NULL;
CREATE INDEX orders_by_billing_name ON orders (store_id, billing_name, created_at, id) WHERE billing_name IS NOT NULL;
CREATE INDEX orders_by_billing_postcode ON orders (store_id, billing_postcode, created_at, id);
CREATE INDEX orders_by_contact_email ON orders
  (store_id, lower(contact_email COLLATE "default") COLLATE "C", created_at, id) WHERE contact_email IS NOT NULL;
CREATE INDEX orders_by_contact_name ON orders (store_id, contact_name, created_at, id) WHERE contact_name IS NOT NULL;
CREATE INDEX orders_by_created_at ON orders (store_id, created_at, id);
CREATE INDEX orders_by_currency ON orders (store_id, currency, created_at, id);
CREATE INDEX orders_by_customer_id ON orders (store_id, customer_id, created_at, id) WHERE customer_id IS NOT NULL;
CREATE INDEX orders_by_email ON orders (store_id, lower(email COLLATE "default") COLLATE "C", created_at, id)
  WHERE email IS NOT NULL;
CREATE INDEX orders_by_external_ref ON orders (store_id, external_ref, created_at, id) WHERE external_ref IS NOT NULL;
CREATE INDEX orders_by_manual ON orders (store_id, manual, created_at, id);
CREATE INDEX orders_by_name ON orders (store_id, name, created_at, id) WHERE name IS NOT NULL;
CREATE INDEX orders_by_order_number ON orders (store_id, order_number, created_at, id) WHERE order_number IS NOT NULL;
CREATE INDEX orders_by_payment ON orders (store_id, payment, id) INCLUDE (created_at);
CREATE INDEX orders_by_product_ids ON orders USING gin (product_ids jsonb_path_ops);
CREATE INDEX orders_by_product_skus ON orders USING gin (product_skus jsonb_path_ops);
-- Sums of the orders with a promotion, or with a code.
CREATE INDEX orders_by_promotion_ids ON orders USING gin (((hidden->'promotion_ids')::jsonb) jsonb_path_ops);
CREATE INDEX orders_by_shipping ON orders (store_id, shipping, id) INCLUDE (created_at);
CREATE INDEX orders_by_shipping_name ON orders (store_id, shipping_name, created_at, id)
  WHERE shipping_name IS NOT NULL;
CREATE INDEX orders_by_shipping_postcode ON orders (store_id, shipping_postcode, created_at, id);
CREATE INDEX orders_by_status ON orders (store_id, status, id) INCLUDE (created_at);
CREATE INDEX orders_by_updated_at ON orders (store_id, updated_at, id)
  INCLUDE (created_at, payment, shipping, status, currency, manual, with_tax, without_tax);
CREATE INDEX orders_by_with_tax ON orders (store_id, with_tax, id) INCLUDE (created_at);
CREATE INDEX orders_by_without_tax ON orders (store_id, without_tax, id) INCLUDE (created_at);
CALL track('orders', $$'order'$$, personal => true, hidden => $$(
  SELECT json_strip_nulls(row_to_json(h)) FROM json_to_record(r.hidden) h (currency json, prices json, payments json,
    fully_paid_at json, is_manual json, customer_id json, account_id json, account_member_id json, item_ids json,
    custom_discount_ids json, promotion_ids json))$$);

-- The items of an order with all that they cost: written once, and never changed. In a table of its own, so that
-- lists of orders do not read it.
CREATE TABLE order_contents (
  store_id uuid NOT NULL,
  order_id uuid NOT NULL,
  doc json NOT NULL,
  CONSTRAINT order_contents_pkey PRIMARY KEY (store_id, order_id),
  CONSTRAINT order_contents_order_fkey FOREIGN KEY (store_id, order_id)
    REFERENCES orders (store_id, id) ON DELETE CASCADE
);

-- == orders/order-exports ==

-- Jobs that export orders: see server/orders/order-exports/.
CREATE TABLE order_jobs (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT order_jobs_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX order_jobs_by_created_at ON order_jobs (store_id, created_at, id);
CALL track('order_jobs', $$'job'$$);

-- == orders/metrics ==

-- What orders come to in each quarter of an hour, and, so that few rows are read, in each hour and each day of UTC.
-- Hours, days and weeks of every time zone consist of quarters, and most of hours.
CREATE TABLE order_sums (
  store_id uuid NOT NULL,
  currency text COLLATE "C" NOT NULL,
  grain text COLLATE "C" NOT NULL,
  at timestamptz(3) NOT NULL,
  orders bigint NOT NULL,
  value numeric NOT NULL,
  discount numeric NOT NULL,
  CONSTRAINT order_sums_pkey PRIMARY KEY (store_id, currency, grain, at) INCLUDE (orders, value, discount),
  CONSTRAINT order_sums_grain_check CHECK (grain IN ('quarter', 'hour', 'day'))
);

-- What is not yet added to the sums, by the quarter of an hour. Each write of an order appends to it, so that checkouts
-- never wait for each other; a chore adds it to the sums.
CREATE TABLE order_sum_changes (
  store_id uuid NOT NULL,
  currency text COLLATE "C" NOT NULL,
  at timestamptz(3) NOT NULL,
  orders bigint NOT NULL,
  value numeric NOT NULL,
  discount numeric NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX order_sum_changes_by_at ON order_sum_changes (store_id, currency, at);

-- Cancelled orders do not count. Discounts are stored as negative numbers, and counted as positive ones.
CREATE FUNCTION sum_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.status <> 'cancelled' THEN
    INSERT INTO order_sum_changes VALUES (OLD.store_id, OLD.currency,
      date_bin('15 minutes', OLD.created_at, '2000-01-01Z'), -1, -OLD.with_tax, -OLD.discount);
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.status <> 'cancelled' THEN
    INSERT INTO order_sum_changes VALUES (NEW.store_id, NEW.currency,
      date_bin('15 minutes', NEW.created_at, '2000-01-01Z'), 1, NEW.with_tax, NEW.discount);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER sum_changed_order AFTER UPDATE ON orders
  FOR EACH ROW WHEN ((old.status = 'cancelled') IS DISTINCT FROM (new.status = 'cancelled')
  OR old.currency IS DISTINCT FROM new.currency OR old.created_at IS DISTINCT FROM new.created_at
  OR old.with_tax IS DISTINCT FROM new.with_tax OR old.discount IS DISTINCT FROM new.discount)
  EXECUTE FUNCTION sum_order();

CREATE TRIGGER sum_order AFTER INSERT OR DELETE ON orders FOR EACH ROW EXECUTE FUNCTION sum_order();
