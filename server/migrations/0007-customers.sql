CREATE TABLE customers (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  email text COLLATE "C" GENERATED ALWAYS AS (doc->>'email') STORED NOT NULL,
  external_ref text COLLATE "C" GENERATED ALWAYS AS (doc->>'external_ref') STORED,
  CONSTRAINT customers_pkey PRIMARY KEY (store_id, id)
);
-- It is what customers sign in with, and they write it in any case: see `caseless` in kernel/query/sql.ts.
CREATE UNIQUE INDEX customers_email_key ON customers (store_id, lower(email COLLATE "default"));
CREATE INDEX customers_by_created_at ON customers (store_id, created_at, id);
CREATE INDEX customers_by_updated_at ON customers (store_id, updated_at, id);
CREATE INDEX customers_by_name ON customers (store_id, name, id);
CREATE INDEX customers_by_email ON customers (store_id, email, id);
-- Longer than an index entry may be: its first characters find it, see kernel/query/long-text.ts.
CREATE INDEX customers_by_external_ref ON customers (store_id, left(external_ref, 128));
CALL track('customers', $$'customer'$$);

CREATE TABLE customer_addresses (
  store_id uuid NOT NULL,
  customer_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT customer_addresses_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT customer_addresses_parent_fkey FOREIGN KEY (store_id, customer_id) REFERENCES customers ON DELETE CASCADE
);
CREATE INDEX customer_addresses_by_created_at ON customer_addresses (store_id, customer_id, created_at, id);
CALL track('customer_addresses', $$'address'$$, '{customer_id}');
