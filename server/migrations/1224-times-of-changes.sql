-- What a session writes with its own times also changes with them: see docs/decisions/0139-a-shop-with-a-past.md.
CREATE OR REPLACE FUNCTION fenced(instant timestamptz) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  -- The transaction must have its number before it reads the fence: whoever raises the fence waits for that number.
  xid xid8 := pg_current_xact_id();
BEGIN
  IF current_setting('sutler.keep_times', true) = 'on' THEN
    RETURN instant;
  END IF;
  -- What the view pg_sequences reads.
  RETURN greatest(instant, to_timestamp(pg_sequence_last_value('time_fence'::regclass)));
END $$;
