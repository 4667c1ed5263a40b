-- Where a row stands in its list, in each of the orders that lists are walked by, without counting the rows before it:
-- blocks of rows by creation, by id and by last change, and blocks of those. See docs/decisions/0002.

DROP FUNCTION merge_list_deltas(integer);
DROP FUNCTION split_list_blocks(text, uuid, uuid, integer);
DROP FUNCTION list_seek(text, uuid, uuid, bigint);
DROP TABLE list_blocks;

-- How many rows lie from each block's first (at, id) up to the next block's, in one order of a list. In the order of
-- ids, each `at` is '-infinity'. A block of level 1 has all those of level 0 from its own beginning up to that of the
-- next; the first of both levels begin where the list does. Kept for lists of more than one block.
CREATE TABLE list_blocks (
  list text COLLATE "C" NOT NULL,
  store_id uuid NOT NULL,
  scope uuid NOT NULL,
  sorted_by text COLLATE "C" NOT NULL,
  level smallint NOT NULL,
  at timestamptz NOT NULL,
  id uuid NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT list_blocks_pkey PRIMARY KEY (store_id, list, scope, sorted_by, level, at, id)
);

-- The next merge makes the blocks: a delta that changes nothing calls it to every list.
INSERT INTO list_deltas SELECT list, store_id, scope, '-infinity', scope, 0, '-infinity' FROM list_totals;

-- What waits to be merged into the blocks of one order: where rows came to lie, and where they no longer do.
CREATE FUNCTION list_points(of_list text, of_store uuid, of_scope uuid, by_column text)
RETURNS TABLE (at timestamptz, id uuid, n integer) LANGUAGE sql STABLE AS $$
  SELECT CASE by_column WHEN 'created_at' THEN d.at WHEN 'updated_at' THEN d.updated_at ELSE '-infinity' END, d.id,
    d.n::integer
  FROM list_deltas d WHERE d.store_id = of_store AND d.list = of_list AND d.scope = of_scope
  UNION ALL
  SELECT p.at, m.id, p.n FROM list_moves m CROSS JOIN LATERAL (VALUES (m.updated_from, -1), (m.updated_to, 1)) p (at, n)
  WHERE by_column = 'updated_at' AND m.store_id = of_store AND m.list = of_list AND m.scope = of_scope
$$;

-- Folds what waits for up to `lists` lists into their counters and blocks. Returns how many lists were merged. To be
-- called in a transaction of its own, REPEATABLE READ: blocks, deltas and rows must be of one snapshot for their sums
-- to agree. A block holds at most `rows_max` rows, a larger one about `blocks_max` blocks; who checks that this is all
-- right has few rows.
CREATE FUNCTION merge_list_deltas(lists integer, rows_max integer DEFAULT 1024, blocks_max integer DEFAULT 128)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  l record;
  b list_blocks;
  total bigint;
  merged integer := 0;
BEGIN
  -- One merger at a time; the others have nothing to do.
  IF NOT pg_try_advisory_xact_lock(7305013) THEN RETURN 0; END IF;
  FOR l IN
    SELECT d.store_id, d.list, d.scope FROM list_deltas d
    UNION SELECT m.store_id, m.list, m.scope FROM list_moves m LIMIT lists
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
        CROSS JOIN LATERAL list_points(l.list, l.store_id, l.scope, o.sorted_by) p
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
      FOR b IN
        INSERT INTO list_blocks (list, store_id, scope, sorted_by, level, at, id, n)
        SELECT l.list, l.store_id, l.scope, o.sorted_by, level, '-infinity', '00000000-0000-0000-0000-000000000000', total
        FROM unnest('{created_at,id,updated_at}'::text[]) o (sorted_by), generate_series(0, 1) level
        RETURNING *
      LOOP
        IF b.level = 0 THEN
          PERFORM split_list_block(b, rows_max / 2);
          PERFORM split_larger_list_block(b, blocks_max);
        END IF;
      END LOOP;
    END IF;
    DELETE FROM list_deltas d WHERE d.store_id = l.store_id AND d.list = l.list AND d.scope = l.scope;
    DELETE FROM list_moves m WHERE m.store_id = l.store_id AND m.list = l.list AND m.scope = l.scope;
  END LOOP;
  RETURN merged;
END $$;

