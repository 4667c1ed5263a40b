-- Deliveries and reads of personal data where each store is on one of several nodes: see
-- docs/decisions/0152-feed-of-each-node.md.
-- A lock is taken where the row of the store is: so it is one lock, wherever the routine runs.

-- Gives a time to the first waiting job of each of these objects, unless one of their jobs has one. A session keeps the
-- plan that it made when few jobs waited: it would read all jobs for each object in a join, and with thousands of jobs
-- take seconds under the lock of the store. Subqueries without a join use an index, whatever the plan.
CREATE OR REPLACE FUNCTION activate_deliveries(of_store uuid, subjects json, instant timestamptz)
  RETURNS void LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
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
        AND a.source = s.source AND a.state = 'waiting' AND a.due_at IS NOT NULL LIMIT 1) IS NULL));
END $$;

-- Adds jobs; those that exist stay as they are. With `again`, jobs that have ended begin anew. Returns how many wait
-- because of it.
CREATE OR REPLACE FUNCTION queue_deliveries(of_store uuid, jobs json, instant timestamptz, again boolean)
  RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  queued integer;
BEGIN
  PERFORM pg_advisory_xact_lock(deliveries_lock(of_store)) FROM stores WHERE id = of_store;
  INSERT INTO integration_jobs (store_id, id, created_at, updated_at, integration_id, event_id, key, source, subject_id,
    position)
  SELECT s.id, n.id, instant, instant, n.integration_id, n.event_id, n.key, n.source, n.subject_id, n.position
  FROM stores s, json_to_recordset(jobs) AS n (id uuid, integration_id uuid, event_id uuid, key text, source text,
    subject_id uuid, position bigint)
  WHERE s.id = of_store
  ON CONFLICT (store_id, id) DO UPDATE
    SET state = 'waiting', attempt = 0, due_at = NULL, leased_until = NULL, reason = NULL,
      updated_at = fenced(integration_jobs.updated_at, instant)
    WHERE again AND integration_jobs.state <> 'waiting';
  GET DIAGNOSTICS queued = ROW_COUNT;
  PERFORM activate_deliveries(of_store, jobs, instant);
  RETURN queued;
END $$;
COMMENT ON FUNCTION queue_deliveries IS 'runs at the node of its store';

