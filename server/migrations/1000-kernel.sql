-- The tables and routines of kernel/ at the baseline: see docs/decisions/0094-baseline.md.

-- A routine may use what comes after it.
SET LOCAL check_function_bodies = off;

CREATE DOMAIN event_name AS text CONSTRAINT fresh_changes_event_check CHECK (VALUE IN ('created', 'updated', 'deleted')
  OR strpos(VALUE, '.') > 0);

CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- The fence, in whole seconds since 1970: no row is written with an older time. A sequence, because its value is the
-- same for every transaction, whatever its snapshot. Only `raise_time_fence` raises it.
CREATE SEQUENCE time_fence MINVALUE 0 START 0;

CREATE TABLE organisations (
  id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT organisations_pkey PRIMARY KEY (id)
);

CREATE TABLE stores (
  id uuid NOT NULL,
  organisation_id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT stores_pkey PRIMARY KEY (id),
  CONSTRAINT stores_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations (id)
);

-- Makes a table write the change feed and the counters of its lists, whatever way it is written.
-- `type` is an SQL expression over the row `r`; `scopes` are the columns whose lists are counted (none: the store's);
-- the first of them is the scope in the feed. `personal` says that its objects hold personal data, as their resource
-- does. `source` is an expression too, for a table of many kinds of objects. Where `counted` is false, as its
-- resource says too, the table only writes the feed. `hidden` is an expression for what the feed stores of the hidden
-- values: those that responses are made of, and no secret.
CREATE PROCEDURE track(tracked regclass, type text, scopes text[] DEFAULT '{}', personal boolean DEFAULT false,
  source text DEFAULT NULL, counted boolean DEFAULT true, hidden text DEFAULT NULL,
  public_id text DEFAULT NULL) LANGUAGE plpgsql AS $$ BEGIN
  CALL track_changes(tracked, type, scopes, personal, source, counted, hidden, public_id);
  CALL fence_times_of(tracked);
END $$;

-- Makes the rows of a table respect the fence, so that its lists can have a watermark.
CREATE PROCEDURE fence_times_of(fenced regclass) LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('CREATE OR REPLACE TRIGGER fence_times BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION fence_times()',
    fenced);
END $$;

-- An order of another system is entered with the date on which it was placed there. A new row that is older than its
-- write keeps that date; what followers rely on is `updated_at`. See docs/decisions/0064-watermark.md.
CREATE FUNCTION fence_times() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  xid xid8 := pg_current_xact_id();
  fence timestamptz := to_timestamp(pg_sequence_last_value('time_fence'::regclass));
BEGIN
  -- What is copied from another database keeps its times: nobody can have followed it yet.
  IF NEW.updated_at < fence AND current_setting('sutler.keep_times', true) IS DISTINCT FROM 'on' THEN
    IF NEW.created_at = NEW.updated_at THEN
      NEW.created_at := fence;
    END IF;
    NEW.updated_at := fence;
  END IF;
  RETURN NEW;
END $$;

-- The time of a write: the given one, or the fence if that is later. A statement that gives a row a new version calls
-- it for the row's `updated_at`.
CREATE FUNCTION fenced(instant timestamptz) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  -- The transaction must have its number before it reads the fence: whoever raises the fence waits for that number.
  xid xid8 := pg_current_xact_id();
BEGIN
  -- What the view pg_sequences reads.
  RETURN greatest(instant, to_timestamp(pg_sequence_last_value('time_fence'::regclass)));
END $$;

CREATE PROCEDURE track_changes(tracked regclass, type text, scopes text[] DEFAULT '{}',
  personal boolean DEFAULT false, source text DEFAULT NULL, counted boolean DEFAULT true,
  hidden text DEFAULT NULL, public_id text DEFAULT NULL) LANGUAGE plpgsql AS $procedure$
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

-- One row per kind of settings that a store has changed from its defaults.
CREATE TABLE singletons (
  store_id uuid NOT NULL,
  name text NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  CONSTRAINT singletons_pkey PRIMARY KEY (store_id, name),
  CONSTRAINT singletons_store_id_fkey FOREIGN KEY (store_id) REFERENCES stores (id) ON DELETE CASCADE
);
CALL track('singletons', 'r.type', source => $$'singletons.' || r.name$$);

CREATE TABLE idempotency_keys (
  store_id uuid NOT NULL,
  key text NOT NULL,
  fingerprint text NOT NULL,
  status smallint,
  headers json,
  body text,
  created_at timestamptz(3) NOT NULL,
  leased_until timestamptz,
  errand_id uuid,
  leased_by text COLLATE "C",
  -- Whether a stored response has only the types and ids of its objects: a repeated request reads them again.
  is_shortened boolean DEFAULT false NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (store_id, key),
  CONSTRAINT idempotency_keys_store_id_fkey FOREIGN KEY (store_id) REFERENCES stores (id) ON DELETE CASCADE
);
CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at);

