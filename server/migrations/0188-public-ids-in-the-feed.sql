-- Clients know some objects by an id that they have chosen themselves, such as a cart. The feed has it with each
-- change, also with a deletion: see docs/decisions/0076-public-ids-in-the-feed.md. Null where clients use `id`.
ALTER TABLE fresh_changes ADD COLUMN public_id text COLLATE "C";
ALTER TABLE changes ADD COLUMN public_id text COLLATE "C";
CREATE INDEX changes_of_public_id ON changes (store_id, public_id, position) WHERE public_id IS NOT NULL;

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
    created_at, hidden, public_id, given_at)
  SELECT t.store_id, feed.before + row_number() OVER (ORDER BY t.seq), t.at, t.event, t.type, t.source, t.id, t.scope,
    t.personal, t.actor, t.request_id, t.doc, t.version, t.created_at, t.hidden, t.public_id, instant
  FROM taken t, feed ORDER BY t.seq;
  GET DIAGNOSTICS given = ROW_COUNT;
  IF given > 0 THEN
    INSERT INTO feed_days VALUES (of_store, (instant AT TIME ZONE 'UTC')::date, last_position + 1) ON CONFLICT DO NOTHING;
  END IF;
  RETURN given;
END $$;

-- `public_id` is the SQL of the id that clients know, where that is not `r.id`.
DROP PROCEDURE track(regclass, text, text[], boolean, text, boolean, text);
DROP PROCEDURE track_changes(regclass, text, text[], boolean, text, boolean, text);
CREATE PROCEDURE track_changes(
  tracked regclass, type text, scopes text[] DEFAULT '{}', personal boolean DEFAULT false, source text DEFAULT NULL,
  counted boolean DEFAULT true, hidden text DEFAULT NULL, public_id text DEFAULT NULL
) LANGUAGE plpgsql AS $procedure$
DECLARE
  name text := tracked::text || '_tracked';
  scope text := CASE WHEN cardinality(scopes) = 0 THEN 'NULL' ELSE 'r.' || quote_ident(scopes[1]) END;
  change text := $sql$
      INSERT INTO fresh_changes (store_id, version, created_at, id, type, source, scope, personal, actor, request_id,
        public_id, event, at, doc, hidden)
      VALUES (r.store_id, r.version, r.created_at, r.id, %s, %s, %s, %s, split_part(author, ' ', 1),
        split_part(author, ' ', 2), %s, %s, %s, %s, %s);$sql$;
  deltas text := '';
  moves text := '';
  list_scope text;
  parent record;
BEGIN
  source := coalesce(source, quote_literal(tracked::text));
  public_id := coalesce(public_id, 'NULL');
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
    format(change, type, source, scope, personal::text, public_id, $$'deleted'$$, 'greatest(r.updated_at, at)', 'NULL',
      'NULL'),
    deltas,
    format(change, type, source, scope, personal::text, public_id,
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

CREATE PROCEDURE track(
  tracked regclass, type text, scopes text[] DEFAULT '{}', personal boolean DEFAULT false, source text DEFAULT NULL,
  counted boolean DEFAULT true, hidden text DEFAULT NULL, public_id text DEFAULT NULL
) LANGUAGE plpgsql AS $$ BEGIN
  CALL track_changes(tracked, type, scopes, personal, source, counted, hidden, public_id);
  CALL fence_times_of(tracked);
END $$;

CALL track('carts', $$'cart'$$, personal => true, public_id => 'nullif(r.reference, r.id::text)',
  hidden => $$json_build_object('customers', r.customers, 'accounts', r.accounts,
    'expiry_days', r.summary->'expiry_days', 'priced', r.summary->'priced', 'contents', r.summary->'contents')$$);

-- What the feed has of carts already.
UPDATE changes SET public_id = doc->>'id' WHERE source = 'carts' AND doc->>'id' <> id::text;
UPDATE changes d SET public_id = known.public_id
FROM (SELECT DISTINCT store_id, id, public_id FROM changes WHERE source = 'carts' AND public_id IS NOT NULL) known
WHERE d.store_id = known.store_id AND d.id = known.id AND d.source = 'carts' AND d.event = 'deleted';