-- Splits a block of rows into such of `size` rows.
CREATE FUNCTION split_list_block(b list_blocks, size integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  counted_scope text := split_part(b.list, '.', 2);
BEGIN
  EXECUTE format(
    $sql$
    WITH starts AS (
      SELECT %2$s AS at, id, (place - 1) / $4 AS nth FROM (
        SELECT *, row_number() OVER (ORDER BY %3$s) AS place FROM (
          SELECT %3$s FROM %1$I WHERE store_id = $2 %4$s AND (%3$s) >= (%5$s) ORDER BY %3$s LIMIT $3
        ) rows_in
      ) ranked WHERE place > 1 AND (place - 1) %% $4 = 0
    ), added AS (
      INSERT INTO list_blocks (list, store_id, scope, sorted_by, level, at, id, n)
      SELECT ($1).list, $2, ($1).scope, ($1).sorted_by, 0, at, id, least($4, $3 - nth * $4) FROM starts
    )
    UPDATE list_blocks k SET n = $4 WHERE k.store_id = $2 AND k.list = ($1).list AND k.scope = ($1).scope
      AND k.sorted_by = ($1).sorted_by AND k.level = 0 AND k.at = ($1).at AND k.id = ($1).id
    $sql$,
    split_part(b.list, '.', 1),
    CASE b.sorted_by WHEN 'id' THEN '''-infinity''::timestamptz' ELSE b.sorted_by END,
    CASE b.sorted_by WHEN 'id' THEN 'id' ELSE b.sorted_by || ', id' END,
    CASE counted_scope WHEN '' THEN '' ELSE format('AND %I = ($1).scope', counted_scope) END,
    CASE b.sorted_by WHEN 'id' THEN '($1).id' ELSE '($1).at, ($1).id' END)
  USING b, b.store_id, b.n, size;
END $$;

-- Splits the block of level 1 that this one of level 0 is in, if it has more than so many.
CREATE FUNCTION split_larger_list_block(b list_blocks, blocks_max integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  larger list_blocks;
  following list_blocks;
BEGIN
  SELECT k.* INTO larger FROM list_blocks k
  WHERE k.store_id = b.store_id AND k.list = b.list AND k.scope = b.scope AND k.sorted_by = b.sorted_by AND k.level = 1
    AND (k.at, k.id) <= (b.at, b.id) ORDER BY k.at DESC, k.id DESC LIMIT 1;
  SELECT k.* INTO following FROM list_blocks k
  WHERE k.store_id = b.store_id AND k.list = b.list AND k.scope = b.scope AND k.sorted_by = b.sorted_by AND k.level = 1
    AND (k.at, k.id) > (b.at, b.id) ORDER BY k.at, k.id LIMIT 1;
  INSERT INTO list_blocks (list, store_id, scope, sorted_by, level, at, id, n)
  SELECT b.list, b.store_id, b.scope, b.sorted_by, 1,
    (array_agg(c.at ORDER BY c.place))[1], (array_agg(c.id ORDER BY c.place))[1], sum(c.n)
  FROM (
    SELECT k.at, k.id, k.n, row_number() OVER (ORDER BY k.at, k.id) AS place, count(*) OVER () AS siblings
    FROM list_blocks k
    WHERE k.store_id = b.store_id AND k.list = b.list AND k.scope = b.scope AND k.sorted_by = b.sorted_by AND k.level = 0
      AND (k.at, k.id) >= (larger.at, larger.id)
      AND (following.id IS NULL OR (k.at, k.id) < (following.at, following.id))
  ) c WHERE c.siblings > blocks_max GROUP BY (c.place - 1) / (blocks_max / 2)
  ON CONFLICT (store_id, list, scope, sorted_by, level, at, id) DO UPDATE SET n = excluded.n;
END $$;

-- Drops an empty block. The first of an order stays, and the first of a larger one for as long as that does: whatever
-- comes to lie there is counted in the same place on both levels.
CREATE FUNCTION drop_list_block(b list_blocks) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM list_blocks k
  WHERE k.store_id = b.store_id AND k.list = b.list AND k.scope = b.scope AND k.sorted_by = b.sorted_by
    AND k.level <= b.level AND k.at = b.at AND k.id = b.id AND k.n = 0
    AND (k.at, k.id) > ('-infinity', '00000000-0000-0000-0000-000000000000')
    AND (b.level = 1 OR NOT EXISTS (
      SELECT FROM list_blocks larger WHERE larger.store_id = b.store_id AND larger.list = b.list
        AND larger.scope = b.scope AND larger.sorted_by = b.sorted_by AND larger.level = 1
        AND larger.at = b.at AND larger.id = b.id));
END $$;

-- The block of rows that (to_at, to_id) lies in, and how many rows lie before it. What waits to be merged is counted
-- where it falls. A list without blocks begins at its beginning. To plan it for its values would take longer than to
-- run it.
CREATE FUNCTION list_block_at(of_list text, of_store uuid, of_scope uuid, by_column text, to_at timestamptz, to_id uuid,
  OUT at timestamptz, OUT id uuid, OUT before bigint)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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
    SELECT p.n FROM list_points(of_list, of_store, of_scope, by_column) p
    WHERE (p.at, p.id) < (list_block_at.at, list_block_at.id)
  ) s;
END $$;

-- The last block of rows that begins at or before the row at `place` (from 0), and how many rows lie before it.
CREATE FUNCTION list_seek(of_list text, of_store uuid, of_scope uuid, by_column text, place bigint,
  OUT at timestamptz, OUT id uuid, OUT before bigint)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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
        SELECT w.at, w.id, w.n, false FROM list_points(of_list, of_store, of_scope, by_column) w
        WHERE (w.at, w.id) >= (list_seek.at, list_seek.id) AND (w.at, w.id) < (end_at, end_id)
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