-- The change feed. Positions of a store are given in their order and without a gap: whoever has read up to one has
-- missed nothing before it. Erasing and trimming leave gaps later.
CREATE TABLE changes (
  store_id uuid NOT NULL, position bigint NOT NULL,
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
  public_id text COLLATE "C",
  CONSTRAINT changes_pkey PRIMARY KEY (store_id, position, given_at)
) PARTITION BY RANGE (given_at);
-- What is older than a store keeps it, wherever it lies.
CREATE INDEX changes_by_time ON changes (store_id, at);
-- Whether an object with personal data is gone is looked up for each read of it.
CREATE INDEX changes_of_object ON changes (store_id, id, position);
-- Whom the event of a one-time password is about: it names the user beside their own changes.
CREATE INDEX changes_of_one_time_passwords ON changes (store_id, (doc->'user_authentication_info'->>'id'))
  WHERE type = 'one-time-password-token-request';
-- An erasure forgets what the feed says of the carts and orders of a person or an account, also of those that were
-- deleted: they are below no parent that would lead to them.
CREATE INDEX changes_of_owned ON changes
  (store_id, coalesce(hidden->'customers'->>0, hidden->'accounts'->>0, hidden->>'customer_id', hidden->>'account_id'))
  WHERE source IN ('carts', 'orders')
  AND coalesce(hidden->'customers'->>0, hidden->'accounts'->>0, hidden->>'customer_id',
  hidden->>'account_id') IS NOT NULL;
CREATE INDEX changes_of_personal_data_by_scope ON changes (store_id, scope) WHERE personal AND scope IS NOT NULL;
CREATE INDEX changes_of_public_id ON changes (store_id, public_id, position) WHERE public_id IS NOT NULL;

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

-- The partition of this week. Without it the first change makes it, and takes longer.
CALL keep_partition(clock_timestamp());

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
  n smallint NOT NULL,
  updated_at timestamptz(3) NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX list_deltas_by_list ON list_deltas (store_id, list, scope);

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

-- What is counted to slow down whoever guesses, until it is forgotten. The subject is a hash: this is no list of names
-- and addresses.
CREATE TABLE attempts (
  store_id uuid NOT NULL,
  subject text COLLATE "C" NOT NULL,
  n integer NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  CONSTRAINT attempts_pkey PRIMARY KEY (store_id, subject)
);
CREATE INDEX attempts_by_ends_at ON attempts (ends_at);

-- How far each store's feed has come. Whoever holds the row's lock gives positions in it.
CREATE TABLE feeds (
  store_id uuid NOT NULL, position bigint NOT NULL,
  -- There are no fresh changes up to this number, and never will be: rows that are gone, but cannot be vacuumed while
  -- somebody looks at an old snapshot, need not be passed over.
  done bigint DEFAULT 0 NOT NULL,
  -- When the last changes got their positions, and up to which position the feed has been trimmed.
  given_at timestamptz DEFAULT '-infinity' NOT NULL,
  trimmed bigint DEFAULT 0 NOT NULL,
  CONSTRAINT feeds_pkey PRIMARY KEY (store_id)
) WITH (fillfactor = 50);

