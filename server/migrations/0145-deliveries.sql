-- How jobs of integrations begin, wait for each other and end: see docs/decisions/0062-deliveries.md.

-- Of the jobs that wait for one object of one integration, one is active: it has a time. The others follow in order.
CREATE UNIQUE INDEX integration_jobs_active ON integration_jobs (store_id, integration_id, subject_id, source)
  WHERE state = 'waiting' AND due_at IS NOT NULL;
-- Each integration's next jobs are found without passing over those of others, which may be many.
CREATE INDEX integration_jobs_due ON integration_jobs (store_id, integration_id, due_at)
  WHERE state = 'waiting' AND due_at IS NOT NULL;
DROP INDEX integration_jobs_by_due_at;

-- An integration whose target has failed since its last success.
CREATE TABLE integration_failures (
  store_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  since timestamptz(3) NOT NULL,
  -- How many jobs are dead.
  dead integer NOT NULL,
  CONSTRAINT integration_failures_pkey PRIMARY KEY (store_id, integration_id)
) WITH (fillfactor = 50);

-- Nobody observed anything until now.
INSERT INTO feed_readers (store_id, reader, position) SELECT store_id, 'deliveries', position FROM feeds
ON CONFLICT DO NOTHING;

-- Whoever adds jobs to a store or drops some holds this lock alone. Those who end jobs share it: each ends other jobs.
CREATE FUNCTION deliveries_lock(of_store uuid) RETURNS bigint IMMUTABLE LANGUAGE sql AS $$
  SELECT hashtextextended('deliveries ' || of_store, 0)
$$;

-- Gives a time to the first waiting job of each of these objects, unless one of their jobs has one.
CREATE FUNCTION activate_deliveries(of_store uuid, subjects json, instant timestamptz) RETURNS void LANGUAGE sql AS $$
  UPDATE integration_jobs j SET due_at = instant
  FROM (
    SELECT DISTINCT o.integration_id, o.source, o.subject_id
    FROM json_to_recordset(subjects) AS o (integration_id uuid, source text, subject_id uuid)
  ) s
  CROSS JOIN LATERAL (
    SELECT w.id FROM integration_jobs w
    WHERE w.store_id = of_store AND w.integration_id = s.integration_id AND w.subject_id = s.subject_id
      AND w.source = s.source AND w.state = 'waiting'
    ORDER BY w.position, w.key LIMIT 1
  ) first
  WHERE j.store_id = of_store AND j.id = first.id AND NOT EXISTS (
    SELECT FROM integration_jobs a
    WHERE a.store_id = of_store AND a.integration_id = s.integration_id AND a.subject_id = s.subject_id
      AND a.source = s.source AND a.state = 'waiting' AND a.due_at IS NOT NULL)
$$;

-- Adds jobs; those that exist stay as they are. With `again`, jobs that have ended begin anew. Returns how many wait
-- because of it.
CREATE FUNCTION queue_deliveries(of_store uuid, jobs json, instant timestamptz, again boolean) RETURNS integer
LANGUAGE plpgsql AS $$
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
    SET state = 'waiting', attempt = 0, due_at = NULL, leased_until = NULL, reason = NULL, updated_at = instant
    WHERE again AND integration_jobs.state <> 'waiting';
  GET DIAGNOSTICS queued = ROW_COUNT;
  PERFORM activate_deliveries(of_store, jobs, instant);
  RETURN queued;
END $$;

-- Ends the waiting jobs of integrations of the store that are gone or disabled.
CREATE FUNCTION drop_deliveries(of_store uuid, instant timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(deliveries_lock(of_store));
  UPDATE integration_jobs j
  SET state = 'dropped', due_at = NULL, leased_until = NULL, updated_at = instant,
    reason = 'The integration was disabled or deleted.'
  WHERE j.store_id = of_store AND j.state = 'waiting' AND NOT EXISTS (
    SELECT FROM integrations i WHERE i.store_id = of_store AND i.id = j.integration_id AND i.enabled);
  DELETE FROM integration_failures f WHERE f.store_id = of_store AND NOT EXISTS (
    SELECT FROM integrations i WHERE i.store_id = of_store AND i.id = f.integration_id AND i.enabled);
END $$;

-- The integrations that have jobs to do at an instant. It looks at one entry of the index for each integration.
CREATE FUNCTION integrations_due(instant timestamptz) RETURNS TABLE (store_id uuid, integration_id uuid)
STABLE LANGUAGE sql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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
  lease timestamptz)
RETURNS TABLE (store_id uuid, integration_id uuid, id uuid, event_id uuid, key text, source text, subject_id uuid,
  "position" bigint, attempt integer)
LANGUAGE sql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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
CREATE FUNCTION end_deliveries(of_store uuid, attempts json, instant timestamptz, most_dead integer, failing timestamptz)
RETURNS SETOF uuid LANGUAGE plpgsql AS $$
DECLARE
  ended json;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(deliveries_lock(of_store));
  WITH changed AS (
    UPDATE integration_jobs j
    SET state = a.state, attempt = a.attempt, due_at = a.due_at, leased_until = NULL, reason = a.reason,
      updated_at = instant
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
