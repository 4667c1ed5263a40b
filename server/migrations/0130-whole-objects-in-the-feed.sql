-- The feed remembers whole objects, is divided by time, and finds the changes of any object. See
-- docs/decisions/0058-whole-objects-in-the-feed.md.

-- Rows as they were: with their version and the time of their creation, and with those hidden values that responses
-- are made of, where a table says which.
ALTER TABLE fresh_changes ADD COLUMN version integer, ADD COLUMN created_at timestamptz(3), ADD COLUMN hidden json;

-- When the last changes got their positions, and up to which position the feed has been trimmed.
ALTER TABLE feeds ADD COLUMN given_at timestamptz NOT NULL DEFAULT '-infinity',
  ADD COLUMN trimmed bigint NOT NULL DEFAULT 0;

-- The first position that a store's feed got on a day (UTC). A reader who goes on from a position reads no partition
-- that ended before.
CREATE TABLE feed_days (
  store_id uuid NOT NULL,
  day date NOT NULL,
  position bigint NOT NULL,
  CONSTRAINT feed_days_pkey PRIMARY KEY (store_id, day)
);

-- One partition for each week in which positions were given; all earlier changes are one more. A week that no store
-- keeps any longer is dropped.
ALTER TABLE changes RENAME TO changes_before;
ALTER TABLE changes_before DROP CONSTRAINT changes_pkey;
ALTER INDEX changes_by_time RENAME TO changes_before_by_time;
ALTER INDEX changes_of_personal_data_by_scope RENAME TO changes_before_of_personal_data_by_scope;
ALTER INDEX changes_of_one_time_passwords RENAME TO changes_before_of_one_time_passwords;
DROP INDEX changes_of_personal_data;
DROP INDEX changes_of_gone_personal_data;
DO $$ BEGIN
  EXECUTE format('ALTER TABLE changes_before ADD COLUMN version integer, ADD COLUMN created_at timestamptz(3),
    ADD COLUMN hidden json, ADD COLUMN given_at timestamptz NOT NULL DEFAULT %L',
    date_trunc('week', clock_timestamp(), 'UTC') - interval '1 second');
END $$;
ALTER TABLE changes_before ALTER given_at DROP DEFAULT;
CREATE TABLE changes (
  store_id uuid NOT NULL,
  position bigint NOT NULL,
  at timestamptz(3) NOT NULL,
  -- What happened to the object, or the name of an event that is no write of it, such as order.paid.
  event text NOT NULL,
  type text NOT NULL,
  -- The table of the object, as several tables may have one type; of a table for many kinds, the name of the kind too.
  source text NOT NULL,
  id uuid NOT NULL,
  -- The innermost parent in the object's path.
  scope uuid,
  -- Whether such objects hold personal data.
  personal boolean NOT NULL,
  actor text NOT NULL,
  request_id text NOT NULL,
  -- What is shown of the object after the change; null after its deletion.
  doc json,
  version integer,
  created_at timestamptz(3),
  hidden json,
  -- When it got its position. It never decreases from one position of a store to the next.
  given_at timestamptz NOT NULL,
  CONSTRAINT changes_pkey PRIMARY KEY (store_id, position, given_at)
) PARTITION BY RANGE (given_at);
CREATE INDEX changes_by_time ON changes (store_id, at);
-- Whether an object with personal data is gone is looked up for each read of it.
CREATE INDEX changes_of_object ON changes (store_id, id, position);
CREATE INDEX changes_of_personal_data_by_scope ON changes (store_id, scope) WHERE personal;
CREATE INDEX changes_of_one_time_passwords ON changes (store_id, (doc->'user_authentication_info'->>'id'))
  WHERE type = 'one-time-password-token-request';

-- Makes the partition for an instant, if there is none. Readers and writers of the others go on meanwhile.
CREATE PROCEDURE keep_partition(instant timestamptz) LANGUAGE plpgsql AS $$
DECLARE
  week timestamptz := date_trunc('week', instant, 'UTC');
  name text := to_char(week AT TIME ZONE 'UTC', '"changes_"IYYY"w"IW');
BEGIN
  IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
  -- Two processes may find it missing.
  PERFORM pg_advisory_xact_lock(7305015);
  IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('CREATE TABLE %I (LIKE changes INCLUDING DEFAULTS)', name);
  EXECUTE format('ALTER TABLE changes ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, week,
    (week AT TIME ZONE 'UTC' + interval '7 days') AT TIME ZONE 'UTC');
END $$;

