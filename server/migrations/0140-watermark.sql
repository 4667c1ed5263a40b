-- A list answers with a watermark: a time below which no row of it will still appear or change. Docs:
-- docs/decisions/0064-watermark.md, with the proof.

-- The fence, in whole seconds since 1970: no row is written with an older time. A sequence, because its value is the
-- same for every transaction, whatever its snapshot. Only `raise_time_fence` raises it.
CREATE SEQUENCE time_fence MINVALUE 0 START 0;

-- Raises the fence to a time, if it is lower, and returns it. The transaction must end before anyone relies on the
-- result. A clock that runs ahead of the database's must not take all others with it.
CREATE FUNCTION raise_time_fence(to_time timestamptz, behind interval) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  wanted bigint := floor(extract(epoch FROM least(to_time, clock_timestamp()) - behind));
  fence bigint;
BEGIN
  -- What another process has raised is durable when this lock is free.
  PERFORM pg_advisory_xact_lock(hashtextextended('time_fence', 0));
  SELECT last_value INTO fence FROM time_fence;
  IF wanted > fence THEN
    fence := setval('time_fence', wanted);
  END IF;
  RETURN to_timestamp(fence);
END $$;

-- Raises the times of a row to the fence. It runs for every row, so it only has expressions that cost little.
CREATE FUNCTION fence_times() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- The transaction must have its number before it reads the fence: whoever raises the fence waits for that number.
  xid xid8 := pg_current_xact_id();
  -- What the view pg_sequences reads.
  fence timestamptz := to_timestamp(pg_sequence_last_value('time_fence'::regclass));
BEGIN
  IF NEW.updated_at < fence OR TG_OP = 'INSERT' AND NEW.created_at < fence THEN
    -- What is copied from another database keeps its times: nobody can have followed it yet.
    IF current_setting('sutler.keep_times', true) = 'on' THEN RETURN NEW; END IF;
    IF TG_OP = 'INSERT' THEN
      NEW.created_at := greatest(NEW.created_at, fence);
    -- A change is a new version; bookkeeping beside it is none.
    ELSIF NEW.version = OLD.version AND NEW.updated_at = OLD.updated_at THEN
      RETURN NEW;
    END IF;
    NEW.updated_at := greatest(NEW.updated_at, fence);
  END IF;
  RETURN NEW;
END $$;

-- Makes the rows of a table respect the fence, so that its lists can have a watermark.
CREATE PROCEDURE fence_times_of(fenced regclass) LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('CREATE OR REPLACE TRIGGER fence_times BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION fence_times()',
    fenced);
END $$;

-- A tracked table respects the fence.
ALTER PROCEDURE track(regclass, text, text[], boolean, text, boolean, text) RENAME TO track_changes;
CREATE PROCEDURE track(
  tracked regclass, type text, scopes text[] DEFAULT '{}', personal boolean DEFAULT false, source text DEFAULT NULL,
  counted boolean DEFAULT true, hidden text DEFAULT NULL
) LANGUAGE plpgsql AS $$ BEGIN
  CALL track_changes(tracked, type, scopes, personal, source, counted, hidden);
  CALL fence_times_of(tracked);
END $$;

-- The tables that exist: all that have both times, except published rows, which keep those of their sources.
DO $$
DECLARE
  fenced regclass;
BEGIN
  FOR fenced IN
    SELECT c.oid FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relname !~ '^(published_|fresh_changes$|changes)'
      AND (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = c.oid
        AND a.attname IN ('store_id', 'created_at', 'updated_at', 'version')) = 4
  LOOP
    CALL fence_times_of(fenced);
  END LOOP;
END $$;
