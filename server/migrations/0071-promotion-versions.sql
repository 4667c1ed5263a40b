-- What standard promotions were and are: one row for each write of a promotion. See server/promotions/.
CREATE TABLE promotion_versions (
  store_id uuid NOT NULL,
  promotion_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  -- The promotion's own version: two writes may be of the same instant.
  number integer GENERATED ALWAYS AS ((hidden->>'number')::integer) STORED NOT NULL,
  CONSTRAINT promotion_versions_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT promotion_versions_parent_fkey
    FOREIGN KEY (store_id, promotion_id) REFERENCES promotions ON DELETE CASCADE
);
CREATE INDEX promotion_versions_by_number ON promotion_versions (store_id, promotion_id, number, id);
