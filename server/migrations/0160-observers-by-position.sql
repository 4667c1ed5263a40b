-- Who observes what as of the position of the reader, as `{integration: keys}`; null where the reader has not stored it
-- yet. See docs/decisions/0062-deliveries.md.
ALTER TABLE feed_readers ADD COLUMN observers json;

-- Ends the jobs that waited when integrations of the store were disabled or deleted, each at its position.
DROP FUNCTION drop_deliveries(uuid, timestamptz);
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
