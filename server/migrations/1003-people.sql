-- The tables and routines of people/ at the baseline: see docs/decisions/0094-baseline.md.

-- A routine may use what comes after it.
SET LOCAL check_function_bodies = off;

-- == people/keys ==

-- A key's client id is its name everywhere, so it is unique across stores.
CREATE TABLE application_keys (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  client_id text COLLATE "C" GENERATED ALWAYS AS (doc->>'client_id') STORED,
  reserved_rate_limit integer GENERATED ALWAYS AS ((doc->>'reserved_rate_limit')::integer) STORED,
  CONSTRAINT application_keys_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT application_keys_client_id_key UNIQUE (client_id),
  CONSTRAINT application_keys_store_id_fkey FOREIGN KEY (store_id) REFERENCES stores (id) ON DELETE CASCADE
);
CREATE INDEX application_keys_by_created_at ON application_keys (store_id, created_at, id);
CALL track('application_keys', $$'application_key'$$);

-- == people/permissions ==

CREATE TABLE custom_api_role_policies (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  custom_api_id uuid GENERATED ALWAYS AS ((doc#>>'{relationships,custom_api,data,id}')::uuid) STORED NOT NULL,
  role_id uuid GENERATED ALWAYS AS ((doc#>>'{relationships,role,data,id}')::uuid) STORED NOT NULL,
  CONSTRAINT custom_api_role_policies_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT custom_api_role_policies_role_key UNIQUE (store_id, custom_api_id, role_id),
  CONSTRAINT custom_api_role_policies_custom_api_id_fkey FOREIGN KEY (store_id, custom_api_id)
    REFERENCES custom_apis (store_id, id) ON DELETE CASCADE
);
CREATE INDEX custom_api_role_policies_by_created_at ON custom_api_role_policies (store_id, created_at, id);
CREATE INDEX custom_api_role_policies_by_role ON custom_api_role_policies (store_id, role_id, created_at, id);
CREATE INDEX custom_api_role_policies_by_updated_at ON custom_api_role_policies (store_id, updated_at, id);
CALL track('custom_api_role_policies', $$'custom_api_role_policy'$$);

-- == people/identity ==

CREATE TABLE authentication_realms (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  origin text COLLATE "C" GENERATED ALWAYS AS (doc->'relationships'->'origin'->'data'->>'type') STORED NOT NULL,
  CONSTRAINT authentication_realms_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT authentication_realms_origin_key UNIQUE (store_id, origin),
  CONSTRAINT authentication_realms_store_id_fkey FOREIGN KEY (store_id) REFERENCES stores (id) ON DELETE CASCADE
);
CREATE INDEX authentication_realms_by_created_at ON authentication_realms (store_id, created_at, id);
CALL track('authentication_realms', $$'authentication-realm'$$);

-- Administrators type the prefix to say which store they sign in to, so it is unique across stores, in any case.
CREATE TABLE merchant_realm_mappings (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  prefix text COLLATE "C" GENERATED ALWAYS AS (doc->>'prefix') STORED,
  realm_id uuid GENERATED ALWAYS AS ((doc->>'realm_id')::uuid) STORED NOT NULL,
  CONSTRAINT merchant_realm_mappings_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT merchant_realm_mappings_realm_id_fkey FOREIGN KEY (store_id, realm_id)
    REFERENCES authentication_realms (store_id, id),
  CONSTRAINT merchant_realm_mappings_store_id_fkey FOREIGN KEY (store_id) REFERENCES stores (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX merchant_realm_mappings_prefix_key ON merchant_realm_mappings (lower(prefix COLLATE "default"));
CALL track('merchant_realm_mappings', $$'merchant-realm-mappings'$$);

CREATE TABLE user_authentication_infos (
  store_id uuid NOT NULL,
  realm_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  email text COLLATE "C" GENERATED ALWAYS AS (doc->>'email') STORED NOT NULL,
  given_name text COLLATE "C" GENERATED ALWAYS AS (doc->>'given_name') STORED,
  middle_name text COLLATE "C" GENERATED ALWAYS AS (doc->>'middle_name') STORED,
  family_name text COLLATE "C" GENERATED ALWAYS AS (doc->>'family_name') STORED,
  CONSTRAINT user_authentication_infos_pkey PRIMARY KEY (store_id, id),
  -- What a user's links point to; the list in the order of ids is read from it too.
  CONSTRAINT user_authentication_infos_realm_key UNIQUE (store_id, realm_id, id),
  CONSTRAINT user_authentication_infos_parent_fkey FOREIGN KEY (store_id, realm_id)
    REFERENCES authentication_realms (store_id, id) ON DELETE CASCADE
);
CREATE INDEX user_authentication_infos_by_created_at ON user_authentication_infos (store_id, realm_id, created_at, id);
CREATE INDEX user_authentication_infos_by_email ON user_authentication_infos (store_id, realm_id, email, id)
  INCLUDE (created_at);
CREATE INDEX user_authentication_infos_by_email_caseless ON user_authentication_infos
  (store_id, realm_id, lower(email COLLATE "default"), created_at, id);
CREATE INDEX user_authentication_infos_by_name ON user_authentication_infos (store_id, realm_id, name, id)
  INCLUDE (created_at);
-- Whoever looks for a name or an address writes it in any case: see `caseless` in server/kernel/query/sql.ts.
CREATE INDEX user_authentication_infos_by_name_caseless ON user_authentication_infos
  (store_id, realm_id, lower(name COLLATE "default"), created_at, id);
CREATE INDEX user_authentication_infos_by_updated_at ON user_authentication_infos (store_id, realm_id, updated_at, id);
CALL track('user_authentication_infos', $$'user_authentication_info'$$, '{realm_id}', personal => true);

-- How often the tokens of a user were ended. A token names the number it was issued under, and is good for no other:
-- unlike a time, it tells a token issued just before from one issued just after. No row: never.
CREATE TABLE user_token_epochs (
  store_id uuid NOT NULL,
  user_id uuid NOT NULL,
  epoch integer NOT NULL,
  CONSTRAINT user_token_epochs_pkey PRIMARY KEY (store_id, user_id),
  CONSTRAINT user_token_epochs_parent_fkey FOREIGN KEY (store_id, user_id)
    REFERENCES user_authentication_infos (store_id, id) ON DELETE CASCADE
);

-- == people/passwords ==

CREATE TABLE password_profiles (
  store_id uuid NOT NULL,
  realm_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT password_profiles_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT password_profiles_realm_key UNIQUE (store_id, realm_id, id),
  CONSTRAINT password_profiles_parent_fkey FOREIGN KEY (store_id, realm_id)
    REFERENCES authentication_realms (store_id, id) ON DELETE CASCADE
);
CREATE INDEX password_profiles_by_created_at ON password_profiles (store_id, realm_id, created_at, id);
CALL track('password_profiles', $$'password_profile'$$, '{realm_id}');

CREATE TABLE user_authentication_password_profile_infos (
  store_id uuid NOT NULL,
  realm_id uuid NOT NULL,
  user_authentication_info_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  password_profile_id uuid GENERATED ALWAYS AS ((doc->>'password_profile_id')::uuid) STORED NOT NULL,
  username text COLLATE "C" GENERATED ALWAYS AS (doc->>'username') STORED NOT NULL,
  CONSTRAINT user_authentication_password_profile_infos_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT user_authentication_password_profile_infos_parent_fkey FOREIGN KEY
    (store_id, realm_id, user_authentication_info_id)
    REFERENCES user_authentication_infos (store_id, realm_id, id) ON DELETE CASCADE,
  CONSTRAINT user_authentication_password_profile_infos_profile_fkey FOREIGN KEY
    (store_id, realm_id, password_profile_id) REFERENCES password_profiles (store_id, realm_id, id) ON DELETE CASCADE
);
CREATE INDEX user_authentication_password_profile_infos_by_created_at ON user_authentication_password_profile_infos
  (store_id, realm_id, user_authentication_info_id, created_at, id);
-- Names that differ in case only would be two users who take each other for themselves.
CREATE UNIQUE INDEX user_authentication_password_profile_infos_username_key
  ON user_authentication_password_profile_infos (store_id, realm_id, password_profile_id, lower(username COLLATE "default"));
CALL track('user_authentication_password_profile_infos', $$'user_authentication_password_profile_info'$$,
  '{user_authentication_info_id}', personal => true);

-- The newest one-time password of a username: a newer one takes its place, a sign-in takes it away.
CREATE TABLE one_time_passwords (
  store_id uuid NOT NULL,
  password_link_id uuid NOT NULL,
  hash text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  -- Which address a one-time password is sent to: it is good while that is the user's, and who uses it has shown that
  -- they read what is sent there.
  email text NOT NULL,
  CONSTRAINT one_time_passwords_pkey PRIMARY KEY (store_id, password_link_id),
  CONSTRAINT one_time_passwords_parent_fkey FOREIGN KEY (store_id, password_link_id)
    REFERENCES user_authentication_password_profile_infos (store_id, id) ON DELETE CASCADE
);
CREATE INDEX one_time_passwords_by_expires_at ON one_time_passwords (expires_at);

-- A user who is signed out has no one-time password any more. Module identity ends tokens and does not know passwords.
CREATE FUNCTION forget_one_time_passwords() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM one_time_passwords o
  USING user_authentication_infos u JOIN user_authentication_password_profile_infos l
    ON l.store_id = u.store_id AND l.realm_id = u.realm_id AND l.user_authentication_info_id = u.id
  WHERE u.store_id = NEW.store_id AND u.id = NEW.user_id AND o.store_id = l.store_id AND o.password_link_id = l.id;
  RETURN NULL;
END $$;

CREATE TRIGGER forget_one_time_passwords AFTER INSERT OR UPDATE ON user_token_epochs
  FOR EACH ROW EXECUTE FUNCTION forget_one_time_passwords();

-- == people/oidc ==

CREATE TABLE oidc_profiles (
  store_id uuid NOT NULL,
  realm_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT oidc_profiles_pkey PRIMARY KEY (store_id, id),
  -- Links to a profile name its realm too: they cannot point into another realm.
  CONSTRAINT oidc_profiles_realm_key UNIQUE (store_id, realm_id, id),
  CONSTRAINT oidc_profiles_parent_fkey FOREIGN KEY (store_id, realm_id)
    REFERENCES authentication_realms (store_id, id) ON DELETE CASCADE
);
CREATE INDEX oidc_profiles_by_created_at ON oidc_profiles (store_id, realm_id, created_at, id);
CALL track('oidc_profiles', $$'oidc-profile'$$, '{realm_id}');

CREATE TABLE user_authentication_oidc_profile_infos (
  store_id uuid NOT NULL,
  realm_id uuid NOT NULL,
  user_authentication_info_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  oidc_profile_id uuid GENERATED ALWAYS AS ((doc->>'oidc_profile_id')::uuid) STORED NOT NULL,
  issuer text COLLATE "C" GENERATED ALWAYS AS (doc->>'issuer') STORED NOT NULL,
  subject text COLLATE "C" GENERATED ALWAYS AS (doc->>'subject') STORED,
  -- An issuer is the same with and without slashes at its end. Links of one person in two spellings may be older than
  -- this rule. They stay until their identity changes: `doubled` is the identity that is in other links too.
  doubled text COLLATE "C",
  CONSTRAINT user_authentication_oidc_profile_infos_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT user_authentication_oidc_profile_infos_parent_fkey FOREIGN KEY
    (store_id, realm_id, user_authentication_info_id)
    REFERENCES user_authentication_infos (store_id, realm_id, id) ON DELETE CASCADE,
  CONSTRAINT user_authentication_oidc_profile_infos_profile_fkey FOREIGN KEY (store_id, realm_id, oidc_profile_id)
    REFERENCES oidc_profiles (store_id, realm_id, id) ON DELETE CASCADE
);
CREATE INDEX user_authentication_oidc_profile_infos_by_created_at ON user_authentication_oidc_profile_infos
  (store_id, realm_id, user_authentication_info_id, created_at, id);
-- The shortest spelling has the key without slashes, so that no other one has the same key.
CREATE UNIQUE INDEX user_authentication_oidc_profile_infos_identity_key ON user_authentication_oidc_profile_infos
  (store_id, realm_id, oidc_profile_id, subject, (
    CASE WHEN doubled = ((issuer || ' ') || subject) THEN issuer ELSE rtrim(issuer, '/') END));
CALL track('user_authentication_oidc_profile_infos', $$'user_authentication_oidc_profile_info'$$,
  '{user_authentication_info_id}', personal => true);

-- The browser is at the provider; it comes back with the state.
CREATE UNLOGGED TABLE sign_in_requests (
  store_id uuid NOT NULL,
  state_hash text COLLATE "C" NOT NULL,
  realm_id uuid NOT NULL,
  oidc_profile_id uuid NOT NULL,
  -- Between the provider and us.
  callback_url text NOT NULL,
  sealed_nonce text NOT NULL,
  sealed_code_verifier text NOT NULL,
  -- Between the storefront and us.
  redirect_uri text NOT NULL,
  state text NOT NULL,
  code_challenge text NOT NULL,
  reports_replay boolean NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3),
  CONSTRAINT sign_in_requests_pkey PRIMARY KEY (store_id, state_hash)
);
-- For the job that removes the expired, of all stores.
CREATE INDEX sign_in_requests_by_expires_at ON sign_in_requests (expires_at);

-- The browser is back at the storefront, which changes the code for a token.
CREATE UNLOGGED TABLE sign_in_codes (
  store_id uuid NOT NULL,
  code_hash text COLLATE "C" NOT NULL,
  realm_id uuid NOT NULL,
  user_authentication_info_id uuid NOT NULL,
  redirect_uri text NOT NULL,
  code_challenge text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  epoch integer NOT NULL,
  granted boolean,
  CONSTRAINT sign_in_codes_pkey PRIMARY KEY (store_id, code_hash)
);
CREATE INDEX sign_in_codes_by_expires_at ON sign_in_codes (expires_at);

-- == people/accounts ==

CREATE TABLE accounts (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  legal_name text COLLATE "C" GENERATED ALWAYS AS (doc->>'legal_name') STORED,
  registration_id text COLLATE "C" GENERATED ALWAYS AS (doc->>'registration_id') STORED,
  external_ref text COLLATE "C" GENERATED ALWAYS AS (doc->>'external_ref') STORED,
  parent_id uuid GENERATED ALWAYS AS ((doc->>'parent_id')::uuid) STORED,
  account_tags jsonb GENERATED ALWAYS AS ((doc#>'{relationships,account_tags,data}')::jsonb) STORED,
  CONSTRAINT accounts_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT accounts_registration_id_key UNIQUE (store_id, registration_id),
  -- A parent cannot go while it has children.
  CONSTRAINT accounts_parent_id_fkey FOREIGN KEY (store_id, parent_id) REFERENCES accounts (store_id, id)
);
-- No store: GIN takes no uuid, and a tag's id belongs to one store anyway.
CREATE INDEX accounts_by_account_tags ON accounts USING gin (account_tags jsonb_path_ops)
  WHERE account_tags IS NOT NULL;
CREATE INDEX accounts_by_created_at ON accounts (store_id, created_at, id);
-- Longer than an index entry may be: its first characters find it, see server/kernel/query/long-text.ts.
CREATE INDEX accounts_by_external_ref ON accounts (store_id, left(external_ref, 128), created_at, id);
CREATE INDEX accounts_by_legal_name ON accounts (store_id, legal_name, created_at, id);
-- Accounts that were made with a new member, for as long as nobody else is in them. They remember for whom: either may
-- have another name by now, and the member may be gone.
CREATE INDEX accounts_by_member ON accounts (store_id, ((hidden->>'made_for')::uuid))
  WHERE hidden->>'made_for' IS NOT NULL;
CREATE INDEX accounts_by_name ON accounts (store_id, name, id) INCLUDE (created_at);
CREATE INDEX accounts_by_parent ON accounts (store_id, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX accounts_by_updated_at ON accounts (store_id, updated_at, id);
CALL track('accounts', $$'account'$$, personal => true);

CREATE TABLE account_tags (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
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
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT account_addresses_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT account_addresses_parent_fkey FOREIGN KEY (store_id, account_id)
    REFERENCES accounts (store_id, id) ON DELETE CASCADE
);
CREATE INDEX account_addresses_by_created_at ON account_addresses (store_id, account_id, created_at, id);
CALL track('account_addresses', $$'address'$$, '{account_id}', personal => true);

CREATE TABLE account_memberships (
  store_id uuid NOT NULL,
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  account_member_id uuid GENERATED ALWAYS AS ((doc->>'account_member_id')::uuid) STORED NOT NULL,
  CONSTRAINT account_memberships_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT account_memberships_account_member_id_key UNIQUE (store_id, account_id, account_member_id),
  CONSTRAINT account_memberships_account_member_id_fkey FOREIGN KEY (store_id, account_member_id)
    REFERENCES user_authentication_infos (store_id, id) ON DELETE CASCADE,
  CONSTRAINT account_memberships_parent_fkey FOREIGN KEY (store_id, account_id)
    REFERENCES accounts (store_id, id) ON DELETE CASCADE
);
-- At most a thousand in an account, and ten thousand of a member: other orders are sorted as they are read.
CREATE INDEX account_memberships_by_created_at ON account_memberships (store_id, account_id, created_at, id);
CREATE INDEX account_memberships_of_member_by_created_at ON account_memberships
  (store_id, account_member_id, created_at, id);
CALL track('account_memberships', $$'account_membership'$$, '{account_id,account_member_id}', personal => true);

-- == people/customers ==

CREATE TABLE customers (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  email text COLLATE "C" GENERATED ALWAYS AS (doc->>'email') STORED NOT NULL,
  external_ref text COLLATE "C" GENERATED ALWAYS AS (doc->>'external_ref') STORED,
  CONSTRAINT customers_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX customers_by_created_at ON customers (store_id, created_at, id);
CREATE INDEX customers_by_email ON customers (store_id, email, id) INCLUDE (created_at);
-- Longer than an index entry may be: its first characters find it, see server/kernel/query/long-text.ts.
CREATE INDEX customers_by_external_ref ON customers (store_id, left(external_ref, 128), created_at, id);
CREATE INDEX customers_by_name ON customers (store_id, name, id) INCLUDE (created_at);
CREATE INDEX customers_by_updated_at ON customers (store_id, updated_at, id);
-- It is what customers sign in with, and they write it in any case: see `caseless` in server/kernel/query/sql.ts.
CREATE UNIQUE INDEX customers_email_key ON customers (store_id, lower(email COLLATE "default"));
CALL track('customers', $$'customer'$$, personal => true);

CREATE TABLE customer_addresses (
  store_id uuid NOT NULL,
  customer_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT customer_addresses_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT customer_addresses_parent_fkey FOREIGN KEY (store_id, customer_id)
    REFERENCES customers (store_id, id) ON DELETE CASCADE
);
CREATE INDEX customer_addresses_by_created_at ON customer_addresses (store_id, customer_id, created_at, id);
CALL track('customer_addresses', $$'address'$$, '{customer_id}', personal => true);