-- Ends the waiting jobs of integrations of the store that are gone or disabled.
CREATE OR REPLACE FUNCTION drop_deliveries(of_store uuid, ends json, instant timestamptz)
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  dropped json;
BEGIN
  PERFORM pg_advisory_xact_lock(deliveries_lock(of_store)) FROM stores WHERE id = of_store;
  WITH changed AS (
    UPDATE integration_jobs j
    SET state = 'dropped', due_at = NULL, leased_until = NULL, updated_at = fenced(j.updated_at, instant),
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
COMMENT ON FUNCTION drop_deliveries IS 'runs at the node of its store';

-- The integrations that have jobs to do at an instant. It looks at one entry of the index for each integration. Citus
-- sends no recursion to more than one node: there it looks at all jobs that are due.
CREATE OR REPLACE FUNCTION integrations_due(instant timestamptz)
  RETURNS TABLE(store_id uuid, integration_id uuid) LANGUAGE plpgsql STABLE SET enable_seqscan = off
  SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
  IF is_distributed() THEN
    RETURN QUERY SELECT DISTINCT j.store_id, j.integration_id FROM integration_jobs j
      WHERE j.state = 'waiting' AND j.due_at <= instant;
    RETURN;
  END IF;
  RETURN QUERY WITH RECURSIVE first AS (
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
  SELECT f.store_id, f.integration_id FROM first f WHERE f.due_at <= instant;
END $$;

-- Takes the next jobs of these integrations, so many of each, until the end of the lease. Nobody waits for a lock here.
-- All stores are on the node of `of_store`, where it runs.
CREATE FUNCTION claim_deliveries(of_store uuid, of_stores uuid[], of_integrations uuid[], most integer[],
  instant timestamptz, lease timestamptz) RETURNS TABLE(store_id uuid, integration_id uuid, id uuid, event_id uuid,
  key text, source text, subject_id uuid, "position" bigint, attempt integer) LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
  own record;
BEGIN
  FOR own IN
    SELECT q.store_id, array_agg(q.integration_id) AS integrations, array_agg(q.most) AS most
    FROM unnest(of_stores, of_integrations, most) AS q (store_id, integration_id, most) GROUP BY q.store_id
  LOOP
    RETURN QUERY
    WITH due AS MATERIALIZED (
      SELECT j.id
      FROM unnest(own.integrations, own.most) AS q (integration_id, most)
      CROSS JOIN LATERAL (
        SELECT c.id FROM integration_jobs c
        WHERE c.store_id = own.store_id AND c.integration_id = q.integration_id AND c.state = 'waiting'
          AND c.due_at <= instant
        ORDER BY c.due_at LIMIT q.most FOR NO KEY UPDATE SKIP LOCKED) j
    )
    UPDATE integration_jobs j SET due_at = lease, leased_until = lease FROM due
    WHERE j.store_id = own.store_id AND j.id = due.id
    RETURNING j.store_id, j.integration_id, j.id, j.event_id, j.key, j.source, j.subject_id, j.position, j.attempt;
  END LOOP;
END $$;
COMMENT ON FUNCTION claim_deliveries(uuid, uuid[], uuid[], integer[], timestamptz, timestamptz)
  IS 'runs at the node of its store';

-- Records how attempts ended, and lets the next jobs of their objects begin. An attempt whose lease somebody else has
-- taken over changes nothing. Returns the integrations that have failed too often, or since before `failing`.
CREATE OR REPLACE FUNCTION end_deliveries(of_store uuid, attempts json, instant timestamptz, most_dead integer,
  failing timestamptz) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
DECLARE
  ended json;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(deliveries_lock(of_store)) FROM stores WHERE id = of_store;
  WITH changed AS (
    UPDATE integration_jobs j
    SET state = a.state, attempt = a.attempt, due_at = a.due_at, leased_until = NULL, reason = a.reason,
      updated_at = fenced(j.updated_at, instant)
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
  SELECT s.id, e.integration_id, instant, count(*) FILTER (WHERE e.state = 'dead')
  FROM stores s, json_to_recordset(ended) AS e (integration_id uuid, state text)
  WHERE s.id = of_store AND e.state <> 'dropped'
  GROUP BY s.id, e.integration_id HAVING bool_and(e.state <> 'succeeded') ORDER BY e.integration_id
  ON CONFLICT (store_id, integration_id) DO UPDATE SET dead = f.dead + excluded.dead
  RETURNING CASE WHEN f.dead >= most_dead OR f.since < failing THEN f.integration_id END;
END $$;
COMMENT ON FUNCTION end_deliveries IS 'runs at the node of its store';

-- Gives back what a process that stops has taken.
CREATE OR REPLACE FUNCTION return_deliveries(of_store uuid, jobs json, instant timestamptz)
  RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE integration_jobs j SET due_at = instant, leased_until = NULL
  FROM json_to_recordset(jobs) AS a (id uuid, lease timestamptz)
  WHERE j.store_id = of_store AND j.id = a.id AND j.state = 'waiting' AND j.leased_until = a.lease;
END $$;
COMMENT ON FUNCTION return_deliveries IS 'runs at the node of its store';

-- Forgets what targets have answered to events of these objects, and ends the jobs that wait to send more than that one
-- is deleted. An attempt that is under way is recorded later: see `record_deliveries`.
CREATE OR REPLACE FUNCTION forget_deliveries(of_store uuid, subjects uuid[], instant timestamptz)
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  dropped json;
BEGIN
  PERFORM pg_advisory_xact_lock(deliveries_lock(of_store)) FROM stores WHERE id = of_store;
  WITH changed AS (
    UPDATE integration_jobs j
    SET state = CASE WHEN j.state = 'waiting' THEN 'dropped' ELSE j.state END, due_at = NULL, leased_until = NULL,
      reason = 'The data of the event was erased.', updated_at = fenced(j.updated_at, instant)
    WHERE j.store_id = of_store AND j.subject_id = ANY(subjects)
      AND NOT (j.state = 'waiting' AND j.key LIKE '%.deleted')
    RETURNING j.integration_id, j.source, j.subject_id, j.state
  )
  SELECT coalesce(json_agg(c), '[]') INTO dropped FROM changed c WHERE c.state = 'dropped';
  PERFORM activate_deliveries(of_store, dropped, instant);
  UPDATE integration_logs l
  SET doc = without_response(l.doc), updated_at = fenced(l.updated_at, instant)
  FROM integration_jobs j
  WHERE j.store_id = of_store AND j.subject_id = ANY(subjects) AND l.store_id = of_store AND l.job_id = j.id
    AND (l.doc->>'body' <> '' OR l.doc->>'error_detail' <> '');
END $$;
COMMENT ON FUNCTION forget_deliveries IS 'runs at the node of its store';

-- Stores the logs of attempts. Of an event whose data was erased during the attempt, the response is not stored.
CREATE OR REPLACE FUNCTION record_deliveries(of_store uuid, logs json, instant timestamptz)
  RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- An erasure holds it alone. What it has changed is seen by the statement that follows.
  PERFORM pg_advisory_xact_lock_shared(deliveries_lock(of_store)) FROM stores WHERE id = of_store;
  INSERT INTO integration_logs (store_id, id, created_at, updated_at, doc, integration_id, job_id)
  SELECT s.id, l.id, instant, instant,
    CASE WHEN j.reason = 'The data of the event was erased.' THEN without_response(l.doc) ELSE l.doc END,
    l.integration_id, l.job_id
  FROM stores s
  CROSS JOIN json_to_recordset(logs) AS l (id uuid, doc json, integration_id uuid, job_id uuid)
  LEFT JOIN integration_jobs j ON j.store_id = s.id AND j.id = l.job_id
  WHERE s.id = of_store;
END $$;
COMMENT ON FUNCTION record_deliveries IS 'runs at the node of its store';

-- Stores reads of a store, but for those of objects that have been erased: of such an object the feed knows that it is
-- gone and nothing else. An erasure and this take turns, or a read could be stored behind the back of the one who
-- erases. Each statement of this function sees what was committed before it began.
CREATE FUNCTION record_personal_data_reads(of_store uuid, reads json) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7305014) FROM stores WHERE id = of_store;
  INSERT INTO personal_data_reads (store_id, at, source, id, scope, actor, parent_scope)
  SELECT s.id, r.at, r.source, r.id, r.scope, r.actor, r.parent_scope
  FROM stores s, json_to_recordset(reads) AS r (
    at timestamptz, source text, id uuid, scope uuid, actor text, parent_scope uuid)
  WHERE s.id = of_store AND (NOT EXISTS (
      SELECT 1 FROM changes c
      WHERE c.store_id = s.id AND c.source = r.source AND c.id = r.id AND c.personal AND c.event = 'deleted')
    OR EXISTS (
      SELECT 1 FROM changes c
      WHERE c.store_id = s.id AND c.source = r.source AND c.id = r.id AND c.personal AND c.event <> 'deleted'));
END $$;
COMMENT ON FUNCTION record_personal_data_reads(uuid, json) IS 'runs at the node of its store';

-- Deletes the reads of objects that are being erased. To be called when they are gone from everywhere else.
CREATE OR REPLACE FUNCTION erase_personal_data_reads(of_store uuid, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7305014) FROM stores WHERE id = of_store;
  DELETE FROM personal_data_reads r WHERE r.store_id = of_store AND r.id = ANY(ids);
END $$;