-- Changes as they are written, in the transactions that make them. The sequence is asked under the lock of the changed
-- row, so that of two changes of which one follows the other, the latter has the higher number. They commit in any
-- order, so nobody reads them here: sequencing empties the table all the time, hence the eager vacuuming.
CREATE TABLE fresh_changes (
  store_id uuid NOT NULL,
  -- Not to be cached by sessions: numbers must be given in the order they are asked for.
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  at timestamptz(3) NOT NULL,
  event event_name NOT NULL,
  type text NOT NULL,
  source text NOT NULL,
  id uuid NOT NULL,
  scope uuid,
  personal boolean NOT NULL,
  actor text NOT NULL,
  request_id text NOT NULL,
  doc json,
  -- Rows as they were: with their version and the time of their creation, and with those hidden values that responses
  -- are made of, where a table says which.
  version integer,
  created_at timestamptz(3),
  hidden json,
  -- Clients know some objects by an id that they have chosen themselves, such as a cart. The feed has it with each
  -- change, also with a deletion: see docs/decisions/0076-public-ids-in-the-feed.md. Null where clients use `id`.
  public_id text COLLATE "C",
  CONSTRAINT fresh_changes_pkey PRIMARY KEY (store_id, seq)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);

-- Which chapters have given a store what every store has from its first day. A chapter that comes later gives it to the
-- stores that are there already.
CREATE TABLE first_days (
  store_id uuid NOT NULL,
  chapter text NOT NULL,
  given_at timestamptz(3) NOT NULL,
  CONSTRAINT first_days_pkey PRIMARY KEY (store_id, chapter),
  CONSTRAINT first_days_store_id_fkey FOREIGN KEY (store_id) REFERENCES stores (id) ON DELETE CASCADE
);

-- Which secrets something in the database may still be made with, by their fingerprints. The one that is in use is the
-- one that came into use last.
CREATE TABLE secrets (
  fingerprint text NOT NULL,
  in_use_from timestamptz(3) NOT NULL,
  CONSTRAINT secrets_pkey PRIMARY KEY (fingerprint)
);

