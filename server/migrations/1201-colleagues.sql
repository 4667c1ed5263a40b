-- Colleagues: the people of the merchant realm, their roles and their sign-ins. See decision 123.

CREATE TABLE role_assignments (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  user_id uuid GENERATED ALWAYS AS ((doc#>>'{relationships,user,data,id}')::uuid) STORED NOT NULL,
  role_id uuid GENERATED ALWAYS AS ((doc#>>'{relationships,role,data,id}')::uuid) STORED NOT NULL,
  CONSTRAINT role_assignments_pkey PRIMARY KEY (store_id, id),
  -- A caller has one column of the access table.
  CONSTRAINT role_assignments_user_key UNIQUE (store_id, user_id),
  CONSTRAINT role_assignments_user_id_fkey FOREIGN KEY (store_id, user_id)
    REFERENCES user_authentication_infos (store_id, id) ON DELETE CASCADE
);
CREATE INDEX role_assignments_by_created_at ON role_assignments (store_id, created_at, id);
CREATE INDEX role_assignments_by_role ON role_assignments (store_id, role_id, created_at, id);
CREATE INDEX role_assignments_by_updated_at ON role_assignments (store_id, updated_at, id);
CALL track('role_assignments', $$'role_assignment'$$);

-- Once a store has a Store Admin, one stays. Two who remove each other at once take turns.
CREATE FUNCTION keep_a_store_admin() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  store_admin CONSTANT uuid := '55c3c778-1d54-45b7-9da9-9c525aafdcc1';
BEGIN
  IF OLD.role_id <> store_admin THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended(OLD.store_id::text || 'store admins', 0));
  -- The store itself may be going.
  IF EXISTS (SELECT FROM role_assignments WHERE store_id = OLD.store_id AND role_id = store_admin)
    OR NOT EXISTS (SELECT FROM stores WHERE id = OLD.store_id) THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'the last store admin' USING ERRCODE = 'check_violation',
    CONSTRAINT = 'role_assignments_last_store_admin';
END $$;

CREATE CONSTRAINT TRIGGER role_assignments_last_store_admin AFTER DELETE OR UPDATE ON role_assignments
  FOR EACH ROW EXECUTE FUNCTION keep_a_store_admin();

-- Who has signed in. What is hidden is the hash of the secret in their cookie, and the last use.
CREATE TABLE colleague_sessions (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  user_id uuid GENERATED ALWAYS AS ((doc->>'user_id')::uuid) STORED NOT NULL,
  CONSTRAINT colleague_sessions_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT colleague_sessions_user_id_fkey FOREIGN KEY (store_id, user_id)
    REFERENCES user_authentication_infos (store_id, id) ON DELETE CASCADE
);
CREATE INDEX colleague_sessions_by_created_at ON colleague_sessions (store_id, created_at, id);
CREATE INDEX colleague_sessions_by_user ON colleague_sessions (store_id, user_id, created_at, id);
CREATE INDEX colleague_sessions_by_updated_at ON colleague_sessions (store_id, updated_at, id);
CALL track('colleague_sessions', $$'colleague_session'$$, personal => true);

-- A link that lets a colleague set their password once. A newer one replaces it.
CREATE TABLE colleague_invitations (
  store_id uuid NOT NULL,
  user_id uuid NOT NULL,
  secret_hash text COLLATE "C" NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT colleague_invitations_pkey PRIMARY KEY (store_id, user_id),
  CONSTRAINT colleague_invitations_user_id_fkey FOREIGN KEY (store_id, user_id)
    REFERENCES user_authentication_infos (store_id, id) ON DELETE CASCADE
);
