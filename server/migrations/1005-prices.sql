-- The tables and routines of prices/ at the baseline: see docs/decisions/0094-baseline.md.

-- A routine may use what comes after it.
SET LOCAL check_function_bodies = off;

-- == prices/pricebooks ==

-- What things cost. See server/prices/pricebooks/.
CREATE TABLE pricebooks (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'name') STORED NOT NULL,
  external_ref text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'external_ref') STORED,
  CONSTRAINT pricebooks_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT pricebooks_name_key UNIQUE (store_id, name)
);
CREATE INDEX pricebooks_by_created_at ON pricebooks (store_id, created_at, id);
CREATE INDEX pricebooks_by_external_ref ON pricebooks (store_id, left(external_ref, 128), created_at, id);
CREATE INDEX pricebooks_by_updated_at ON pricebooks (store_id, updated_at, id);
CALL track('pricebooks', $$'pricebook'$$);

CREATE TABLE prices (
  store_id uuid NOT NULL,
  pricebook_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  -- The list of the store's, of all price books.
  prices_of uuid GENERATED ALWAYS AS (store_id) STORED NOT NULL,
  sku text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'sku') STORED NOT NULL,
  external_ref text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'external_ref') STORED,
  CONSTRAINT prices_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT prices_sku_key UNIQUE (store_id, pricebook_id, sku),
  CONSTRAINT prices_parent_fkey FOREIGN KEY (store_id, pricebook_id)
    REFERENCES pricebooks (store_id, id) ON DELETE CASCADE
);
CREATE INDEX prices_by_created_at ON prices (store_id, pricebook_id, created_at, id);
CREATE INDEX prices_by_id ON prices (store_id, pricebook_id, id);
CREATE INDEX prices_by_updated_at ON prices (store_id, pricebook_id, updated_at, id);
CREATE UNIQUE INDEX prices_external_ref_key ON prices (store_id, pricebook_id, md5(external_ref));
CREATE INDEX prices_of_store_by_created_at ON prices (store_id, prices_of, created_at, id);
CREATE INDEX prices_of_store_by_external_ref ON prices (store_id, prices_of, left(external_ref, 128), created_at, id);
CREATE INDEX prices_of_store_by_sku ON prices (store_id, prices_of, sku, created_at, id);
CREATE INDEX prices_of_store_by_updated_at ON prices (store_id, prices_of, updated_at, id);
CALL track('prices', $$'product-price'$$, '{pricebook_id,prices_of}');

CREATE TABLE price_modifiers (
  store_id uuid NOT NULL,
  pricebook_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'name') STORED NOT NULL,
  external_ref text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'external_ref') STORED,
  CONSTRAINT price_modifiers_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT price_modifiers_name_key UNIQUE (store_id, pricebook_id, name),
  CONSTRAINT price_modifiers_parent_fkey FOREIGN KEY (store_id, pricebook_id)
    REFERENCES pricebooks (store_id, id) ON DELETE CASCADE
);
CREATE INDEX price_modifiers_by_created_at ON price_modifiers (store_id, pricebook_id, created_at, id);
CREATE INDEX price_modifiers_by_external_ref ON price_modifiers
  (store_id, pricebook_id, left(external_ref, 128), created_at, id);
CREATE INDEX price_modifiers_by_id ON price_modifiers (store_id, pricebook_id, id);
CREATE INDEX price_modifiers_by_updated_at ON price_modifiers (store_id, pricebook_id, updated_at, id);
CALL track('price_modifiers', $$'price-modifier'$$, '{pricebook_id}');

-- == prices/price-import ==

-- Lines of files, from when they were sent until their job has gone through them. See
-- server/prices/price-import/.
CREATE TABLE price_import_lines (
  store_id uuid NOT NULL,
  import_id uuid NOT NULL,
  line integer NOT NULL,
  received_at timestamptz(3) NOT NULL,
  -- pricebook, product-price, or nothing: why it cannot be read.
  about text COLLATE "C" NOT NULL,
  -- What no two lines are about.
  target text COLLATE "C" NOT NULL,
  content json NOT NULL,
  CONSTRAINT price_import_lines_pkey PRIMARY KEY (store_id, import_id, about, line)
);
