CREATE TABLE authentication_realms (
  store_id uuid NOT NULL REFERENCES stores ON DELETE CASCADE,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  origin text COLLATE "C" GENERATED ALWAYS AS (doc->'relationships'->'origin'->'data'->>'type') STORED NOT NULL,
  CONSTRAINT authentication_realms_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT authentication_realms_origin_key UNIQUE (store_id, origin)
);
CREATE INDEX authentication_realms_by_created_at ON authentication_realms (store_id, created_at, id);
CALL track('authentication_realms', $$'authentication-realm'$$);

-- Administrators type the prefix to say which store they sign in to, so it is unique across stores, in any case.
CREATE TABLE merchant_realm_mappings (
  store_id uuid NOT NULL REFERENCES stores ON DELETE CASCADE,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  prefix text COLLATE "C" GENERATED ALWAYS AS (doc->>'prefix') STORED,
  realm_id uuid GENERATED ALWAYS AS ((doc->>'realm_id')::uuid) STORED NOT NULL,
  CONSTRAINT merchant_realm_mappings_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT merchant_realm_mappings_realm_id_fkey FOREIGN KEY (store_id, realm_id) REFERENCES authentication_realms
);
CREATE UNIQUE INDEX merchant_realm_mappings_prefix_key ON merchant_realm_mappings (lower(prefix COLLATE "default"));
CALL track('merchant_realm_mappings', $$'merchant-realm-mappings'$$);

CREATE TABLE oidc_profiles (
  store_id uuid NOT NULL,
  realm_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT oidc_profiles_pkey PRIMARY KEY (store_id, id),
  -- Links to a profile name its realm too: they cannot point into another realm.
  CONSTRAINT oidc_profiles_realm_key UNIQUE (store_id, realm_id, id),
  CONSTRAINT oidc_profiles_parent_fkey FOREIGN KEY (store_id, realm_id) REFERENCES authentication_realms
    ON DELETE CASCADE
);
CREATE INDEX oidc_profiles_by_created_at ON oidc_profiles (store_id, realm_id, created_at, id);
CALL track('oidc_profiles', $$'oidc-profile'$$, '{realm_id}');

CREATE TABLE password_profiles (
  store_id uuid NOT NULL,
  realm_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT password_profiles_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT password_profiles_realm_key UNIQUE (store_id, realm_id, id),
  CONSTRAINT password_profiles_parent_fkey FOREIGN KEY (store_id, realm_id) REFERENCES authentication_realms
    ON DELETE CASCADE
);
CREATE INDEX password_profiles_by_created_at ON password_profiles (store_id, realm_id, created_at, id);
CALL track('password_profiles', $$'password_profile'$$, '{realm_id}');

CREATE TABLE user_authentication_infos (
  store_id uuid NOT NULL,
  realm_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
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
  CONSTRAINT user_authentication_infos_parent_fkey FOREIGN KEY (store_id, realm_id) REFERENCES authentication_realms
    ON DELETE CASCADE
);
CREATE INDEX user_authentication_infos_by_created_at ON user_authentication_infos (store_id, realm_id, created_at, id);
CREATE INDEX user_authentication_infos_by_updated_at ON user_authentication_infos (store_id, realm_id, updated_at, id);
CREATE INDEX user_authentication_infos_by_name ON user_authentication_infos (store_id, realm_id, name, id);
CREATE INDEX user_authentication_infos_by_email ON user_authentication_infos (store_id, realm_id, email, id);
-- Whoever looks for a name or an address writes it in any case: see `caseless` in kernel/query/sql.ts.
CREATE INDEX user_authentication_infos_by_name_caseless
  ON user_authentication_infos (store_id, realm_id, lower(name COLLATE "default"));
CREATE INDEX user_authentication_infos_by_email_caseless
  ON user_authentication_infos (store_id, realm_id, lower(email COLLATE "default"));
CALL track('user_authentication_infos', $$'user_authentication_info'$$, '{realm_id}');

CREATE TABLE user_authentication_oidc_profile_infos (
  store_id uuid NOT NULL,
  realm_id uuid NOT NULL,
  user_authentication_info_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  oidc_profile_id uuid GENERATED ALWAYS AS ((doc->>'oidc_profile_id')::uuid) STORED NOT NULL,
  issuer text COLLATE "C" GENERATED ALWAYS AS (doc->>'issuer') STORED NOT NULL,
  subject text COLLATE "C" GENERATED ALWAYS AS (doc->>'subject') STORED,
  CONSTRAINT user_authentication_oidc_profile_infos_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT user_authentication_oidc_profile_infos_parent_fkey
    FOREIGN KEY (store_id, realm_id, user_authentication_info_id)
    REFERENCES user_authentication_infos (store_id, realm_id, id) ON DELETE CASCADE,
  CONSTRAINT user_authentication_oidc_profile_infos_profile_fkey FOREIGN KEY (store_id, realm_id, oidc_profile_id)
    REFERENCES oidc_profiles (store_id, realm_id, id) ON DELETE CASCADE,
  -- One person at the provider is one user here. A link without a subject is no one's yet.
  CONSTRAINT user_authentication_oidc_profile_infos_identity_key
    UNIQUE (store_id, realm_id, oidc_profile_id, issuer, subject)
);
CREATE INDEX user_authentication_oidc_profile_infos_by_created_at
  ON user_authentication_oidc_profile_infos (store_id, realm_id, user_authentication_info_id, created_at, id);
CALL track('user_authentication_oidc_profile_infos', $$'user_authentication_oidc_profile_info'$$,
  '{user_authentication_info_id}');

CREATE TABLE user_authentication_password_profile_infos (
  store_id uuid NOT NULL,
  realm_id uuid NOT NULL,
  user_authentication_info_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  password_profile_id uuid GENERATED ALWAYS AS ((doc->>'password_profile_id')::uuid) STORED NOT NULL,
  username text COLLATE "C" GENERATED ALWAYS AS (doc->>'username') STORED NOT NULL,
  CONSTRAINT user_authentication_password_profile_infos_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT user_authentication_password_profile_infos_parent_fkey
    FOREIGN KEY (store_id, realm_id, user_authentication_info_id)
    REFERENCES user_authentication_infos (store_id, realm_id, id) ON DELETE CASCADE,
  CONSTRAINT user_authentication_password_profile_infos_profile_fkey
    FOREIGN KEY (store_id, realm_id, password_profile_id)
    REFERENCES password_profiles (store_id, realm_id, id) ON DELETE CASCADE
);
-- Names that differ in case only would be two users who take each other for themselves.
CREATE UNIQUE INDEX user_authentication_password_profile_infos_username_key
  ON user_authentication_password_profile_infos
  (store_id, realm_id, password_profile_id, lower(username COLLATE "default"));
CREATE INDEX user_authentication_password_profile_infos_by_created_at
  ON user_authentication_password_profile_infos (store_id, realm_id, user_authentication_info_id, created_at, id);
CALL track('user_authentication_password_profile_infos', $$'user_authentication_password_profile_info'$$,
  '{user_authentication_info_id}');
