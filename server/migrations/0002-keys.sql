-- A key's client id is its name everywhere, so it is unique across stores.
CREATE TABLE application_keys (
  store_id uuid NOT NULL REFERENCES stores ON DELETE CASCADE,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  client_id text COLLATE "C" GENERATED ALWAYS AS (doc->>'client_id') STORED,
  reserved_rate_limit integer GENERATED ALWAYS AS ((doc->>'reserved_rate_limit')::integer) STORED,
  CONSTRAINT application_keys_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT application_keys_client_id_key UNIQUE (client_id)
);
CREATE INDEX application_keys_by_created_at ON application_keys (store_id, created_at, id);
CALL track('application_keys', $$'application_key'$$);
