-- Where stock may lie.
CREATE TABLE inventory_locations (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'slug') STORED NOT NULL,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'name') STORED NOT NULL,
  external_ref text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'external_ref') STORED,
  CONSTRAINT inventory_locations_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT inventory_locations_slug_key UNIQUE (store_id, slug)
);
CREATE INDEX inventory_locations_by_created_at ON inventory_locations (store_id, created_at, id);
CREATE INDEX inventory_locations_by_updated_at ON inventory_locations (store_id, updated_at, id);
CREATE INDEX inventory_locations_by_name ON inventory_locations (store_id, left(name, 128), created_at, id);
CREATE INDEX inventory_locations_by_external_ref ON inventory_locations
  (store_id, left(external_ref, 128), created_at, id);
CALL track('inventory_locations', $$'inventory_location'$$);

-- How much there is of a product, under the product's id. What is shown is the sum of its levels, written by whoever
-- changes one while they hold this row.
CREATE TABLE stocks (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  available float8 GENERATED ALWAYS AS ((doc->'attributes'->>'available')::float8) STORED NOT NULL,
  CONSTRAINT stocks_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX stocks_by_created_at ON stocks (store_id, created_at, id);
CREATE INDEX stocks_by_updated_at ON stocks (store_id, updated_at, id);
CREATE INDEX stocks_by_available ON stocks (store_id, available, created_at, id);
CALL track('stocks', $$'stock'$$);

-- What is there of it in each location, and (without a location) in none.
CREATE TABLE stock_levels (
  store_id uuid NOT NULL,
  stock_id uuid NOT NULL,
  location_id uuid,
  available bigint NOT NULL,
  allocated bigint NOT NULL,
  CONSTRAINT stock_levels_key UNIQUE NULLS NOT DISTINCT (store_id, stock_id, location_id),
  CONSTRAINT stock_levels_stock_fkey FOREIGN KEY (store_id, stock_id) REFERENCES stocks ON DELETE CASCADE,
  CONSTRAINT stock_levels_location_fkey FOREIGN KEY (store_id, location_id) REFERENCES inventory_locations,
  CONSTRAINT stock_levels_check CHECK (
    available >= 0 AND allocated >= 0 AND available + allocated <= 100000000000)
);
CREATE INDEX stock_levels_by_location ON stock_levels (store_id, location_id, stock_id);

-- What is shown of stocks, with or without levels: of thousands they are added up at once. Nearly always it is one,
-- which takes longer to plan than to add up.
CREATE FUNCTION stock_documents(of_store uuid, of_stocks uuid[]) RETURNS TABLE (stock_id uuid, doc json)
LANGUAGE plpgsql STABLE ROWS 10 SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY
  SELECT s.id, json_build_object('attributes', json_build_object(
    'available', coalesce(sum(l.available), 0),
    'allocated', coalesce(sum(l.allocated), 0),
    'total', coalesce(sum(l.available + l.allocated), 0),
    'locations', coalesce(
      json_object_agg(i.slug, json_build_object(
        'available', l.available, 'allocated', l.allocated, 'total', l.available + l.allocated) ORDER BY i.slug)
      FILTER (WHERE i.id IS NOT NULL), '{}')))
  FROM unnest(of_stocks) s (id)
  LEFT JOIN stock_levels l ON l.store_id = of_store AND l.stock_id = s.id
  LEFT JOIN inventory_locations i ON i.store_id = of_store AND i.id = l.location_id
  GROUP BY s.id;
END $$;

-- Everything that has happened to it: added up, they are the stock.
CREATE TABLE stock_transactions (
  store_id uuid NOT NULL,
  stock_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  action text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'action') STORED NOT NULL,
  location text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'location') STORED,
  CONSTRAINT stock_transactions_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT stock_transactions_parent_fkey FOREIGN KEY (store_id, stock_id) REFERENCES stocks ON DELETE CASCADE
);
CREATE INDEX stock_transactions_by_created_at ON stock_transactions (store_id, stock_id, created_at, id);
CREATE INDEX stock_transactions_by_id ON stock_transactions (store_id, stock_id, id);
CREATE INDEX stock_transactions_by_action ON stock_transactions (store_id, stock_id, action, created_at, id);
CREATE INDEX stock_transactions_by_location ON stock_transactions (store_id, stock_id, location, created_at, id);
CALL track('stock_transactions', $$'stock-transaction'$$, '{stock_id}');
