-- The tables and routines of telling/ at the baseline: see docs/decisions/0094-baseline.md.

-- A routine may use what comes after it.
SET LOCAL check_function_bodies = off;

-- == telling/integrations ==

-- What observes the events of a store, and where it wants them.
CREATE TABLE integrations (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  enabled boolean GENERATED ALWAYS AS ((doc->>'enabled')::boolean) STORED NOT NULL,
  CONSTRAINT integrations_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX integrations_by_created_at ON integrations (store_id, created_at, id);
CALL track('integrations', $$'integration'$$, counted => false, hidden =>
  $$json_build_object('open_settings', r.hidden->'open_settings')$$);

-- == telling/deliveries ==

-- One event for one integration. Nothing deletes a job with its integration: jobs and logs stay until they are old.
CREATE TABLE integration_jobs (
  store_id uuid NOT NULL,
  -- Made of the integration and the event, so that an event makes one job, whatever runs twice.
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  integration_id uuid NOT NULL,
  -- Made of the store, the position and the key: what receivers recognise an event by.
  event_id uuid NOT NULL,
  key text NOT NULL,
  -- The object of the event. The events of one object reach an integration in their order.
  source text NOT NULL,
  subject_id uuid NOT NULL, position bigint NOT NULL,
  state text DEFAULT 'waiting' NOT NULL,
  -- How many attempts there were.
  attempt integer DEFAULT 0 NOT NULL,
  -- Null while an earlier job of the same object waits, and after the end.
  due_at timestamptz(3),
  leased_until timestamptz(3),
  -- Why it is dead or dropped.
  reason text,
  CONSTRAINT integration_jobs_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT integration_jobs_state_check CHECK (state IN ('waiting', 'succeeded', 'dead', 'dropped'))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
-- Of the jobs that wait for one object of one integration, one is active: it has a time. The others follow in order.
CREATE UNIQUE INDEX integration_jobs_active ON integration_jobs (store_id, integration_id, subject_id, source)
  WHERE state = 'waiting' AND due_at IS NOT NULL;
CREATE INDEX integration_jobs_by_created_at ON integration_jobs (store_id, integration_id, created_at, id);
-- Targets may repeat in their responses what they were sent. An erasure finds what was sent about an object.
CREATE INDEX integration_jobs_by_object ON integration_jobs (store_id, subject_id);
CREATE INDEX integration_jobs_by_subject ON integration_jobs (store_id, integration_id, subject_id, source, position)
  WHERE state = 'waiting';
-- Each integration's next jobs are found without passing over those of others, which may be many.
CREATE INDEX integration_jobs_due ON integration_jobs (store_id, integration_id, due_at)
  WHERE state = 'waiting' AND due_at IS NOT NULL;
CALL fence_times_of('integration_jobs');
CALL count_rows('integration_jobs', '{integration_id}');

-- One attempt of a job.
CREATE TABLE integration_logs (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  integration_id uuid NOT NULL,
  job_id uuid NOT NULL,
  CONSTRAINT integration_logs_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX integration_logs_by_created_at ON integration_logs (store_id, created_at, id);
CREATE INDEX integration_logs_by_integration ON integration_logs (store_id, integration_id, created_at, id);
CREATE INDEX integration_logs_by_job ON integration_logs (store_id, job_id, created_at, id);
CALL fence_times_of('integration_logs');
CALL count_rows('integration_logs', '{store_id,integration_id}');

-- How far a reader of the change feed has come in each store.
CREATE TABLE feed_readers (
  store_id uuid NOT NULL,
  reader text NOT NULL, position bigint NOT NULL,
  -- Who observes what as of the position of the reader, as `{integration: keys}`; null where the reader has not stored
  -- it yet. See docs/decisions/0062-deliveries.md.
  observers json,
  CONSTRAINT feed_readers_pkey PRIMARY KEY (store_id, reader)
) WITH (fillfactor = 50);

-- An integration whose target has failed since its last success.
CREATE TABLE integration_failures (
  store_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  since timestamptz(3) NOT NULL,
  -- How many jobs are dead.
  dead integer NOT NULL,
  CONSTRAINT integration_failures_pkey PRIMARY KEY (store_id, integration_id)
) WITH (fillfactor = 50);

-- Whoever adds jobs to a store or drops some holds this lock alone. Those who end jobs share it: each ends other jobs.
CREATE FUNCTION deliveries_lock(of_store uuid) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT hashtextextended('deliveries ' || of_store, 0)
$$;

-- Gives a time to the first waiting job of each of these objects, unless one of their jobs has one. A session keeps the
-- plan that it made when few jobs waited: it would read all jobs for each object in a join, and with thousands of jobs
-- take seconds under the lock of the store. Subqueries without a join use an index, whatever the plan.
CREATE FUNCTION activate_deliveries(of_store uuid, subjects json, instant timestamptz)
  RETURNS void LANGUAGE sql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  UPDATE integration_jobs j SET due_at = instant
  WHERE j.store_id = of_store AND j.id = ANY (ARRAY(
    SELECT (
      SELECT w.id FROM integration_jobs w
      WHERE w.store_id = of_store AND w.integration_id = s.integration_id AND w.subject_id = s.subject_id
        AND w.source = s.source AND w.state = 'waiting'
      ORDER BY w.position, w.key LIMIT 1)
    FROM (
      SELECT DISTINCT o.integration_id, o.source, o.subject_id
      FROM json_to_recordset(subjects) AS o (integration_id uuid, source text, subject_id uuid)
    ) s
    WHERE (
      SELECT a.id FROM integration_jobs a
      WHERE a.store_id = of_store AND a.integration_id = s.integration_id AND a.subject_id = s.subject_id
        AND a.source = s.source AND a.state = 'waiting' AND a.due_at IS NOT NULL LIMIT 1) IS NULL))
$$;

-- Adds jobs; those that exist stay as they are. With `again`, jobs that have ended begin anew. Returns how many wait
-- because of it.
CREATE FUNCTION queue_deliveries(of_store uuid, jobs json, instant timestamptz, again boolean)
  RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  queued integer;
BEGIN
  PERFORM pg_advisory_xact_lock(deliveries_lock(of_store));
  INSERT INTO integration_jobs (store_id, id, created_at, updated_at, integration_id, event_id, key, source, subject_id,
    position)
  SELECT of_store, n.id, instant, instant, n.integration_id, n.event_id, n.key, n.source, n.subject_id, n.position
  FROM json_to_recordset(jobs) AS n (id uuid, integration_id uuid, event_id uuid, key text, source text,
    subject_id uuid, position bigint)
  ON CONFLICT (store_id, id) DO UPDATE
    SET state = 'waiting', attempt = 0, due_at = NULL, leased_until = NULL, reason = NULL, updated_at = fenced(instant)
    WHERE again AND integration_jobs.state <> 'waiting';
  GET DIAGNOSTICS queued = ROW_COUNT;
  PERFORM activate_deliveries(of_store, jobs, instant);
  RETURN queued;
END $$;

-- Ends the waiting jobs of integrations of the store that are gone or disabled.
CREATE FUNCTION drop_deliveries(of_store uuid, ends json, instant timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  dropped json;
BEGIN
  PERFORM pg_advisory_xact_lock(deliveries_lock(of_store));
  WITH changed AS (
    UPDATE integration_jobs j
    SET state = 'dropped', due_at = NULL, leased_until = NULL, updated_at = fenced(instant),
      reason = 'The integration was disabled or deleted.'
    FROM json_to_recordset(ends) AS e (integration_id uuid, "position" bigint)
    WHERE j.store_id = of_store AND j.integration_id = e.integration_id AND j.state = 'waiting'
      AND j.position < e.position
    RETURNING j.integration_id, j.source, j.subject_id
  )
  SELECT coalesce(json_agg(c), '[]') INTO dropped FROM changed c;
  PERFORM activate_deliveries(of_store, dropped, instant);
  DELETE FROM integration_failures f USING json_to_recordset(ends) AS e (integration_id uuid)
  WHERE f.store_id = of_store AND f.integration_id = e.integration_id;
END $$;

-- The integrations that have jobs to do at an instant. It looks at one entry of the index for each integration.
CREATE FUNCTION integrations_due(instant timestamptz)
  RETURNS TABLE(store_id uuid, integration_id uuid) LANGUAGE sql STABLE SET enable_seqscan = off
  SET enable_bitmapscan = off AS $$
  WITH RECURSIVE first AS (
    (SELECT j.store_id, j.integration_id, j.due_at FROM integration_jobs j
     WHERE j.state = 'waiting' AND j.due_at IS NOT NULL
     ORDER BY j.store_id, j.integration_id, j.due_at LIMIT 1)
    UNION ALL
    SELECT n.* FROM first f CROSS JOIN LATERAL (
      SELECT j.store_id, j.integration_id, j.due_at FROM integration_jobs j
      WHERE j.state = 'waiting' AND j.due_at IS NOT NULL
        AND (j.store_id, j.integration_id) > (f.store_id, f.integration_id)
      ORDER BY j.store_id, j.integration_id, j.due_at LIMIT 1) n
  )
  SELECT f.store_id, f.integration_id FROM first f WHERE f.due_at <= instant
$$;

-- Takes the next jobs of these integrations, so many of each, until the end of the lease. Nobody waits for a lock here.
CREATE FUNCTION claim_deliveries(of_stores uuid[], of_integrations uuid[], most integer[], instant timestamptz,
  lease timestamptz) RETURNS TABLE(store_id uuid, integration_id uuid, id uuid, event_id uuid, key text,
  source text, subject_id uuid, "position" bigint, attempt integer) LANGUAGE sql SET enable_seqscan = off
  SET enable_bitmapscan = off AS $$
  WITH due AS MATERIALIZED (
    SELECT j.store_id, j.id
    FROM unnest(of_stores, of_integrations, most) AS q (store_id, integration_id, most)
    CROSS JOIN LATERAL (
      SELECT c.store_id, c.id FROM integration_jobs c
      WHERE c.store_id = q.store_id AND c.integration_id = q.integration_id AND c.state = 'waiting'
        AND c.due_at <= instant
      ORDER BY c.due_at LIMIT q.most FOR NO KEY UPDATE SKIP LOCKED) j
  )
  UPDATE integration_jobs j SET due_at = lease, leased_until = lease FROM due
  WHERE j.store_id = due.store_id AND j.id = due.id
  RETURNING j.store_id, j.integration_id, j.id, j.event_id, j.key, j.source, j.subject_id, j.position, j.attempt
$$;

-- Records how attempts ended, and lets the next jobs of their objects begin. An attempt whose lease somebody else has
-- taken over changes nothing. Returns the integrations that have failed too often, or since before `failing`.
CREATE FUNCTION end_deliveries(of_store uuid, attempts json, instant timestamptz, most_dead integer,
  failing timestamptz) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
DECLARE
  ended json;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(deliveries_lock(of_store));
  WITH changed AS (
    UPDATE integration_jobs j
    SET state = a.state, attempt = a.attempt, due_at = a.due_at, leased_until = NULL, reason = a.reason,
      updated_at = fenced(instant)
    FROM json_to_recordset(attempts) AS a (id uuid, lease timestamptz, state text, attempt integer, due_at timestamptz,
      reason text)
    WHERE j.store_id = of_store AND j.id = a.id AND j.state = 'waiting' AND j.leased_until = a.lease
    RETURNING j.integration_id, j.source, j.subject_id, j.state
  )
  SELECT coalesce(json_agg(c), '[]') INTO ended FROM changed c;
  PERFORM activate_deliveries(of_store, ended, instant);
  DELETE FROM integration_failures f WHERE f.store_id = of_store AND f.integration_id IN (
    SELECT e.integration_id FROM json_to_recordset(ended) AS e (integration_id uuid, state text)
    WHERE e.state = 'succeeded');
  RETURN QUERY INSERT INTO integration_failures AS f (store_id, integration_id, since, dead)
  SELECT of_store, e.integration_id, instant, count(*) FILTER (WHERE e.state = 'dead')
  FROM json_to_recordset(ended) AS e (integration_id uuid, state text)
  WHERE e.state <> 'dropped'
  GROUP BY e.integration_id HAVING bool_and(e.state <> 'succeeded') ORDER BY e.integration_id
  ON CONFLICT (store_id, integration_id) DO UPDATE SET dead = f.dead + excluded.dead
  RETURNING CASE WHEN f.dead >= most_dead OR f.since < failing THEN f.integration_id END;
END $$;

-- Gives back what a process that stops has taken.
CREATE FUNCTION return_deliveries(of_store uuid, jobs json, instant timestamptz) RETURNS void LANGUAGE sql AS $$
  UPDATE integration_jobs j SET due_at = instant, leased_until = NULL
  FROM json_to_recordset(jobs) AS a (id uuid, lease timestamptz)
  WHERE j.store_id = of_store AND j.id = a.id AND j.state = 'waiting' AND j.leased_until = a.lease
$$;

-- What a log says once the data of its event was erased.
CREATE FUNCTION without_response(log json) RETURNS json LANGUAGE sql IMMUTABLE AS $$
  SELECT json_build_object('succeeded', log->'succeeded', 'attempt', log->'attempt', 'body', '',
    'status_code', log->'status_code',
    'error_detail', CASE WHEN log->>'error_detail' = '' THEN '' ELSE 'The data of the event was erased.' END,
    'processing_time', log->'processing_time', 'relationships', log->'relationships')
$$;

-- Forgets what targets have answered to events of these objects, and ends the jobs that wait to send more than that one
-- is deleted. An attempt that is under way is recorded later: see `record_deliveries`.
CREATE FUNCTION forget_deliveries(of_store uuid, subjects uuid[], instant timestamptz)
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  dropped json;
BEGIN
  PERFORM pg_advisory_xact_lock(deliveries_lock(of_store));
  WITH changed AS (
    UPDATE integration_jobs j
    SET state = CASE j.state WHEN 'waiting' THEN 'dropped' ELSE j.state END, due_at = NULL, leased_until = NULL,
      reason = 'The data of the event was erased.', updated_at = fenced(instant)
    WHERE j.store_id = of_store AND j.subject_id = ANY(subjects)
      AND NOT (j.state = 'waiting' AND j.key LIKE '%.deleted')
    RETURNING j.integration_id, j.source, j.subject_id, j.state
  )
  SELECT coalesce(json_agg(c), '[]') INTO dropped FROM changed c WHERE c.state = 'dropped';
  PERFORM activate_deliveries(of_store, dropped, instant);
  UPDATE integration_logs l
  SET doc = without_response(l.doc), updated_at = fenced(instant)
  FROM integration_jobs j
  WHERE j.store_id = of_store AND j.subject_id = ANY(subjects) AND l.store_id = of_store AND l.job_id = j.id
    AND (l.doc->>'body' <> '' OR l.doc->>'error_detail' <> '');
END $$;

-- Stores the logs of attempts. Of an event whose data was erased during the attempt, the response is not stored.
CREATE FUNCTION record_deliveries(of_store uuid, logs json, instant timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- An erasure holds it alone. What it has changed is seen by the statement that follows.
  PERFORM pg_advisory_xact_lock_shared(deliveries_lock(of_store));
  INSERT INTO integration_logs (store_id, id, created_at, updated_at, doc, integration_id, job_id)
  SELECT of_store, l.id, instant, instant,
    CASE WHEN j.reason = 'The data of the event was erased.' THEN without_response(l.doc) ELSE l.doc END,
    l.integration_id, l.job_id
  FROM json_to_recordset(logs) AS l (id uuid, doc json, integration_id uuid, job_id uuid)
  LEFT JOIN integration_jobs j ON j.store_id = of_store AND j.id = l.job_id;
END $$;
