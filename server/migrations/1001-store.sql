-- The tables and routines of store/ at the baseline: see docs/decisions/0094-baseline.md.

-- A routine may use what comes after it.
SET LOCAL check_function_bodies = off;

-- == store/currencies ==

CREATE TABLE currencies (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  code text COLLATE "C" GENERATED ALWAYS AS (doc->>'code') STORED NOT NULL,
  is_default boolean GENERATED ALWAYS AS ((doc->>'default')::boolean) STORED NOT NULL,
  CONSTRAINT currencies_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT currencies_code_key UNIQUE (store_id, code)
);
CREATE INDEX currencies_by_created_at ON currencies (store_id, created_at, id);
CREATE UNIQUE INDEX currencies_default_key ON currencies (store_id) WHERE is_default;
CALL track('currencies', $$'currency'$$);

-- == store/jobs ==

CREATE TABLE pim_jobs (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT pim_jobs_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX pim_jobs_by_created_at ON pim_jobs (store_id, created_at, id);
CREATE INDEX pim_jobs_by_updated_at ON pim_jobs (store_id, updated_at, id);
CALL track('pim_jobs', $$'pim-job'$$);

CREATE TABLE pim_job_errors (
  store_id uuid NOT NULL,
  job_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT pim_job_errors_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT pim_job_errors_parent_fkey FOREIGN KEY (store_id, job_id)
    REFERENCES pim_jobs (store_id, id) ON DELETE CASCADE
);
CREATE INDEX pim_job_errors_by_created_at ON pim_job_errors (store_id, job_id, created_at, id);
CALL track('pim_job_errors', $$'pim-job-error'$$, '{job_id}');

-- == store/files ==

CREATE TABLE files (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  file_name text COLLATE "C" GENERATED ALWAYS AS (doc->>'file_name') STORED,
  -- Numbers as filters compare them.
  file_size double precision GENERATED ALWAYS AS ((doc->>'file_size')::double precision) STORED NOT NULL,
  width double precision GENERATED ALWAYS AS ((hidden->>'width')::double precision) STORED,
  height double precision GENERATED ALWAYS AS ((hidden->>'height')::double precision) STORED,
  CONSTRAINT files_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX files_by_created_at ON files (store_id, created_at, id);
CREATE INDEX files_by_file_name ON files (store_id, file_name, created_at, id);
CREATE INDEX files_by_file_size ON files (store_id, file_size, created_at, id);
CREATE INDEX files_by_height ON files (store_id, height, created_at, id) WHERE height IS NOT NULL;
CREATE INDEX files_by_width ON files (store_id, width, created_at, id) WHERE width IS NOT NULL;
CALL track('files', $$'file'$$, hidden => $$json_strip_nulls(json_build_object('location', r.hidden->'location',
  'width', r.hidden->'width', 'height', r.hidden->'height'))$$);
