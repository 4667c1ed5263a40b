-- What every store-owned table stands on: stores, the change feed, the counters of lists.

CREATE TABLE organisations (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz(3) NOT NULL
);

CREATE TABLE stores (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations,
  name text NOT NULL,
  created_at timestamptz(3) NOT NULL
);

-- One row per kind of settings that a store has changed from its defaults.
CREATE TABLE singletons (
  store_id uuid NOT NULL REFERENCES stores ON DELETE CASCADE,
  name text NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  CONSTRAINT singletons_pkey PRIMARY KEY (store_id, name)
);

CREATE TABLE idempotency_keys (
  store_id uuid NOT NULL REFERENCES stores ON DELETE CASCADE,
  key text NOT NULL,
  asked text NOT NULL,
  status smallint NOT NULL,
  headers json NOT NULL,
  body text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (store_id, key)
);
CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at);

-- The change feed. (xid, seq) is commit-safe when read below pg_snapshot_xmin(pg_current_snapshot()): a sequence
-- alone is allocated before commit and would lose what commits late.
CREATE TABLE changes (
  store_id uuid NOT NULL,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  seq bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz(3) NOT NULL,
  kind text NOT NULL,
  type text NOT NULL,
  id uuid NOT NULL,
  -- The innermost parent in the object's path.
  scope uuid,
  actor text NOT NULL,
  request_id text NOT NULL,
  -- What is shown of the object after the change; null for a tombstone.
  doc json,
  CONSTRAINT changes_pkey PRIMARY KEY (store_id, xid, seq),
  CONSTRAINT changes_kind_check CHECK (kind IN ('created', 'updated', 'deleted'))
);

-- Exact totals of lists without counting rows: the merged counter plus the deltas not yet merged into it.
CREATE TABLE list_totals (
  list text NOT NULL,
  store_id uuid NOT NULL,
  scope uuid NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT list_totals_pkey PRIMARY KEY (store_id, list, scope)
);

