CREATE TABLE files (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  file_name text COLLATE "C" GENERATED ALWAYS AS (doc->>'file_name') STORED NOT NULL,
  -- Numbers as filters compare them.
  file_size float8 GENERATED ALWAYS AS ((doc->>'file_size')::float8) STORED NOT NULL,
  width float8 GENERATED ALWAYS AS ((hidden->>'width')::float8) STORED,
  height float8 GENERATED ALWAYS AS ((hidden->>'height')::float8) STORED,
  CONSTRAINT files_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX files_by_created_at ON files (store_id, created_at, id);
CREATE INDEX files_by_file_name ON files (store_id, file_name, created_at, id);
CREATE INDEX files_by_file_size ON files (store_id, file_size, created_at, id);
CREATE INDEX files_by_width ON files (store_id, width, created_at, id) WHERE width IS NOT NULL;
CREATE INDEX files_by_height ON files (store_id, height, created_at, id) WHERE height IS NOT NULL;
CALL track('files', $$'file'$$);
