CREATE TABLE custom_api_role_policies (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  custom_api_id uuid GENERATED ALWAYS AS ((doc #>> '{relationships,custom_api,data,id}')::uuid) STORED NOT NULL,
  role_id uuid GENERATED ALWAYS AS ((doc #>> '{relationships,role,data,id}')::uuid) STORED NOT NULL,
  CONSTRAINT custom_api_role_policies_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT custom_api_role_policies_role_key UNIQUE (store_id, custom_api_id, role_id),
  CONSTRAINT custom_api_role_policies_custom_api_id_fkey
    FOREIGN KEY (store_id, custom_api_id) REFERENCES custom_apis ON DELETE CASCADE
);
CREATE INDEX custom_api_role_policies_by_created_at ON custom_api_role_policies (store_id, created_at, id);
CREATE INDEX custom_api_role_policies_by_updated_at ON custom_api_role_policies (store_id, updated_at, id);
CREATE INDEX custom_api_role_policies_by_role ON custom_api_role_policies (store_id, role_id);
CALL track('custom_api_role_policies', $$'custom_api_role_policy'$$);
