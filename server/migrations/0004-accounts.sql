CREATE TABLE accounts (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  legal_name text COLLATE "C" GENERATED ALWAYS AS (doc->>'legal_name') STORED,
  registration_id text COLLATE "C" GENERATED ALWAYS AS (doc->>'registration_id') STORED,
  external_ref text COLLATE "C" GENERATED ALWAYS AS (doc->>'external_ref') STORED,
  parent_id uuid GENERATED ALWAYS AS ((hidden->>'parent_id')::uuid) STORED,
  CONSTRAINT accounts_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT accounts_registration_id_key UNIQUE (store_id, registration_id),
  -- A parent cannot go while it has children.
  CONSTRAINT accounts_parent_id_fkey FOREIGN KEY (store_id, parent_id) REFERENCES accounts
);
CREATE INDEX accounts_by_created_at ON accounts (store_id, created_at, id);
CREATE INDEX accounts_by_updated_at ON accounts (store_id, updated_at, id);
CREATE INDEX accounts_by_name ON accounts (store_id, name, id);
CREATE INDEX accounts_by_legal_name ON accounts (store_id, legal_name);
-- Longer than an index entry may be: its first characters find it, see kernel/query/long-text.ts.
CREATE INDEX accounts_by_external_ref ON accounts (store_id, left(external_ref, 128));
CREATE INDEX accounts_by_parent ON accounts (store_id, parent_id) WHERE parent_id IS NOT NULL;
CALL track('accounts', $$'account'$$);
