-- Gives a time to the first waiting job of each of these objects, unless one of their jobs has one. A session keeps the
-- plan that it made when few jobs waited. A join was planned to read all jobs for each object then: with thousands that
-- took seconds, under the lock of the store. Subqueries without a join are looked up in an index, whatever the plan.
CREATE OR REPLACE FUNCTION activate_deliveries(of_store uuid, subjects json, instant timestamptz) RETURNS void
LANGUAGE sql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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
