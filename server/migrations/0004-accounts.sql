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
  parent_id uuid GENERATED ALWAYS AS ((doc->>'parent_id')::uuid) STORED,
  account_tags jsonb GENERATED ALWAYS AS ((doc #> '{relationships,account_tags,data}')::jsonb) STORED,
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
-- No store: GIN takes no uuid, and a tag's id belongs to one store anyway.
CREATE INDEX accounts_by_account_tags ON accounts USING gin (account_tags jsonb_path_ops) WHERE account_tags IS NOT NULL;
CALL track('accounts', $$'account'$$);

CREATE TABLE account_tags (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  CONSTRAINT account_tags_pkey PRIMARY KEY (store_id, id),
  -- In the order of names it is the list's index too.
  CONSTRAINT account_tags_name_key UNIQUE (store_id, name)
);
CREATE INDEX account_tags_by_created_at ON account_tags (store_id, created_at, id);
CREATE INDEX account_tags_by_updated_at ON account_tags (store_id, updated_at, id);
CALL track('account_tags', $$'account_tag'$$);

CREATE TABLE account_addresses (
  store_id uuid NOT NULL,
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT account_addresses_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT account_addresses_parent_fkey FOREIGN KEY (store_id, account_id) REFERENCES accounts ON DELETE CASCADE
);
CREATE INDEX account_addresses_by_created_at ON account_addresses (store_id, account_id, created_at, id);
CALL track('account_addresses', $$'address'$$, '{account_id}');

CREATE TABLE account_memberships (
  store_id uuid NOT NULL,
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  account_member_id uuid GENERATED ALWAYS AS ((doc->>'account_member_id')::uuid) STORED NOT NULL,
  CONSTRAINT account_memberships_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT account_memberships_account_member_id_key UNIQUE (store_id, account_id, account_member_id),
  CONSTRAINT account_memberships_parent_fkey FOREIGN KEY (store_id, account_id) REFERENCES accounts ON DELETE CASCADE,
  CONSTRAINT account_memberships_account_member_id_fkey
    FOREIGN KEY (store_id, account_member_id) REFERENCES user_authentication_infos ON DELETE CASCADE
);
-- At most a thousand in an account, and ten thousand of a member: other orders are sorted as they are read.
CREATE INDEX account_memberships_by_created_at ON account_memberships (store_id, account_id, created_at, id);
CREATE INDEX account_memberships_of_member_by_created_at
  ON account_memberships (store_id, account_member_id, created_at, id);
CALL track('account_memberships', $$'account_membership'$$, '{account_id,account_member_id}');
