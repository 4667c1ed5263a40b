-- A store's feed is trimmed by whole days, from its beginning. Weeks that no store needs are dropped, not deleted row
-- by row.

-- Says that a store keeps nothing of its feed from before the day of an instant (UTC), and nothing up to `most` is
-- needed by a reader. Returns the position up to which the feed is trimmed.
CREATE FUNCTION mark_trimmed(of_store uuid, instant timestamptz, most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  first_day date := (instant AT TIME ZONE 'UTC')::date;
  old bigint;
  result bigint;
BEGIN
  SELECT d.position - 1 INTO old FROM feed_days d WHERE d.store_id = of_store AND d.day >= first_day ORDER BY d.day LIMIT 1;
  UPDATE feeds f
  SET trimmed = greatest(f.trimmed, least(most, coalesce(old,
    CASE WHEN (f.given_at AT TIME ZONE 'UTC')::date < first_day THEN f.position ELSE 0 END)))
  WHERE f.store_id = of_store RETURNING f.trimmed INTO result;
  -- Readers need the last day that begins at the first position that is left, or before it.
  DELETE FROM feed_days d WHERE d.store_id = of_store AND EXISTS (
    SELECT FROM feed_days later WHERE later.store_id = of_store AND later.day > d.day AND later.position <= result + 1);
  RETURN coalesce(result, 0);
END $$;

-- Drops the partitions of the feed of which every store has trimmed everything. One whose lock is not free is dropped
-- the next time: readers and writers would wait behind it.
CREATE PROCEDURE drop_trimmed_partitions() LANGUAGE plpgsql AS $$
DECLARE
  part regclass;
  needed boolean;
BEGIN
  PERFORM set_config('lock_timeout', '2s', true);
  FOR part IN
    SELECT i.inhrelid FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'changes'::regclass ORDER BY c.relname
  LOOP
    -- Changes that get their positions now may be in the partitions of this week and the next.
    CONTINUE WHEN part::text >= to_char((clock_timestamp() - interval '7 days') AT TIME ZONE 'UTC', '"changes_"IYYY"w"IW')
      AND part::text <> 'changes_before';
    EXECUTE format('SELECT EXISTS (SELECT FROM feeds f WHERE EXISTS (
      SELECT FROM %s c WHERE c.store_id = f.store_id AND c.position > f.trimmed))', part) INTO needed;
    CONTINUE WHEN needed;
    BEGIN
      EXECUTE format('DROP TABLE %s', part);
    EXCEPTION WHEN lock_not_available THEN
      NULL;
    END;
  END LOOP;
END $$;
