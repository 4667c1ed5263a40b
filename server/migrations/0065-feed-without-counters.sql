-- A table may be in the change feed without counters: its lists are short, and counted as they are listed. Each of its
-- writes then leaves one row behind instead of two or three.
DROP PROCEDURE track(regclass, text, text[], boolean, text);

-- Makes a table write the change feed and the counters of its lists, whatever way it is written.
-- `type` is an SQL expression over the row `r`; `scopes` are the columns whose lists are counted (none: the store's);
-- the first of them is the scope in the feed. `personal` says that its objects hold personal data, as their resource
-- does. `source` is an expression too, for a table of many kinds of objects. Where `counted` is false, as its
-- resource says too, the table only writes the feed.
CREATE PROCEDURE track(
  tracked regclass, type text, scopes text[] DEFAULT '{}', personal boolean DEFAULT false, source text DEFAULT NULL,
  counted boolean DEFAULT true
) LANGUAGE plpgsql AS $procedure$
DECLARE
  name text := tracked::text || '_tracked';
  scope text := CASE WHEN cardinality(scopes) = 0 THEN 'NULL' ELSE 'r.' || quote_ident(scopes[1]) END;
  change text := $sql$
      INSERT INTO fresh_changes (store_id, id, type, source, scope, personal, actor, request_id, event, at, doc)
      VALUES (r.store_id, r.id, %s, %s, %s, %s, split_part(author, ' ', 1), split_part(author, ' ', 2), %s, %s, %s);$sql$;
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
    format(change, type, source, scope, personal::text, $$'deleted'$$, 'greatest(r.updated_at, at)', 'NULL'),
    deltas,
    format(change, type, source, scope, personal::text,
      $$CASE TG_OP WHEN 'INSERT' THEN 'created' ELSE 'updated' END$$, 'r.updated_at', 'r.doc'),
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