DO $$ BEGIN
  EXECUTE format('ALTER TABLE changes ATTACH PARTITION changes_before FOR VALUES FROM (MINVALUE) TO (%L)',
    date_trunc('week', clock_timestamp(), 'UTC'));
END $$;
CALL keep_partition(clock_timestamp());

-- As in migration 0014, with the instant: positions and days rise together, even where a clock is set back.
CREATE OR REPLACE FUNCTION give_positions(of_store uuid, most integer, finished bigint) RETURNS integer LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  given integer;
  instant timestamptz;
  last_position bigint;
BEGIN
  SELECT greatest(f.given_at, clock_timestamp()), f.position INTO instant, last_position
  FROM feeds f WHERE f.store_id = of_store;
  CALL keep_partition(instant);
  WITH taken AS (
    DELETE FROM fresh_changes f WHERE f.store_id = of_store AND f.seq = ANY (ARRAY(
      SELECT o.seq FROM fresh_changes o
      WHERE o.store_id = of_store AND o.seq > (SELECT done FROM feeds WHERE store_id = of_store)
      ORDER BY o.seq LIMIT most))
    RETURNING f.*
  ), counted AS (
    SELECT count(*) AS n, max(seq) AS last FROM taken
  ), feed AS (
    UPDATE feeds SET position = position + n, given_at = instant,
      done = greatest(done, least(finished, CASE WHEN n = most THEN last ELSE finished END))
    FROM counted WHERE store_id = of_store RETURNING position - n AS before
  )
  INSERT INTO changes (store_id, position, at, event, type, source, id, scope, personal, actor, request_id, doc, version,
    created_at, hidden, given_at)
  SELECT t.store_id, feed.before + row_number() OVER (ORDER BY t.seq), t.at, t.event, t.type, t.source, t.id, t.scope,
    t.personal, t.actor, t.request_id, t.doc, t.version, t.created_at, t.hidden, instant
  FROM taken t, feed ORDER BY t.seq;
  GET DIAGNOSTICS given = ROW_COUNT;
  IF given > 0 THEN
    INSERT INTO feed_days VALUES (of_store, (instant AT TIME ZONE 'UTC')::date, last_position + 1) ON CONFLICT DO NOTHING;
  END IF;
  RETURN given;
END $$;

DROP PROCEDURE track(regclass, text, text[], boolean, text, boolean);

