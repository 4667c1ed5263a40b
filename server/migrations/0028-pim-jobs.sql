CREATE TABLE pim_jobs (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
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
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT pim_job_errors_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT pim_job_errors_parent_fkey FOREIGN KEY (store_id, job_id) REFERENCES pim_jobs ON DELETE CASCADE
);
CREATE INDEX pim_job_errors_by_created_at ON pim_job_errors (store_id, job_id, created_at, id);
CALL track('pim_job_errors', $$'pim-job-error'$$, '{job_id}');