-- Rows that moved in the order of their last change. Apart from list_deltas, as they change no total.
CREATE TABLE list_moves (
  list text NOT NULL,
  store_id uuid NOT NULL,
  scope uuid NOT NULL,
  id uuid NOT NULL,
  updated_from timestamptz(3) NOT NULL,
  updated_to timestamptz(3) NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX list_moves_by_list ON list_moves (store_id, list, scope);

CREATE FUNCTION nothing_said(fields json) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(jsonb_object_agg(f->>'name', NULL), '{}') FROM json_array_elements(fields) f
  WHERE f->'hidden' IS NULL AND f->'holdsLinks' IS NULL AND f->'omitNull' IS NULL
$$;

-- The fields that stores add to resources at run time, by the name that the resource has for it. Every statement that
-- reads or writes such rows asks for `state`, which is another one whenever `fields` are. See
-- docs/decisions/0019-added-fields.md.
CREATE TABLE added_fields (
  store_id uuid NOT NULL,
  name text NOT NULL,
  state uuid NOT NULL,
  fields json NOT NULL,
  -- What is shown of an object that has a value for none of them.
  nothing jsonb GENERATED ALWAYS AS (nothing_said(fields)) STORED NOT NULL,
  CONSTRAINT added_fields_pkey PRIMARY KEY (store_id, name)
);

-- How many rows a list has in an edition, for lists whose rows are true from one edition up to another. The scope is
-- that of the list; its first value is what the editions are of.
CREATE TABLE edition_totals (
  store_id uuid NOT NULL,
  list text COLLATE "C" NOT NULL,
  scope uuid[] NOT NULL,
  since integer NOT NULL,
  until integer DEFAULT 2147483647 NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT edition_totals_pkey PRIMARY KEY (store_id, list, scope, since)
);
CREATE INDEX edition_totals_by_since ON edition_totals (store_id, (scope[1]), since);
CREATE INDEX edition_totals_by_until ON edition_totals (store_id, (scope[1]), until) WHERE until < 2147483647;

CREATE TABLE long_jobs (
  store_id uuid NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text COLLATE "C" NOT NULL,
  author text NOT NULL,
  payload json NOT NULL,
  -- How often the job was started since it last made progress, and how often it was put off since then, and why.
  starts integer DEFAULT 0 NOT NULL,
  tries integer DEFAULT 0 NOT NULL,
  waiting_for text,
  next_try_at timestamptz DEFAULT now() NOT NULL,
  -- The worker that runs it: see server/kernel/work/worker-session.ts.
  locked_by text COLLATE "C",
  locked_at timestamptz,
  CONSTRAINT long_jobs_pkey PRIMARY KEY (store_id, id)
);
CREATE UNIQUE INDEX long_jobs_one_at_a_time ON long_jobs (store_id) WHERE locked_by IS NOT NULL;

-- The first position that a store's feed got on a day (UTC). A reader who goes on from a position reads no partition
-- that ended before.
CREATE TABLE feed_days (
  store_id uuid NOT NULL,
  day date NOT NULL, position bigint NOT NULL,
  CONSTRAINT feed_days_pkey PRIMARY KEY (store_id, day)
);

-- Positions that a store's feed has skipped, because the store was imported: another server may have given them to
-- changes that this one does not have. A reader that says it has read up to one of them has to begin again. See
-- docs/decisions/0067-stores-in-archives.md.
CREATE TABLE feed_gaps (
  store_id uuid NOT NULL,
  after bigint NOT NULL,
  until bigint NOT NULL,
  CONSTRAINT feed_gaps_pkey PRIMARY KEY (store_id, after)
);

CREATE TABLE errands (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  name text COLLATE "C" NOT NULL, values json NOT NULL,
  outcome json,
  leased_until timestamptz NOT NULL,
  created_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  subject uuid,
  leased_by text COLLATE "C",
  CONSTRAINT errands_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT errands_store_id_fkey FOREIGN KEY (store_id) REFERENCES stores (id) ON DELETE CASCADE
);
CREATE INDEX errands_by_ended_at ON errands (store_id, ended_at) WHERE ended_at IS NOT NULL;
CREATE UNIQUE INDEX errands_open_key ON errands (store_id, subject) WHERE ended_at IS NULL;

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

-- The last block of rows that begins at or before the row at `place` (from 0), and how many rows lie before it.
CREATE FUNCTION list_seek(of_list text, of_store uuid, of_scope uuid, by_column text, place bigint,
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

-- Gives the next positions of a store's feed to at most `most` of its fresh changes, in the order in which they were
-- written. The time of a position never decreases, even if the clock is set back.
CREATE FUNCTION give_positions(of_store uuid, most integer, finished bigint)
  RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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

-- Whether changes of a store wait for positions.
CREATE FUNCTION has_fresh_changes(of_store uuid)
  RETURNS boolean LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  RETURN EXISTS (SELECT FROM fresh_changes c WHERE c.store_id = of_store
    AND c.seq > coalesce((SELECT f.done FROM feeds f WHERE f.store_id = of_store), 0));
END $$;

-- The stores in which changes wait for positions.
CREATE FUNCTION stores_with_fresh_changes() RETURNS SETOF uuid LANGUAGE plpgsql AS $$
BEGIN
  -- As after a restore that left the sequence out.
  UPDATE feeds SET done = 0 WHERE done > (SELECT last_value FROM fresh_changes_seq_seq);
  RETURN QUERY SELECT s.id FROM stores s WHERE has_fresh_changes(s.id);
END $$;

-- Waits for its turn to give positions in a store's feed. Nobody else does until the end of the transaction.
CREATE FUNCTION hold_feed(of_store uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO feeds SELECT of_store, 0 WHERE NOT EXISTS (SELECT FROM feeds WHERE store_id = of_store)
  ON CONFLICT DO NOTHING;
  PERFORM FROM feeds WHERE store_id = of_store FOR NO KEY UPDATE;
END $$;

-- Gives positions to all of a store's changes that are committed, or made in this transaction: for a reader of the feed
-- who must not miss what was just written.
CREATE FUNCTION sequence_store(of_store uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- What has a position has been committed with it.
  IF NOT has_fresh_changes(of_store) THEN RETURN; END IF;
  PERFORM hold_feed(of_store);
  PERFORM give_positions(of_store, NULL, 0);
END $$;

-- Gives positions to what is committed in these stores, at most `most` at a time in each, so that none waits for long.
-- `busy` are the stores where there may be more: somebody else was giving positions, or there was too much.
-- `tip` and `xid` are for the next call: numbers up to `tip` are in transactions older than `xid` only, so when all of
-- those have ended, nothing more will come below it. They must not outlive the database they come from.
CREATE PROCEDURE sequence_changes(of_stores uuid[], most integer, INOUT tip bigint, INOUT xid xid8,
  INOUT busy uuid[] DEFAULT '{}') LANGUAGE plpgsql AS $$
DECLARE
  s uuid;
  given integer;
  uncommitted integer := 0;
  finished bigint := 0;
  next_tip bigint;
BEGIN
  -- Before this transaction has an id.
  SELECT last_value INTO next_tip FROM fresh_changes_seq_seq;
  IF xid < pg_snapshot_xmin(pg_current_snapshot()) THEN
    finished := least(tip, next_tip);
    xid := NULL;
  END IF;
  FOREACH s IN ARRAY of_stores LOOP
    CONTINUE WHEN NOT has_fresh_changes(s);
    IF xid IS NULL THEN
      xid := pg_current_xact_id();
      tip := next_tip;
    END IF;
    PERFORM FROM feeds WHERE store_id = s FOR NO KEY UPDATE SKIP LOCKED;
    IF FOUND THEN
      given := give_positions(s, most, finished);
      IF given = most THEN busy := busy || s; END IF;
      uncommitted := uncommitted + given;
    ELSE
      INSERT INTO feeds VALUES (s, 0) ON CONFLICT DO NOTHING;
      busy := busy || s;
    END IF;
    IF uncommitted >= most THEN
      COMMIT;
      uncommitted := 0;
    END IF;
  END LOOP;
END $$;

-- What waits to be merged into the blocks of one order: where rows came to lie, and where they no longer do.
CREATE FUNCTION list_points(of_list text, of_store uuid, of_scope uuid, by_column text)
  RETURNS TABLE(at timestamptz, id uuid, n integer) LANGUAGE sql STABLE AS $$
  SELECT CASE by_column WHEN 'created_at' THEN d.at WHEN 'updated_at' THEN d.updated_at ELSE '-infinity' END, d.id,
    d.n::integer
  FROM list_deltas d WHERE d.store_id = of_store AND d.list = of_list AND d.scope = of_scope
  UNION ALL
  SELECT p.at, m.id, p.n FROM list_moves m CROSS JOIN LATERAL (VALUES (m.updated_from, -1), (m.updated_to, 1)) p (at, n)
  WHERE by_column = 'updated_at' AND m.store_id = of_store AND m.list = of_list AND m.scope = of_scope
$$;

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
CREATE FUNCTION list_block_at(of_list text, of_store uuid, of_scope uuid, by_column text, to_at timestamptz,
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
    SELECT p.n FROM list_points(of_list, of_store, of_scope, by_column) p
    WHERE (p.at, p.id) < (list_block_at.at, list_block_at.id)
  ) s;
END $$;

-- Changes rows `r` of a tracked table as `Store.changeAll` does: each gets a new version, recorded in the change feed
-- with the author and the time of the write that fired the trigger. `which` is a condition, `doc` and `hidden` are
-- expressions for the new values. In all three `$1` is the store, `$2` the object that was deleted, `$3` the time of
-- the write, and `$4` the object that the deleted one was in, if the trigger names it.
CREATE PROCEDURE change_all(changed regclass, of_store uuid, deleted uuid, which text, doc text DEFAULT NULL,
  hidden text DEFAULT NULL, deleted_from uuid DEFAULT NULL) LANGUAGE plpgsql AS $$
DECLARE
  author text := current_setting('sutler.by', true);
  at timestamptz(3) := coalesce(nullif(split_part(author, ' ', 3), '')::timestamptz, clock_timestamp());
BEGIN
  EXECUTE format(
    'UPDATE %s r SET version = r.version + 1, updated_at = greatest(r.updated_at, fenced($3))%s%s WHERE r.store_id = $1 AND %s',
    changed, ', doc = ' || doc, ', hidden = ' || hidden, which
  ) USING of_store, deleted, at, deleted_from;
END $$;

-- Counts a row that has moved from one list to another: the update that moves it is not counted by `track`. Called by a
-- trigger of the table; `list` is its name and the column of the parent.
CREATE PROCEDURE count_moved(list text, of_store uuid, moved uuid, created_at timestamptz, updated_at timestamptz,
  from_parent uuid, to_parent uuid) LANGUAGE sql AS $$
  INSERT INTO list_deltas VALUES
    (list, of_store, from_parent, created_at, moved, -1, updated_at),
    (list, of_store, to_parent, created_at, moved, 1, updated_at)
$$;

-- Counts the lists of a table that is not in the change feed: deliveries are bookkeeping about changes.
CREATE PROCEDURE count_rows(counted regclass, scopes text[]) LANGUAGE plpgsql AS $procedure$
DECLARE
  name text := counted::text || '_counted';
  deltas text := '';
  moves text := '';
  list text;
  scope text;
BEGIN
  FOREACH scope IN ARRAY scopes LOOP
    list := counted::text || CASE scope WHEN 'store_id' THEN '' ELSE '.' || scope END;
    deltas := deltas || format($sql$
    INSERT INTO list_deltas VALUES (%L, r.store_id, r.%I, r.created_at, r.id, n, r.updated_at);$sql$, list, scope);
    moves := moves || format($sql$
    INSERT INTO list_moves VALUES (%L, NEW.store_id, NEW.%I, NEW.id, OLD.updated_at, NEW.updated_at);$sql$, list, scope);
  END LOOP;
  EXECUTE format(
    $function$
CREATE OR REPLACE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
  r record;
  n smallint;
BEGIN
  IF TG_OP = 'UPDATE' THEN%s
    RETURN NULL;
  ELSIF TG_OP = 'INSERT' THEN
    r := NEW;
    n := 1;
  ELSE
    r := OLD;
    n := -1;
  END IF;%s
  RETURN NULL;
END $body$$function$, name, moves, deltas);
  EXECUTE format('CREATE OR REPLACE TRIGGER track AFTER INSERT OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION %I()',
    counted, name);
  EXECUTE format('CREATE OR REPLACE TRIGGER track_moves AFTER UPDATE ON %s FOR EACH ROW
    WHEN (OLD.updated_at <> NEW.updated_at) EXECUTE FUNCTION %I()', counted, name);
END $procedure$;

-- Raises the fence to a time, if it is lower, and returns it. The transaction must end before anyone relies on the
-- result. A clock that runs ahead of the database's must not take all others with it.
CREATE FUNCTION raise_time_fence(to_time timestamptz, behind interval) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  wanted bigint := floor(extract(epoch FROM least(to_time, clock_timestamp()) - behind));
  fence bigint;
BEGIN
  -- What another process has raised is durable when this lock is free.
  PERFORM pg_advisory_xact_lock(hashtextextended('time_fence', 0));
  SELECT last_value INTO fence FROM time_fence;
  IF wanted > fence THEN
    fence := setval('time_fence', wanted);
  END IF;
  RETURN to_timestamp(fence);
END $$;

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
-- the next time: readers and writers would wait behind it. `changes_before` exists in old databases only: it has the
-- changes from before the partitions.
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

-- Whether a session of this database holds the lock of this name.
CREATE FUNCTION session_lives(name text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(name, 0))
$$;

-- Whether a lease still keeps others away. A start of PostgreSQL ends the sessions of processes that live, and these
-- have new ones within seconds. Until then, a missing session says nothing.
CREATE FUNCTION lease_holds(until timestamptz, holder text) RETURNS boolean LANGUAGE sql AS $$
  SELECT coalesce(until > clock_timestamp(), false) AND (
    holder IS NULL OR clock_timestamp() < pg_postmaster_start_time() + interval '5 seconds' OR session_lives(holder))
$$;
