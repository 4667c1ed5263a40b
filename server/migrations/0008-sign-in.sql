-- Sign-ins on their way. Nothing here is shown or fed to anyone, and every row is gone within the hour, so neither
-- table is tracked. What a browser carries is stored as its hash.

-- The browser is at the provider; it comes back with the state.
CREATE TABLE sign_in_requests (
  store_id uuid NOT NULL,
  state_hash text COLLATE "C" NOT NULL,
  realm_id uuid NOT NULL,
  oidc_profile_id uuid NOT NULL,
  -- Between the provider and us.
  callback_url text NOT NULL,
  nonce text NOT NULL,
  code_verifier text NOT NULL,
  -- Between the storefront and us.
  redirect_uri text NOT NULL,
  state text NOT NULL,
  code_challenge text NOT NULL,
  reports_replay boolean NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3),
  CONSTRAINT sign_in_requests_pkey PRIMARY KEY (store_id, state_hash),
  CONSTRAINT sign_in_requests_parent_fkey FOREIGN KEY (store_id, realm_id, oidc_profile_id)
    REFERENCES oidc_profiles (store_id, realm_id, id) ON DELETE CASCADE
);
-- For the job that removes the expired, of all stores.
CREATE INDEX sign_in_requests_by_expires_at ON sign_in_requests (expires_at);
CREATE INDEX sign_in_requests_by_profile ON sign_in_requests (store_id, realm_id, oidc_profile_id);

-- The browser is back at the storefront, which changes the code for a token.
CREATE TABLE sign_in_codes (
  store_id uuid NOT NULL,
  code_hash text COLLATE "C" NOT NULL,
  realm_id uuid NOT NULL,
  user_authentication_info_id uuid NOT NULL,
  redirect_uri text NOT NULL,
  code_challenge text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT sign_in_codes_pkey PRIMARY KEY (store_id, code_hash),
  CONSTRAINT sign_in_codes_parent_fkey FOREIGN KEY (store_id, realm_id, user_authentication_info_id)
    REFERENCES user_authentication_infos (store_id, realm_id, id) ON DELETE CASCADE
);
CREATE INDEX sign_in_codes_by_expires_at ON sign_in_codes (expires_at);
CREATE INDEX sign_in_codes_by_user ON sign_in_codes (store_id, realm_id, user_authentication_info_id);
