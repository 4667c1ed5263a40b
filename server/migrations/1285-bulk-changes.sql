-- Changes of many objects at once, with their objects in parts: see docs/decisions/0161-bulk-changes.md.
CREATE TABLE bulk_changes (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  status text COLLATE "C" GENERATED ALWAYS AS (doc->>'status') STORED NOT NULL,
  CONSTRAINT bulk_changes_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX bulk_changes_by_created_at ON bulk_changes (store_id, created_at, id);
CREATE INDEX bulk_changes_by_status ON bulk_changes (store_id, status, created_at, id);
CREATE INDEX bulk_changes_by_updated_at ON bulk_changes (store_id, updated_at, id);
CALL track('bulk_changes', $$'bulk_change'$$);

CREATE TABLE bulk_change_parts (
  store_id uuid NOT NULL,
  bulk_change_id uuid NOT NULL,
  number integer NOT NULL,
  -- Of each object its id, the version that it was chosen in, and for an undo the version whose values come back.
  rows json NOT NULL,
  -- When the part is done: the version that it left each object in, or null if it has not changed it.
  written json,
  CONSTRAINT bulk_change_parts_pkey PRIMARY KEY (store_id, bulk_change_id, number),
  CONSTRAINT bulk_change_parts_bulk_change_id_fkey FOREIGN KEY (store_id, bulk_change_id)
    REFERENCES bulk_changes (store_id, id) ON DELETE CASCADE
);

CREATE TABLE bulk_change_refusals (
  store_id uuid NOT NULL,
  bulk_change_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT bulk_change_refusals_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT bulk_change_refusals_parent_fkey FOREIGN KEY (store_id, bulk_change_id)
    REFERENCES bulk_changes (store_id, id) ON DELETE CASCADE
);
CREATE INDEX bulk_change_refusals_by_created_at ON bulk_change_refusals (store_id, bulk_change_id, created_at, id);
CREATE INDEX bulk_change_refusals_by_id ON bulk_change_refusals (store_id, bulk_change_id, id);
CREATE INDEX bulk_change_refusals_by_updated_at ON bulk_change_refusals (store_id, bulk_change_id, updated_at, id);
CALL track('bulk_change_refusals', $$'bulk_change_refusal'$$, '{bulk_change_id}');
