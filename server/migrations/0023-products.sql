CREATE TABLE products (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'name') STORED NOT NULL,
  sku text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'sku') STORED,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'slug') STORED,
  external_ref text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'external_ref') STORED,
  CONSTRAINT products_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT products_sku_key UNIQUE (store_id, sku),
  CONSTRAINT products_slug_key UNIQUE (store_id, slug)
);
CREATE INDEX products_by_created_at ON products (store_id, created_at, id);
CREATE INDEX products_by_updated_at ON products (store_id, updated_at, id);
CREATE INDEX products_by_name ON products (store_id, name, id) INCLUDE (created_at);
CREATE INDEX products_by_sku ON products (store_id, sku, created_at, id);
CREATE INDEX products_by_slug ON products (store_id, slug, created_at, id);
-- Longer than an index entry may be: its first characters find it, see kernel/query/long-text.ts.
CREATE INDEX products_by_external_ref ON products (store_id, left(external_ref, 128), created_at, id);
CALL track('products', $$'product'$$);
