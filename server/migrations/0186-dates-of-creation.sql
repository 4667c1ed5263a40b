-- An order of another system is entered with the date on which it was placed there. A new row that is older than its
-- write keeps that date; what followers rely on is `updated_at`. Docs: docs/decisions/0064-watermark.md.
CREATE OR REPLACE FUNCTION fence_times() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  xid xid8 := pg_current_xact_id();
  fence timestamptz := to_timestamp(pg_sequence_last_value('time_fence'::regclass));
BEGIN
  -- What is copied from another database keeps its times: nobody can have followed it yet.
  IF NEW.updated_at < fence AND current_setting('sutler.keep_times', true) IS DISTINCT FROM 'on' THEN
    IF NEW.created_at = NEW.updated_at THEN
      NEW.created_at := fence;
    END IF;
    NEW.updated_at := fence;
  END IF;
  RETURN NEW;
END $$;
