-- An update raises its time itself. A trigger before updates makes PostgreSQL take all generated columns for changed,
-- and lock the row as if its keys were: orders that shared a row and then changed it waited for each other. Docs:
-- docs/decisions/0064-watermark.md.

-- The time of a write: the given one, or the fence if that is later. A statement that gives a row a new version calls
-- it for the row's `updated_at`.
CREATE FUNCTION fenced(instant timestamptz) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  -- The transaction must have its number before it reads the fence: whoever raises the fence waits for that number.
  xid xid8 := pg_current_xact_id();
BEGIN
  -- What the view pg_sequences reads.
  RETURN greatest(instant, to_timestamp(pg_sequence_last_value('time_fence'::regclass)));
END $$;

-- Raises the times of a new row to the fence.
CREATE OR REPLACE FUNCTION fence_times() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  xid xid8 := pg_current_xact_id();
  fence timestamptz := to_timestamp(pg_sequence_last_value('time_fence'::regclass));
BEGIN
  -- What is copied from another database keeps its times: nobody can have followed it yet.
  IF (NEW.updated_at < fence OR NEW.created_at < fence) AND current_setting('sutler.keep_times', true) IS DISTINCT FROM 'on' THEN
    NEW.created_at := greatest(NEW.created_at, fence);
    NEW.updated_at := greatest(NEW.updated_at, fence);
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE PROCEDURE fence_times_of(fenced regclass) LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('CREATE OR REPLACE TRIGGER fence_times BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION fence_times()',
    fenced);
END $$;

DO $$
DECLARE
  fenced regclass;
BEGIN
  FOR fenced IN
    SELECT t.tgrelid FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE t.tgname = 'fence_times' AND c.relnamespace = current_schema()::regnamespace
  LOOP
    CALL fence_times_of(fenced);
  END LOOP;
END $$;

CREATE OR REPLACE PROCEDURE change_all(
  changed regclass, of_store uuid, deleted uuid, which text, doc text DEFAULT NULL, hidden text DEFAULT NULL,
  deleted_from uuid DEFAULT NULL
) LANGUAGE plpgsql AS $$
DECLARE
  author text := current_setting('sutler.by', true);
  at timestamptz(3) := coalesce(nullif(split_part(author, ' ', 3), '')::timestamptz, clock_timestamp());
BEGIN
  EXECUTE format(
    'UPDATE %s r SET version = r.version + 1, updated_at = greatest(r.updated_at, fenced($3))%s%s WHERE r.store_id = $1 AND %s',
    changed, ', doc = ' || doc, ', hidden = ' || hidden, which
  ) USING of_store, deleted, at, deleted_from;
END $$;

CREATE OR REPLACE FUNCTION queue_deliveries(of_store uuid, jobs json, instant timestamptz, again boolean) RETURNS integer
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
    SET state = 'waiting', attempt = 0, due_at = NULL, leased_until = NULL, reason = NULL, updated_at = fenced(instant)
    WHERE again AND integration_jobs.state <> 'waiting';
  GET DIAGNOSTICS queued = ROW_COUNT;
  PERFORM activate_deliveries(of_store, jobs, instant);
  RETURN queued;
END $$;

CREATE OR REPLACE FUNCTION drop_deliveries(of_store uuid, instant timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(deliveries_lock(of_store));
  UPDATE integration_jobs j
  SET state = 'dropped', due_at = NULL, leased_until = NULL, updated_at = fenced(instant),
    reason = 'The integration was disabled or deleted.'
  WHERE j.store_id = of_store AND j.state = 'waiting' AND NOT EXISTS (
    SELECT FROM integrations i WHERE i.store_id = of_store AND i.id = j.integration_id AND i.enabled);
  DELETE FROM integration_failures f WHERE f.store_id = of_store AND NOT EXISTS (
    SELECT FROM integrations i WHERE i.store_id = of_store AND i.id = f.integration_id AND i.enabled);
END $$;

CREATE OR REPLACE FUNCTION end_deliveries(of_store uuid, attempts json, instant timestamptz, most_dead integer,
  failing timestamptz)
RETURNS SETOF uuid LANGUAGE plpgsql AS $$
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
