-- The payment gateways of a store. Every store has one row for each gateway that Sutler knows.
CREATE TABLE gateways (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->>'slug') STORED NOT NULL,
  CONSTRAINT gateways_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT gateways_slug_key UNIQUE (store_id, slug)
);
CREATE INDEX gateways_by_slug ON gateways (store_id, slug, id);
CALL track('gateways', $$'gateway'$$, counted => false);
