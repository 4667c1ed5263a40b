-- The change feed where each store is on one of several nodes: see docs/decisions/0152-feed-of-each-node.md.

-- The answer of each node to a question, an SQL expression. One PostgreSQL is a node by itself.
CREATE FUNCTION ask_nodes(question text) RETURNS TABLE(node integer, answer text) LANGUAGE plpgsql AS $$
BEGIN
  IF to_regclass('pg_dist_node') IS NOT NULL THEN
    -- A transaction of its own on each.
    RETURN QUERY SELECT n.nodeid, CASE WHEN n.success THEN n.result END
      FROM run_command_on_all_nodes('SELECT ' || question, give_warning_for_connection_errors => true) n;
    IF FOUND THEN RETURN; END IF;
  END IF;
  EXECUTE 'SELECT ' || question INTO answer;
  node := 0;
  RETURN NEXT;
END $$;

-- The node of each of these stores, by its group in Citus. None of them where there is one node.
CREATE FUNCTION nodes_of_stores(of_stores uuid[]) RETURNS TABLE(store_id uuid, node integer) LANGUAGE plpgsql AS $$
BEGIN
  IF NOT is_distributed() THEN RETURN; END IF;
  RETURN QUERY SELECT s.id, p.groupid FROM unnest(of_stores) s (id)
    JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('stores', s.id);
END $$;

CREATE FUNCTION is_distributed() RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF to_regclass('pg_dist_partition') IS NULL THEN RETURN false; END IF;
  RETURN EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'stores'::regclass);
END $$;

-- Whether a store of a distributed database is where this statement runs. The caller holds a lock of a row of the
-- store: meanwhile it stays.
CREATE FUNCTION is_here(of_store uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM pg_dist_placement p JOIN pg_dist_local_group USING (groupid)
    WHERE p.shardid = get_shard_id_for_distribution_column('stores', of_store));
END $$;

-- The number of a change, of the node where its store is: others number their own. It says that it is immutable, as
-- Citus would call it on another node: see `recorded`.
CREATE FUNCTION next_change(of_store uuid) RETURNS bigint LANGUAGE plpgsql IMMUTABLE COST 1 AS $$
BEGIN
  RETURN nextval('fresh_changes_seq_seq');
END $$;

-- The last number that this node may give to a change. The numbers of a node begin with its group in Citus.
CREATE FUNCTION last_change_here() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF to_regclass('pg_dist_local_group') IS NULL THEN RETURN 9223372036854775807; END IF;
  RETURN (SELECT (groupid + 1)::bigint << 48 FROM pg_dist_local_group);
END $$;

CREATE OR REPLACE FUNCTION has_fresh_changes(of_store uuid)
  RETURNS boolean LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  last_given CONSTANT bigint := pg_sequence_last_value('fresh_changes_seq_seq'::regclass);
BEGIN
  -- What is done may have higher numbers: of another node, from which the store has moved, or from before a restore
  -- that left the sequence out.
  PERFORM FROM fresh_changes c WHERE c.store_id = of_store AND c.seq > coalesce(
    (SELECT f.done FROM feeds f WHERE f.store_id = of_store AND f.done <= last_given), 0) LIMIT 1;
  RETURN FOUND;
END $$;

-- Gives the next positions of a store's feed to at most `most` of its fresh changes, in the order in which they were
-- written. The time of a position never decreases, even if the clock is set back.
CREATE OR REPLACE FUNCTION give_positions(of_store uuid, most integer, finished bigint)
  RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  given integer;
  instant timestamptz;
  last_position bigint;
  last_here CONSTANT bigint := last_change_here();
  last_given CONSTANT bigint := pg_sequence_last_value('fresh_changes_seq_seq'::regclass);
  old_done bigint;
  elsewhere bigint[] := '{}';