-- Makes a table write the change feed and the counters of its lists, whatever way it is written.
-- `type` is an SQL expression over the row `r`; `scopes` are the columns whose lists are counted (none: the store's);
-- the first of them is the scope in the feed. `personal` says that its objects hold personal data, as their resource
-- does. `source` is an expression too, for a table of many kinds of objects. Where `counted` is false, as its
-- resource says too, the table only writes the feed. `hidden` is an expression for what the feed stores of the hidden
-- values: those that responses are made of, and no secret.
CREATE PROCEDURE track(
  tracked regclass, type text, scopes text[] DEFAULT '{}', personal boolean DEFAULT false, source text DEFAULT NULL,
  counted boolean DEFAULT true, hidden text DEFAULT NULL
) LANGUAGE plpgsql AS $procedure$
DECLARE
  name text := tracked::text || '_tracked';
  scope text := CASE WHEN cardinality(scopes) = 0 THEN 'NULL' ELSE 'r.' || quote_ident(scopes[1]) END;
  change text := $sql$
      INSERT INTO fresh_changes (store_id, version, created_at, id, type, source, scope, personal, actor, request_id,
        event, at, doc, hidden)
      VALUES (r.store_id, r.version, r.created_at, r.id, %s, %s, %s, %s, split_part(author, ' ', 1),
        split_part(author, ' ', 2), %s, %s, %s, %s);$sql$;
  deltas text := '';
  moves text := '';
  list_scope text;
  parent record;
BEGIN
  source := coalesce(source, quote_literal(tracked::text));
  IF counted AND cardinality(scopes) = 0 THEN
    deltas := format($sql$
      INSERT INTO list_deltas VALUES (%L, r.store_id, r.store_id, r.created_at, r.id, n, r.updated_at);$sql$, tracked::text);
    moves := format($sql$
    INSERT INTO list_moves VALUES (%L, NEW.store_id, NEW.store_id, NEW.id, OLD.updated_at, NEW.updated_at);$sql$,
      tracked::text);
  END IF;
  FOREACH list_scope IN ARRAY CASE WHEN counted THEN scopes ELSE '{}' END LOOP
    deltas := deltas || format($sql$
      IF r.%I IS NOT NULL THEN
        INSERT INTO list_deltas VALUES (%L, r.store_id, r.%I, r.created_at, r.id, n, r.updated_at);
      END IF;$sql$, list_scope, tracked::text || '.' || list_scope, list_scope);
    moves := moves || format($sql$
    IF NEW.%I IS NOT NULL THEN
      INSERT INTO list_moves VALUES (%L, NEW.store_id, NEW.%I, NEW.id, OLD.updated_at, NEW.updated_at);
    END IF;$sql$, list_scope, tracked::text || '.' || list_scope, list_scope);
  END LOOP;
  EXECUTE format(
    $function$
CREATE OR REPLACE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
  -- Who writes, in which request, and when.
  author text := coalesce(nullif(current_setting('sutler.by', true), ''), 'system');
BEGIN
  IF TG_OP = 'DELETE' THEN
    DECLARE
      r ALIAS FOR OLD;
      n smallint := -1;
      at timestamptz := coalesce(nullif(split_part(author, ' ', 3), '')::timestamptz, clock_timestamp());
    BEGIN%s%s
    END;
  -- A change is a new version; bookkeeping beside it is none.
  ELSIF TG_OP = 'INSERT' OR NEW.version <> OLD.version THEN
    DECLARE
      r ALIAS FOR NEW;
      n smallint := 1;
    BEGIN
      IF TG_OP = 'INSERT' THEN%s
      END IF;%s
    END;
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.updated_at <> OLD.updated_at THEN%s
  END IF;
  RETURN NULL;
END $body$$function$,
    name,
    deltas,
    format(change, type, source, scope, personal::text, $$'deleted'$$, 'greatest(r.updated_at, at)', 'NULL', 'NULL'),
    deltas,
    format(change, type, source, scope, personal::text,
      $$CASE TG_OP WHEN 'INSERT' THEN 'created' ELSE 'updated' END$$, 'r.updated_at', 'r.doc', coalesce(hidden, 'NULL')),
    moves);
  EXECUTE format('CREATE OR REPLACE TRIGGER track AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION %I()',
    tracked, name);

  -- A cascade of PostgreSQL's own would delete what hangs on a row after the row is in the feed. These triggers do so
  -- before: the tombstones of children precede that of their parent.
  FOR parent IN
    SELECT c.conname AS name, c.confrelid::regclass AS relation,
      string_agg(format('%I = OLD.%I', mine.attname, theirs.attname), ' AND ' ORDER BY pair.place) AS related
    FROM pg_constraint c
    CROSS JOIN LATERAL unnest(c.conkey, c.confkey) WITH ORDINALITY AS pair (mine, theirs, place)
    JOIN pg_attribute mine ON mine.attrelid = c.conrelid AND mine.attnum = pair.mine
    JOIN pg_attribute theirs ON theirs.attrelid = c.confrelid AND theirs.attnum = pair.theirs
    WHERE c.conrelid = tracked AND c.contype = 'f' AND c.confdeltype = 'c'
      AND EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = c.confrelid AND g.tgname = 'track')
    GROUP BY c.oid
  LOOP
    EXECUTE format('CREATE OR REPLACE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  DELETE FROM %s WHERE %s;
  RETURN OLD;
END $body$', parent.name, tracked, parent.related);
    EXECUTE format('CREATE OR REPLACE TRIGGER %I BEFORE DELETE ON %s FOR EACH ROW EXECUTE FUNCTION %I()',
      parent.name, parent.relation, parent.name);
  END LOOP;
END $procedure$;

-- The triggers of all tables, as `track` would write them now.
DO $$
DECLARE
  tracked record;
BEGIN
  FOR tracked IN
    SELECT p.proname, pg_get_functiondef(p.oid) AS text FROM pg_proc p
    WHERE p.pronamespace = current_schema()::regnamespace AND p.proname LIKE '%\_tracked'
  LOOP
    IF strpos(tracked.text, 'INSERT INTO fresh_changes (store_id, id,') = 0
      OR strpos(tracked.text, 'VALUES (r.store_id, r.id,') = 0 THEN
      RAISE EXCEPTION 'track did not write the function %', tracked.proname;
    END IF;
    EXECUTE replace(replace(tracked.text,
      'INSERT INTO fresh_changes (store_id, id,', 'INSERT INTO fresh_changes (store_id, version, created_at, id,'),
      'VALUES (r.store_id, r.id,', 'VALUES (r.store_id, r.version, r.created_at, r.id,');
  END LOOP;
END $$;
