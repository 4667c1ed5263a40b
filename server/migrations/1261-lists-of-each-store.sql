-- Lists are merged store by store, and what Citus cannot send to a node is put in other words: see
-- docs/decisions/0152-feed-of-each-node.md.

-- What waits to be merged into the blocks of one order: where rows came to lie, and where they no longer do.
CREATE VIEW list_points AS
  SELECT d.store_id, d.list, d.scope, o.sorted_by,
    CASE o.sorted_by WHEN 'created_at' THEN d.at WHEN 'updated_at' THEN d.updated_at ELSE '-infinity' END AS at, d.id,
    d.n::integer AS n
  FROM list_deltas d CROSS JOIN (VALUES ('id'), ('created_at'), ('updated_at')) o (sorted_by)
  UNION ALL
  SELECT m.store_id, m.list, m.scope, 'updated_at', p.at, m.id, p.n
  FROM list_moves m CROSS JOIN LATERAL (VALUES (m.updated_from, -1), (m.updated_to, 1)) p (at, n);

-- The last block of rows that begins at or before the row at `place` (from 0), and how many rows lie before it.
CREATE OR REPLACE FUNCTION list_seek(of_list text, of_store uuid, of_scope uuid, by_column text, place bigint,
  OUT at timestamptz, OUT id uuid, OUT before bigint)
  RETURNS record LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
  SET enable_bitmapscan = off AS $$
DECLARE
  b record;
  end_at timestamptz := 'infinity';
  end_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
