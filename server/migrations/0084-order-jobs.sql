-- Jobs that export orders: see server/order-exports/.
CREATE TABLE order_jobs (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT order_jobs_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX order_jobs_by_created_at ON order_jobs (store_id, created_at, id);
CALL track('order_jobs', $$'job'$$);
