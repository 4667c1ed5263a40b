CREATE TABLE currencies (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  code text COLLATE "C" GENERATED ALWAYS AS (doc->>'code') STORED NOT NULL,
  is_default boolean GENERATED ALWAYS AS ((doc->>'default')::boolean) STORED NOT NULL,
  CONSTRAINT currencies_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT currencies_code_key UNIQUE (store_id, code)
);
CREATE INDEX currencies_by_created_at ON currencies (store_id, created_at, id);
CREATE UNIQUE INDEX currencies_default_key ON currencies (store_id) WHERE is_default;
CALL track('currencies', $$'currency'$$);