BEGIN
  SELECT greatest(f.given_at, clock_timestamp()), f.position,
    CASE WHEN f.done <= last_given THEN f.done ELSE 0 END
  INTO instant, last_position, old_done
  FROM feeds f WHERE f.store_id = of_store;
  IF last_here < 9223372036854775807 THEN
    -- What was written before the store moved here comes first: its numbers are those of the other node.
    elsewhere := ARRAY(SELECT o.seq FROM fresh_changes o WHERE o.store_id = of_store AND o.seq > last_here);
    IF cardinality(elsewhere) > 0 THEN finished := 0; END IF;
  END IF;
  CALL keep_partition(instant);
  WITH taken AS (
    DELETE FROM fresh_changes f WHERE f.store_id = of_store AND f.seq = ANY (ARRAY(
      SELECT o.seq FROM fresh_changes o
      WHERE o.store_id = of_store AND o.seq > old_done AND o.seq <= last_here ORDER BY o.seq LIMIT most) || elsewhere)
    RETURNING f.*
  ), counted AS (
    SELECT count(*) AS n, max(seq) AS last FROM taken
  ), feed AS (
    UPDATE feeds SET position = position + n, given_at = instant,
      done = greatest(old_done, least(finished, CASE WHEN n >= most THEN last ELSE finished END))
    FROM counted WHERE store_id = of_store RETURNING position - n AS before
  )
  INSERT INTO changes (store_id, position, at, event, type, source, id, scope, personal, actor, request_id, doc, version,
    created_at, hidden, public_id, given_at)
  SELECT t.store_id, feed.before + row_number() OVER (ORDER BY t.seq <= last_here, t.seq), t.at, t.event, t.type,
    t.source, t.id, t.scope, t.personal, t.actor, t.request_id, t.doc, t.version, t.created_at, t.hidden, t.public_id,
    instant
  FROM taken t, feed ORDER BY t.seq;
  GET DIAGNOSTICS given = ROW_COUNT;
  IF given > 0 THEN
    INSERT INTO feed_days VALUES (of_store, (instant AT TIME ZONE 'UTC')::date, last_position + 1) ON CONFLICT DO NOTHING;
  END IF;
  RETURN given;
END $$;

-- Waits for its turn to give positions in a store's feed. Nobody else does until the end of the transaction.
CREATE OR REPLACE FUNCTION hold_feed(of_store uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM feeds WHERE store_id = of_store FOR NO KEY UPDATE;
  IF FOUND THEN RETURN; END IF;
  INSERT INTO feeds VALUES (of_store, 0) ON CONFLICT DO NOTHING;
  PERFORM FROM feeds WHERE store_id = of_store FOR NO KEY UPDATE;
END $$;
COMMENT ON FUNCTION hold_feed IS 'runs at its store';
COMMENT ON FUNCTION sequence_store IS 'runs at its store';

-- Gives positions to what is committed in these stores, at most `most` at a time in each, so that none waits for long.
-- All of them are on the node of `of_store`, where it runs. `busy` are the stores where there may be more: somebody
-- else was giving positions, or there was too much, or the store has moved. `tip` and `xid` are for the next call of
-- this node: numbers up to `tip` are in transactions older than `xid` only, so when all of those have ended, nothing
-- more will come below it. They must not outlive the database they come from.
CREATE FUNCTION sequence_stores(of_store uuid, of_stores uuid[], most integer, INOUT tip bigint, INOUT xid xid8,
  OUT busy uuid[]) LANGUAGE plpgsql AS $$
DECLARE
  s uuid;
  given integer;
  left_to_give integer := most;
  finished bigint := 0;
  next_tip bigint;
  are_many CONSTANT boolean := is_distributed();
BEGIN
  -- Before this transaction has an id.
  SELECT last_value INTO next_tip FROM fresh_changes_seq_seq;
  IF xid < pg_snapshot_xmin(pg_current_snapshot()) THEN
    finished := least(tip, next_tip);
    xid := NULL;
  END IF;
  FOREACH s IN ARRAY of_stores LOOP
    -- The transaction must end: it holds the feeds of the stores before.
    IF left_to_give <= 0 THEN
      busy := busy || s;
      CONTINUE;
    END IF;
    CONTINUE WHEN NOT has_fresh_changes(s);
    IF xid IS NULL THEN
      xid := pg_current_xact_id();
      tip := next_tip;
    END IF;
    PERFORM FROM feeds WHERE store_id = s FOR NO KEY UPDATE SKIP LOCKED;
    IF FOUND AND (NOT are_many OR is_here(s)) THEN
      given := give_positions(s, most, finished);
      IF given >= most THEN busy := busy || s; END IF;
      left_to_give := left_to_give - given;
    ELSE
      INSERT INTO feeds VALUES (s, 0) ON CONFLICT DO NOTHING;
      busy := busy || s;
    END IF;
  END LOOP;
END $$;
COMMENT ON FUNCTION sequence_stores IS 'runs at the node of its store';

-- The stores in which changes wait for positions. It looks at changes, of which there are few, and not at stores.
CREATE OR REPLACE FUNCTION stores_with_fresh_changes() RETURNS SETOF uuid LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  RETURN QUERY SELECT DISTINCT c.store_id FROM fresh_changes c;
END $$;

-- Makes the partitions of this week and the next three where there are several nodes: those that give positions cannot
-- make one for all.
CREATE PROCEDURE keep_partitions() LANGUAGE plpgsql AS $$ BEGIN
  FOR weeks IN 0 .. CASE WHEN is_distributed() THEN 3 ELSE 0 END LOOP
    CALL keep_partition(clock_timestamp() + weeks * interval '7 days');
  END LOOP;
END $$;
