-- What shoppers have bought: see docs/decisions/0042-orders.md.
CREATE TABLE orders (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
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
  CONSTRAINT orders_pkey PRIMARY KEY (store_id, id),
  -- One version of a cart makes one order.
  CONSTRAINT orders_cart_key UNIQUE (store_id, cart_id, cart_version),
  -- What is paid, authorized and waits for a gateway never exceeds the total.
  CONSTRAINT orders_paid_check CHECK (paid >= 0 AND authorized >= 0 AND pending >= 0
    AND paid + authorized + pending <= with_tax)
);
CREATE INDEX orders_by_created_at ON orders (store_id, created_at, id);
CREATE INDEX orders_by_updated_at ON orders (store_id, updated_at, id);
CREATE INDEX orders_by_status ON orders (store_id, status, id) INCLUDE (created_at);
CREATE INDEX orders_by_payment ON orders (store_id, payment, id) INCLUDE (created_at);
CREATE INDEX orders_by_shipping ON orders (store_id, shipping, id) INCLUDE (created_at);
CREATE INDEX orders_by_with_tax ON orders (store_id, with_tax, id) INCLUDE (created_at);
CREATE INDEX orders_by_without_tax ON orders (store_id, without_tax, id) INCLUDE (created_at);
CREATE INDEX orders_by_currency ON orders (store_id, currency, created_at, id);
CREATE INDEX orders_by_customer_id ON orders (store_id, customer_id, created_at, id);
CREATE INDEX orders_by_account_id ON orders (store_id, account_id, created_at, id);
CREATE INDEX orders_by_account_member_id ON orders (store_id, account_member_id, created_at, id);
CREATE INDEX orders_by_name ON orders (store_id, name, created_at, id);
CREATE INDEX orders_by_email ON orders (store_id, email, created_at, id);
CREATE INDEX orders_by_contact_name ON orders (store_id, contact_name, created_at, id);
CREATE INDEX orders_by_contact_email ON orders (store_id, contact_email, created_at, id);
CREATE INDEX orders_by_order_number ON orders (store_id, order_number, created_at, id);
CREATE INDEX orders_by_external_ref ON orders (store_id, external_ref, created_at, id);
CREATE INDEX orders_by_shipping_postcode ON orders (store_id, shipping_postcode, created_at, id);
CREATE INDEX orders_by_billing_postcode ON orders (store_id, billing_postcode, created_at, id);
CREATE INDEX orders_by_product_ids ON orders USING gin (product_ids jsonb_path_ops);
CREATE INDEX orders_by_product_skus ON orders USING gin (product_skus jsonb_path_ops);
CALL track('orders', $$'order'$$, personal => true);

-- The items of an order with all that they cost: written once, and never changed. In a table of its own, so that
-- lists of orders do not read it.
CREATE TABLE order_contents (
  store_id uuid NOT NULL,
  order_id uuid NOT NULL,
  doc json NOT NULL,
  CONSTRAINT order_contents_pkey PRIMARY KEY (store_id, order_id),
  CONSTRAINT order_contents_order_fkey FOREIGN KEY (store_id, order_id) REFERENCES orders ON DELETE CASCADE
);
