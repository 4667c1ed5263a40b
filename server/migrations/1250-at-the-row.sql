-- What a statement says for its row runs on the node that has the row, as a function of a column of it: Citus sends
-- functions of constants nowhere, and refuses volatile ones in an UPDATE. So these say that they are immutable. They
-- never get constants alone, so nobody computes them before. See docs/decisions/0149-statements-of-one-store.md.

-- Tells the triggers of the change feed the author, the request and the time. True, so that a condition may say it.
CREATE FUNCTION recorded(of_store uuid, stamp text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE COST 1 AS $$
BEGIN
  PERFORM set_config('sutler.by', stamp, true);
  RETURN true;
END $$;

-- The time of a write that gives a row a new version: no earlier than the row's, and than the fence.
CREATE FUNCTION fenced(was timestamptz, instant timestamptz) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  -- The transaction must have its number before it reads the fence: whoever raises the fence waits for that number.
  xid xid8 := pg_current_xact_id();
BEGIN
  -- What a session writes with its own times also changes with them.
  IF current_setting('sutler.keep_times', true) = 'on' THEN
    RETURN greatest(was, instant);
  END IF;
  RETURN greatest(was, instant, to_timestamp(pg_sequence_last_value('time_fence'::regclass)));
END $$;

-- The time now, where the row is.
CREATE FUNCTION clock_at(of_store uuid) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE COST 1 AS $$
BEGIN
  RETURN clock_timestamp();
END $$;

-- Whether the fields that a store adds are those of this state, and stay so until the transaction ends.
CREATE FUNCTION keep_added_fields(of_store uuid, of_name text, of_state uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM added_fields f WHERE f.store_id = of_store AND f.name = of_name AND f.state = of_state FOR KEY SHARE;
  RETURN FOUND;
END $$;
CREATE FUNCTION added_fields_kept(of_store uuid, of_name text, of_state uuid) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN keep_added_fields(of_store, of_name, of_state);
END $$;
