-- The time some milliseconds from now, where the row is. Citus adds no interval in an UPDATE: the sum depends on a
-- setting.
CREATE FUNCTION clock_at(of_store uuid, later_ms double precision) RETURNS timestamptz
  LANGUAGE plpgsql IMMUTABLE COST 1 AS $$
BEGIN
  RETURN clock_timestamp() + later_ms * interval '1 ms';
END $$;