BEGIN
  SELECT '-infinity', '00000000-0000-0000-0000-000000000000', 0 INTO at, id, before;
  FOR of_level IN REVERSE 1..0 LOOP
    SELECT seen.at, seen.id, seen.before INTO b FROM (
      SELECT p.at, p.id, p.block, list_seek.before + coalesce(sum(p.n) OVER (
        ORDER BY p.at, p.id, p.block DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
      FROM (
        SELECT k.at, k.id, k.n, true AS block FROM list_blocks k
        WHERE k.store_id = of_store AND k.list = of_list AND k.scope = of_scope AND k.sorted_by = by_column
          AND k.level = of_level AND (k.at, k.id) >= (list_seek.at, list_seek.id) AND (k.at, k.id) < (end_at, end_id)
        UNION ALL
        SELECT w.at, w.id, w.n, false FROM list_points w
        WHERE w.store_id = of_store AND w.list = of_list AND w.scope = of_scope AND w.sorted_by = by_column
          AND (w.at, w.id) >= (list_seek.at, list_seek.id) AND (w.at, w.id) < (end_at, end_id)
      ) p
    ) seen WHERE seen.block AND seen.before <= place ORDER BY seen.at DESC, seen.id DESC LIMIT 1;
    IF NOT FOUND THEN RETURN; END IF;
    at := b.at;
    id := b.id;
    before := b.before;
    EXIT WHEN of_level = 0;
    SELECT k.at, k.id INTO b FROM list_blocks k
    WHERE k.store_id = of_store AND k.list = of_list AND k.scope = of_scope AND k.sorted_by = by_column
      AND k.level = of_level AND (k.at, k.id) > (list_seek.at, list_seek.id) ORDER BY k.at, k.id LIMIT 1;
    IF FOUND THEN
      end_at := b.at;
      end_id := b.id;
    END IF;
  END LOOP;
END $$;

-- The block of rows that (to_at, to_id) lies in, and how many rows lie before it. What waits to be merged is counted
-- where it falls. A list without blocks begins at its beginning. To plan it for its values would take longer than to
-- run it.
CREATE OR REPLACE FUNCTION list_block_at(of_list text, of_store uuid, of_scope uuid, by_column text, to_at timestamptz,
  to_id uuid, OUT at timestamptz, OUT id uuid, OUT before bigint)
  RETURNS record LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
  SET enable_bitmapscan = off AS $$
DECLARE
  larger list_blocks;
BEGIN
  SELECT k.at, k.id INTO at, id FROM list_blocks k
  WHERE k.store_id = of_store AND k.list = of_list AND k.scope = of_scope AND k.sorted_by = by_column AND k.level = 0
    AND (k.at, k.id) <= (to_at, to_id) ORDER BY k.at DESC, k.id DESC LIMIT 1;
  IF NOT FOUND THEN
    SELECT '-infinity', '00000000-0000-0000-0000-000000000000', 0 INTO at, id, before;
    RETURN;
  END IF;
  SELECT k.* INTO larger FROM list_blocks k
  WHERE k.store_id = of_store AND k.list = of_list AND k.scope = of_scope AND k.sorted_by = by_column AND k.level = 1
    AND (k.at, k.id) <= (list_block_at.at, list_block_at.id) ORDER BY k.at DESC, k.id DESC LIMIT 1;
  SELECT coalesce(sum(s.n), 0) INTO before FROM (
    SELECT k.n FROM list_blocks k
    WHERE k.store_id = of_store AND k.list = of_list AND k.scope = of_scope AND k.sorted_by = by_column AND k.level = 1
      AND (k.at, k.id) < (larger.at, larger.id)
    UNION ALL
    SELECT k.n FROM list_blocks k
    WHERE k.store_id = of_store AND k.list = of_list AND k.scope = of_scope AND k.sorted_by = by_column AND k.level = 0
      AND (k.at, k.id) >= (larger.at, larger.id) AND (k.at, k.id) < (list_block_at.at, list_block_at.id)
    UNION ALL
    SELECT p.n FROM list_points p
    WHERE p.store_id = of_store AND p.list = of_list AND p.scope = of_scope AND p.sorted_by = by_column
      AND (p.at, p.id) < (list_block_at.at, list_block_at.id)
  ) s;
END $$;

-- Splits a block of rows into such of `size` rows. A routine that runs at its store inserts values there, row by row:
-- Citus plans no insert of a query in it.
CREATE OR REPLACE FUNCTION split_list_block(b list_blocks, size integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  counted_scope text := split_part(b.list, '.', 2);
  ats timestamptz[];
  ids uuid[];
  nths bigint[];
BEGIN
  EXECUTE format(
    $sql$
    SELECT array_agg(s.at), array_agg(s.id), array_agg(s.nth) FROM (
      SELECT %2$s AS at, id, (place - 1) / $4 AS nth FROM (
        SELECT *, row_number() OVER (ORDER BY %3$s) AS place FROM (
          SELECT %3$s FROM %1$I WHERE store_id = $2 %4$s AND (%3$s) >= (%5$s) ORDER BY %3$s LIMIT $3
        ) rows_in
      ) ranked WHERE place > 1 AND (place - 1) %% $4 = 0
    ) s
    $sql$,
    split_part(b.list, '.', 1),
    CASE b.sorted_by WHEN 'id' THEN '''-infinity''::timestamptz' ELSE b.sorted_by END,
    CASE b.sorted_by WHEN 'id' THEN 'id' ELSE b.sorted_by || ', id' END,
    CASE counted_scope WHEN '' THEN '' ELSE format('AND %I = ($1).scope', counted_scope) END,
    CASE b.sorted_by WHEN 'id' THEN '($1).id' ELSE '($1).at, ($1).id' END)
  INTO ats, ids, nths USING b, b.store_id, b.n, size;
  FOR i IN 1 .. coalesce(cardinality(ids), 0) LOOP
    INSERT INTO list_blocks (list, store_id, scope, sorted_by, level, at, id, n)
    VALUES (b.list, b.store_id, b.scope, b.sorted_by, 0, ats[i], ids[i], least(size, b.n - nths[i] * size));
  END LOOP;
  UPDATE list_blocks k SET n = size WHERE k.store_id = b.store_id AND k.list = b.list AND k.scope = b.scope
    AND k.sorted_by = b.sorted_by AND k.level = 0 AND k.at = b.at AND k.id = b.id;
END $$;

-- Splits the block of level 1 that this one of level 0 is in, if it has more than so many.
CREATE OR REPLACE FUNCTION split_larger_list_block(b list_blocks, blocks_max integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  larger list_blocks;
  following list_blocks;
  part record;
BEGIN
  SELECT k.* INTO larger FROM list_blocks k
  WHERE k.store_id = b.store_id AND k.list = b.list AND k.scope = b.scope AND k.sorted_by = b.sorted_by AND k.level = 1
    AND (k.at, k.id) <= (b.at, b.id) ORDER BY k.at DESC, k.id DESC LIMIT 1;
  SELECT k.* INTO following FROM list_blocks k
  WHERE k.store_id = b.store_id AND k.list = b.list AND k.scope = b.scope AND k.sorted_by = b.sorted_by AND k.level = 1
    AND (k.at, k.id) > (b.at, b.id) ORDER BY k.at, k.id LIMIT 1;
  FOR part IN
    SELECT (array_agg(c.at ORDER BY c.place))[1] AS at, (array_agg(c.id ORDER BY c.place))[1] AS id, sum(c.n) AS n
    FROM (
      SELECT k.at, k.id, k.n, row_number() OVER (ORDER BY k.at, k.id) AS place, count(*) OVER () AS siblings
      FROM list_blocks k
      WHERE k.store_id = b.store_id AND k.list = b.list AND k.scope = b.scope AND k.sorted_by = b.sorted_by AND k.level = 0
        AND (k.at, k.id) >= (larger.at, larger.id)
        AND (following.id IS NULL OR (k.at, k.id) < (following.at, following.id))
    ) c WHERE c.siblings > blocks_max GROUP BY (c.place - 1) / (blocks_max / 2)
  LOOP
    INSERT INTO list_blocks (list, store_id, scope, sorted_by, level, at, id, n)
    VALUES (b.list, b.store_id, b.scope, b.sorted_by, 1, part.at, part.id, part.n)
    ON CONFLICT (store_id, list, scope, sorted_by, level, at, id) DO UPDATE SET n = excluded.n;
  END LOOP;
END $$;

-- Folds what waits for up to `lists` lists of a store into their counters and blocks. Returns how many lists were
-- merged. To be called in a transaction of its own, REPEATABLE READ: blocks, deltas and rows must be of one snapshot
-- for their sums to agree. A block holds at most `rows_max` rows, a larger one about `blocks_max` blocks; who checks
-- that this is all right has few rows.
CREATE FUNCTION merge_lists(of_store uuid, lists integer, rows_max integer DEFAULT 1024, blocks_max integer DEFAULT 128)
  RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  l record;
  b list_blocks;
  total bigint;
  sorted text;
  merged integer := 0;
BEGIN
  -- One merger of a store at a time; the others have nothing to do. One of an earlier version merges all stores alone.
  IF NOT pg_try_advisory_xact_lock_shared(7305013)
    OR NOT pg_try_advisory_xact_lock(hashtextextended('merge ' || of_store, 0)) THEN
    RETURN 0;
  END IF;
  FOR l IN
    SELECT d.store_id, d.list, d.scope FROM list_deltas d WHERE d.store_id = of_store
    UNION SELECT m.store_id, m.list, m.scope FROM list_moves m WHERE m.store_id = of_store LIMIT lists
  LOOP
    merged := merged + 1;
    INSERT INTO list_totals AS kept (list, store_id, scope, n)
    SELECT l.list, l.store_id, l.scope, coalesce(sum(d.n), 0) FROM list_deltas d
    WHERE d.store_id = l.store_id AND d.list = l.list AND d.scope = l.scope
    ON CONFLICT (store_id, list, scope) DO UPDATE SET n = kept.n + excluded.n
    RETURNING n INTO total;
    IF total = 0 THEN
      DELETE FROM list_totals d WHERE d.store_id = l.store_id AND d.list = l.list AND d.scope = l.scope;
    END IF;
    IF total <= rows_max / 2 THEN
      DELETE FROM list_blocks k WHERE k.store_id = l.store_id AND k.list = l.list AND k.scope = l.scope;
    END IF;
    FOR b IN
      WITH shares AS (
        SELECT o.sorted_by, k.at, k.id, sum(p.n) AS n
        FROM (SELECT DISTINCT k.sorted_by FROM list_blocks k
              WHERE k.store_id = l.store_id AND k.list = l.list AND k.scope = l.scope AND k.level = 1) o
        JOIN list_points p
          ON p.store_id = l.store_id AND p.list = l.list AND p.scope = l.scope AND p.sorted_by = o.sorted_by
        CROSS JOIN LATERAL (
          SELECT k.at, k.id FROM list_blocks k
          WHERE k.store_id = l.store_id AND k.list = l.list AND k.scope = l.scope
            AND k.sorted_by = o.sorted_by AND k.level = 0 AND (k.at, k.id) <= (p.at, p.id)
          ORDER BY k.at DESC, k.id DESC LIMIT 1
        ) k GROUP BY o.sorted_by, k.at, k.id
      ), larger AS (
        SELECT s.sorted_by, k.at, k.id, sum(s.n) AS n FROM shares s
        CROSS JOIN LATERAL (
          SELECT k.at, k.id FROM list_blocks k
          WHERE k.store_id = l.store_id AND k.list = l.list AND k.scope = l.scope
            AND k.sorted_by = s.sorted_by AND k.level = 1 AND (k.at, k.id) <= (s.at, s.id)
          ORDER BY k.at DESC, k.id DESC LIMIT 1
        ) k GROUP BY s.sorted_by, k.at, k.id
      )
      UPDATE list_blocks k SET n = k.n + s.n
      FROM (SELECT 0 AS level, * FROM shares UNION ALL SELECT 1, * FROM larger) s
      WHERE k.store_id = l.store_id AND k.list = l.list AND k.scope = l.scope
        AND k.sorted_by = s.sorted_by AND k.level = s.level AND k.at = s.at AND k.id = s.id AND s.n <> 0
      RETURNING k.*
    LOOP
      IF b.n = 0 THEN
        PERFORM drop_list_block(b);
      ELSIF b.level = 0 AND b.n > rows_max THEN
        PERFORM split_list_block(b, rows_max / 2);
        PERFORM split_larger_list_block(b, blocks_max);
      END IF;
    END LOOP;
    IF total > rows_max AND NOT EXISTS (
      SELECT FROM list_blocks k WHERE k.store_id = l.store_id AND k.list = l.list AND k.scope = l.scope)
    THEN
      FOREACH sorted IN ARRAY '{created_at,id,updated_at}'::text[] LOOP
        FOR of_level IN REVERSE 1..0 LOOP
          INSERT INTO list_blocks (list, store_id, scope, sorted_by, level, at, id, n)
          VALUES (l.list, l.store_id, l.scope, sorted, of_level, '-infinity', '00000000-0000-0000-0000-000000000000',
            total)
          RETURNING * INTO b;
        END LOOP;
        PERFORM split_list_block(b, rows_max / 2);
        PERFORM split_larger_list_block(b, blocks_max);
      END LOOP;
    END IF;
    DELETE FROM list_deltas d WHERE d.store_id = l.store_id AND d.list = l.list AND d.scope = l.scope;
    DELETE FROM list_moves m WHERE m.store_id = l.store_id AND m.list = l.list AND m.scope = l.scope;
  END LOOP;
  RETURN merged;
END $$;
COMMENT ON FUNCTION merge_lists IS 'runs at its store';

-- Changes rows `r` of a tracked table as `Store.changeAll` does: each gets a new version, recorded in the change feed
-- with the author and the time of the write that fired the trigger. `which` is a condition, `doc` and `hidden` are
-- expressions for the new values. In all three `$1` is the store, `$2` the object that was deleted, `$3` the time of
-- the write, and `$4` the object that the deleted one was in, if the trigger names it.
CREATE OR REPLACE PROCEDURE change_all(changed regclass, of_store uuid, deleted uuid, which text, doc text DEFAULT NULL,
  hidden text DEFAULT NULL, deleted_from uuid DEFAULT NULL) LANGUAGE plpgsql AS $$
DECLARE
  author text := current_setting('sutler.by', true);
  at timestamptz(3) := coalesce(nullif(split_part(author, ' ', 3), '')::timestamptz, clock_timestamp());
BEGIN
  EXECUTE format(
    'WITH changed AS (SELECT r.id AS changed_id%s%s FROM %s r WHERE r.store_id = $1 AND %s FOR NO KEY UPDATE OF r)
    UPDATE %s r SET version = r.version + 1, updated_at = fenced(r.updated_at, $3)%s%s FROM changed
    WHERE r.store_id = $1 AND r.id = changed.changed_id',
    ', ' || doc || ' AS new_doc', ', ' || hidden || ' AS new_hidden', changed, which, changed,
    CASE WHEN doc IS NOT NULL THEN ', doc = changed.new_doc' END,
    CASE WHEN hidden IS NOT NULL THEN ', hidden = changed.new_hidden' END
  ) USING of_store, deleted, at, deleted_from;
END $$;
