-- The long jobs of each store, in the order in which they were queued: see docs/decisions/0020-jobs-and-builds.md.

CREATE TABLE long_jobs (
  store_id uuid NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  name text COLLATE "C" NOT NULL,
  author text NOT NULL,
  payload json NOT NULL,
  -- How often the job was started since it last made progress, and how often it was put off since then, and why.
  starts integer NOT NULL DEFAULT 0,
  tries integer NOT NULL DEFAULT 0,
  waiting_for text,
  next_try_at timestamptz NOT NULL DEFAULT now(),
  -- The worker that runs it: see worker-session.ts.
  locked_by text COLLATE "C",
  locked_at timestamptz,
  CONSTRAINT long_jobs_pkey PRIMARY KEY (store_id, id)
);
CREATE UNIQUE INDEX long_jobs_one_at_a_time ON long_jobs (store_id) WHERE locked_by IS NOT NULL;

-- Until now they were in the queue of the short ones.
DO $$
BEGIN
  IF to_regclass('graphile_worker._private_jobs') IS NOT NULL THEN
    WITH moved AS (
      DELETE FROM graphile_worker._private_jobs j
      USING graphile_worker._private_job_queues q, graphile_worker._private_tasks t
      WHERE q.id = j.job_queue_id AND q.queue_name LIKE 'store %' AND t.id = j.task_id
      RETURNING j.id, t.identifier, j.payload
    )
    INSERT INTO long_jobs (store_id, name, author, payload)
    SELECT (payload->>'store')::uuid, identifier, payload->>'by', payload->'payload' FROM moved ORDER BY id;
    DELETE FROM graphile_worker._private_job_queues WHERE queue_name LIKE 'store %';
  END IF;
END
$$;
