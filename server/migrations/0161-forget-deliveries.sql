-- Targets may repeat in their responses what they were sent. An erasure finds what was sent about an object.
CREATE INDEX integration_jobs_by_object ON integration_jobs (store_id, subject_id);

-- What a log says once the data of its event was erased.
CREATE FUNCTION without_response(log json) RETURNS json IMMUTABLE LANGUAGE sql AS $$
  SELECT json_build_object('succeeded', log->'succeeded', 'attempt', log->'attempt', 'body', '',
    'status_code', log->'status_code',
    'error_detail', CASE WHEN log->>'error_detail' = '' THEN '' ELSE 'The data of the event was erased.' END,
    'processing_time', log->'processing_time', 'relationships', log->'relationships')
$$;

-- Forgets what targets have answered to events of these objects, and ends the jobs that wait to send more than that one
-- is deleted. An attempt that is under way is recorded later: see `record_deliveries`.
CREATE FUNCTION forget_deliveries(of_store uuid, subjects uuid[], instant timestamptz) RETURNS void LANGUAGE plpgsql AS $$
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