-- Appended to by each write, so that writers never wait for each other. Merging empties it all the time: without
-- eager vacuuming its dead rows would slow every reader.
CREATE TABLE list_deltas (
  list text NOT NULL,
  store_id uuid NOT NULL,
  scope uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  id uuid NOT NULL,
  n smallint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX list_deltas_by_list ON list_deltas (store_id, list, scope);

-- How many rows lie from each block's first (at, id) up to the next block's: where a deep page begins is found by
-- adding up blocks instead of walking rows. Kept for lists of more than one block.
CREATE TABLE list_blocks (
  list text NOT NULL,
  store_id uuid NOT NULL,
  scope uuid NOT NULL,
  at timestamptz NOT NULL,
  id uuid NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT list_blocks_pkey PRIMARY KEY (store_id, list, scope, at, id)
);

-- Makes a table write the change feed and the counters of its lists, whatever way it is written.
-- `type` is an SQL expression over the row `r`; `scopes` are the columns whose lists are counted (none: the store's).
CREATE PROCEDURE track(tracked regclass, type text, scopes text[] DEFAULT '{}') LANGUAGE plpgsql AS $procedure$
DECLARE
  body text;
  kind text;
  scope text := CASE WHEN cardinality(scopes) = 0 THEN 'NULL' ELSE 'r.' || scopes[1] END;
  counted text;
  event record;
BEGIN
  FOR event IN VALUES ('insert', 'created', 'NEW', 1), ('update', 'updated', 'NEW', 0), ('delete', 'deleted', 'OLD', -1)
  LOOP
    body := format(
      $sql$
  INSERT INTO changes (store_id, at, kind, type, id, scope, actor, request_id, doc)
  SELECT r.store_id, %s, %L, %s, r.id, %s,
    split_part(coalesce(nullif(current_setting('sutler.by', true), ''), 'system'), ' ', 1),
    split_part(coalesce(current_setting('sutler.by', true), ''), ' ', 2), %s
  FROM changed r%s;$sql$,
      CASE event.column2 WHEN 'deleted' THEN 'clock_timestamp()' ELSE 'r.updated_at' END,
      event.column2, type, scope,
      CASE event.column2 WHEN 'deleted' THEN 'NULL' ELSE 'r.doc' END,
      CASE event.column2 WHEN 'updated' THEN
        -- A change is a new version; bookkeeping beside it is none.
        ' WHERE NOT EXISTS (SELECT FROM before b WHERE b.store_id = r.store_id AND b.id = r.id AND b.version = r.version)'
      ELSE '' END);
    IF event.column4 <> 0 THEN
      IF cardinality(scopes) = 0 THEN
        body := body || format($sql$
  INSERT INTO list_deltas SELECT %L, r.store_id, r.store_id, r.created_at, r.id, %s FROM changed r;$sql$,
          tracked::text, event.column4);
      END IF;
      FOREACH counted IN ARRAY scopes LOOP
        body := body || format($sql$
  INSERT INTO list_deltas SELECT %L, r.store_id, r.%I, r.created_at, r.id, %s FROM changed r WHERE r.%I IS NOT NULL;$sql$,
          tracked::text || '.' || counted, counted, event.column4, counted);
      END LOOP;
    END IF;
    EXECUTE format(
      'CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN%s RETURN NULL; END $body$',
      tracked::text || '_on_' || event.column1, body || E'\n ');
    EXECUTE format(
      'CREATE TRIGGER %I AFTER %s ON %s REFERENCING %s TABLE AS changed%s FOR EACH STATEMENT EXECUTE FUNCTION %I()',
      'track_' || event.column1, event.column1, tracked, event.column3,
      CASE event.column1 WHEN 'update' THEN ' OLD TABLE AS before' ELSE '' END,
      tracked::text || '_on_' || event.column1);
  END LOOP;
END $procedure$;

-- Folds the waiting deltas of up to `lists` lists into their counters, and keeps their blocks. Returns how many lists
-- were merged. To be called in a transaction of its own, REPEATABLE READ: blocks, deltas and rows must be of one
-- snapshot for their sums to agree.
CREATE FUNCTION merge_list_deltas(lists integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  blocked constant integer := 4096;
  l record;
  total bigint;
  merged integer := 0;
BEGIN
  -- One merger at a time; the others have nothing to do.
  IF NOT pg_try_advisory_xact_lock(7305013) THEN RETURN 0; END IF;
  FOR l IN SELECT DISTINCT d.store_id, d.list, d.scope FROM list_deltas d LIMIT lists LOOP
    WITH taken AS (
      DELETE FROM list_deltas d WHERE d.store_id = l.store_id AND d.list = l.list AND d.scope = l.scope RETURNING *
    ), shares AS (
      SELECT b.at, b.id, sum(t.n) AS n
      FROM taken t CROSS JOIN LATERAL (
        SELECT k.at, k.id FROM list_blocks k
        WHERE k.store_id = l.store_id AND k.list = l.list AND k.scope = l.scope AND (k.at, k.id) <= (t.at, t.id)
        ORDER BY k.at DESC, k.id DESC LIMIT 1
      ) b GROUP BY b.at, b.id
    ), shared AS (
      UPDATE list_blocks k SET n = k.n + s.n FROM shares s
      WHERE k.store_id = l.store_id AND k.list = l.list AND k.scope = l.scope AND k.at = s.at AND k.id = s.id
    )
    INSERT INTO list_totals AS kept (list, store_id, scope, n)
    SELECT l.list, l.store_id, l.scope, coalesce(sum(t.n), 0) FROM taken t
    ON CONFLICT (store_id, list, scope) DO UPDATE SET n = kept.n + excluded.n
    RETURNING n INTO total;
    merged := merged + 1;
    IF total = 0 THEN
      DELETE FROM list_totals d WHERE d.store_id = l.store_id AND d.list = l.list AND d.scope = l.scope;
    END IF;
    IF total <= blocked / 2 THEN
      DELETE FROM list_blocks d WHERE d.store_id = l.store_id AND d.list = l.list AND d.scope = l.scope;
    ELSIF total > blocked THEN
      INSERT INTO list_blocks (list, store_id, scope, at, id, n)
      SELECT l.list, l.store_id, l.scope, '-infinity', '00000000-0000-0000-0000-000000000000', total
      WHERE NOT EXISTS (
        SELECT FROM list_blocks k WHERE k.store_id = l.store_id AND k.list = l.list AND k.scope = l.scope);
      PERFORM split_list_blocks(l.list, l.store_id, l.scope, blocked);
    END IF;
  END LOOP;
  RETURN merged;
END $$;

-- Splits the blocks that hold more than `blocked` rows, and drops those that have become empty.
CREATE FUNCTION split_list_blocks(of_list text, of_store uuid, of_scope uuid, blocked integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  b record;
  counted_table text := split_part(of_list, '.', 1);
  counted_scope text := split_part(of_list, '.', 2);
BEGIN
  DELETE FROM list_blocks k WHERE k.store_id = of_store AND k.list = of_list AND k.scope = of_scope AND k.n = 0
    AND k.at > '-infinity';
  FOR b IN SELECT * FROM list_blocks k
    WHERE k.store_id = of_store AND k.list = of_list AND k.scope = of_scope AND k.n > blocked
  LOOP
    EXECUTE format(
      $sql$
      WITH starts AS (
        SELECT created_at, id, row_number() OVER () AS nth FROM (
          SELECT created_at, id, row_number() OVER (ORDER BY created_at, id) AS place FROM %I
          WHERE store_id = $2 %s AND (created_at, id) >= ($4, $5) ORDER BY created_at, id LIMIT $6
        ) ranked WHERE place > 1 AND (place - 1) %% $7 = 0 ORDER BY created_at, id
      ), added AS (
        INSERT INTO list_blocks (list, store_id, scope, at, id, n)
        SELECT $1, $2, $3, created_at, id, least($7, $6 - nth * $7) FROM starts
      )
      UPDATE list_blocks SET n = $7 WHERE list = $1 AND store_id = $2 AND scope = $3 AND at = $4 AND id = $5
      $sql$,
      counted_table, CASE WHEN counted_scope = '' THEN '' ELSE format('AND %I = $3', counted_scope) END)
    USING of_list, of_store, of_scope, b.at, b.id, b.n, blocked / 2;
  END LOOP;
END $$;

-- The last block that begins at or before the row at `place` (from 0, ascending by created_at and id), and how many
-- rows lie before it. Deltas that wait to be merged are counted where they fall. A list without blocks begins at
-- its beginning.
CREATE FUNCTION list_seek(of_list text, of_store uuid, of_scope uuid, place bigint,
  OUT at timestamptz, OUT id uuid, OUT before bigint)
LANGUAGE sql STABLE AS $$
  SELECT seen.at, seen.id, seen.before FROM (
    SELECT p.at, p.id, p.block,
      coalesce(sum(p.n) OVER (ORDER BY p.at, p.id, p.block DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::bigint
        AS before
    FROM (
      SELECT k.at, k.id, k.n, true AS block FROM list_blocks k
      WHERE k.store_id = of_store AND k.list = of_list AND k.scope = of_scope
      UNION ALL
      SELECT '-infinity', '00000000-0000-0000-0000-000000000000', 0, true WHERE NOT EXISTS (
        SELECT FROM list_blocks k WHERE k.store_id = of_store AND k.list = of_list AND k.scope = of_scope)
      UNION ALL
      SELECT d.at, d.id, d.n, false FROM list_deltas d
      WHERE d.store_id = of_store AND d.list = of_list AND d.scope = of_scope
    ) p
  ) seen WHERE seen.block AND seen.before <= place
  ORDER BY seen.at DESC, seen.id DESC LIMIT 1
$$;

CALL track('singletons', 'r.type');
