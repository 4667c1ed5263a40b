-- Links that set the password of a colleague once. They need the role. Links from before must be sent again.
CREATE TABLE invitations (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  user_id uuid GENERATED ALWAYS AS ((doc->>'user_id')::uuid) STORED NOT NULL,
  secret_hash text COLLATE "C" GENERATED ALWAYS AS (hidden->>'secret_hash') STORED NOT NULL,
  CONSTRAINT invitations_pkey PRIMARY KEY (store_id, id),
  -- A newer link replaces an earlier one.
  CONSTRAINT invitations_user_key UNIQUE (store_id, user_id),
  CONSTRAINT invitations_user_id_fkey FOREIGN KEY (store_id, user_id)
    REFERENCES role_assignments (store_id, user_id) ON DELETE CASCADE
);
CREATE INDEX invitations_by_created_at ON invitations (store_id, created_at, id);
CREATE INDEX invitations_by_secret ON invitations (store_id, secret_hash);
CREATE INDEX invitations_by_updated_at ON invitations (store_id, updated_at, id);
CALL track('invitations', $$'colleague_invitation'$$, personal => true);
