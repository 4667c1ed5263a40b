-- The change feed in an order that readers can rely on, written row by row. See docs/decisions/0012-feed-positions.md.

ALTER TABLE changes RENAME TO changes_before;
ALTER TABLE changes_before DROP CONSTRAINT changes_pkey;
DROP VIEW personal_data_logs;

-- How far each store's feed has come. Whoever holds the row's lock gives positions in it.
CREATE TABLE feeds (
  store_id uuid NOT NULL,
  -- The last one that was given.
  position bigint NOT NULL,
  -- There are no fresh changes up to this number, and never will be: rows that are gone, but cannot be vacuumed while
  -- somebody looks at an old snapshot, need not be passed over.
  done bigint NOT NULL DEFAULT 0,
  CONSTRAINT feeds_pkey PRIMARY KEY (store_id)
) WITH (fillfactor = 50);

-- Changes as they are written, in the transactions that make them. The sequence is asked under the lock of the changed
-- row, so that of two changes of which one follows the other, the latter has the higher number. They commit in any
-- order, so nobody reads them here: sequencing empties the table all the time, hence the eager vacuuming.
CREATE TABLE fresh_changes (
  store_id uuid NOT NULL,
  -- Not to be cached by sessions: numbers must be given in the order they are asked for.
  seq bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz(3) NOT NULL,
  event text NOT NULL,
  type text NOT NULL,
  source text NOT NULL,
  id uuid NOT NULL,
  scope uuid,
  personal boolean NOT NULL,
  actor text NOT NULL,
  request_id text NOT NULL,
  doc json,
  CONSTRAINT fresh_changes_pkey PRIMARY KEY (store_id, seq),
  -- Here, where it refuses the one who writes.
  CONSTRAINT fresh_changes_event_check CHECK (event IN ('created', 'updated', 'deleted') OR strpos(event, '.') > 0)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);

-- The change feed. Positions of a store are given in their order and without a gap: whoever has read up to one has
-- missed nothing before it. Erasing and trimming leave gaps later.
CREATE TABLE changes (
  store_id uuid NOT NULL,
  position bigint NOT NULL,
  at timestamptz(3) NOT NULL,
  -- What happened to the object, or the name of an event that is no write of it, such as order.paid.
  event text NOT NULL,
  type text NOT NULL,
  -- The table it is kept in, as types may be in several; of a table for many kinds, the name of the kind too.
  source text NOT NULL,
  id uuid NOT NULL,
  -- The innermost parent in the object's path.
  scope uuid,
  -- Whether such objects hold personal data.
  personal boolean NOT NULL,
  actor text NOT NULL,
  request_id text NOT NULL,
  -- What is shown of the object after the change; null for a tombstone.
  doc json,
  CONSTRAINT changes_pkey PRIMARY KEY (store_id, position)
);

-- What was fed so far. `seq` has been right all the time, within a transaction and between them.
INSERT INTO changes
SELECT c.store_id, row_number() OVER (PARTITION BY c.store_id ORDER BY c.seq), c.at,
  CASE c.type WHEN 'one-time-password-token-request' THEN 'one-time-password-token-request.created' ELSE c.kind END,
  c.type,
  CASE
    WHEN c.type = 'address' THEN CASE WHEN o.id IS NULL THEN 'account_addresses' ELSE 'customer_addresses' END
    WHEN c.type IN ('settings', 'account_authentication_settings', 'account_membership_setting', 'time_to_live') THEN
      'singletons.' || CASE c.type
        WHEN 'account_authentication_settings' THEN 'account-authentication-settings'
        WHEN 'account_membership_setting' THEN 'account-membership-settings'
        WHEN 'time_to_live' THEN 'logs-ttl'
        ELSE CASE WHEN c.doc->'cart_expiry_days' IS NULL THEN 'settings' ELSE 'cart-settings' END END
    WHEN c.type = 'one-time-password-token-request' THEN c.type
    ELSE coalesce(t.source, 'entries') END,
  c.id, c.scope, holds_personal_data(c.type), c.actor, c.request_id, c.doc
FROM changes_before c
LEFT JOIN (VALUES
  ('application_key', 'application_keys'), ('authentication-realm', 'authentication_realms'),
  ('merchant-realm-mappings', 'merchant_realm_mappings'), ('oidc-profile', 'oidc_profiles'),
  ('password_profile', 'password_profiles'), ('user_authentication_info', 'user_authentication_infos'),
  ('user_authentication_oidc_profile_info', 'user_authentication_oidc_profile_infos'),
  ('user_authentication_password_profile_info', 'user_authentication_password_profile_infos'),
  ('account', 'accounts'), ('account_tag', 'account_tags'), ('account_membership', 'account_memberships'),
  ('custom_api', 'custom_apis'), ('custom_field', 'custom_fields'),
  ('custom_api_role_policy', 'custom_api_role_policies'), ('customer', 'customers'),
  ('erasure_request', 'erasure_requests')
) t (type, source) ON t.type = c.type
-- A tombstone does not say whose address it was.
LEFT JOIN (
  SELECT store_id, id FROM customers
  UNION
  SELECT store_id, id FROM changes_before WHERE type = 'customer'
  UNION
  SELECT store_id, scope FROM changes_before WHERE type = 'address' AND doc->'relationships'->'customer' IS NOT NULL
) o ON c.type = 'address' AND o.store_id = c.store_id AND o.id = c.scope;

INSERT INTO feeds SELECT store_id, max(position) FROM changes GROUP BY store_id;
DROP TABLE changes_before;

-- What is older than a store keeps it, wherever it lies.
CREATE INDEX changes_by_time ON changes (store_id, at);
-- The changes of objects that hold personal data, by object and by what they belong to. Few are gone: whether an
-- object is, can be asked for every read.
CREATE INDEX changes_of_personal_data ON changes (store_id, source, id, position) WHERE personal;
CREATE INDEX changes_of_personal_data_by_scope ON changes (store_id, scope) WHERE personal;
CREATE INDEX changes_of_gone_personal_data ON changes (store_id, id) WHERE event = 'deleted' AND personal;
-- Whom the event of a one-time password is about: it names the user beside their own changes.
CREATE INDEX changes_of_one_time_passwords ON changes (store_id, (doc->'user_authentication_info'->>'id'))
  WHERE type = 'one-time-password-token-request';

-- Gives the next positions to the oldest `most` of a store's fresh changes, to all of them without it; returns how many
-- they were. The caller holds the lock of the store's row in `feeds`, and took it in an earlier statement: all that was
-- given a position before is seen here. Numbers up to `finished` are in no transaction that is still under way. The
-- planner cannot know how many rows there are just now.
CREATE FUNCTION give_positions(of_store uuid, most integer, finished bigint) RETURNS integer LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  given integer;
BEGIN
  WITH taken AS (
    DELETE FROM fresh_changes f WHERE f.store_id = of_store AND f.seq = ANY (ARRAY(
      SELECT o.seq FROM fresh_changes o
      WHERE o.store_id = of_store AND o.seq > (SELECT done FROM feeds WHERE store_id = of_store)
      ORDER BY o.seq LIMIT most))
    RETURNING f.*
  ), counted AS (
    SELECT count(*) AS n, max(seq) AS last FROM taken
  ), feed AS (
    UPDATE feeds SET position = position + n,
      done = greatest(done, least(finished, CASE WHEN n = most THEN last ELSE finished END))
    FROM counted WHERE store_id = of_store RETURNING position - n AS before
  )
  INSERT INTO changes (store_id, position, at, event, type, source, id, scope, personal, actor, request_id, doc)
  SELECT t.store_id, feed.before + row_number() OVER (ORDER BY t.seq), t.at, t.event, t.type, t.source, t.id, t.scope,
    t.personal, t.actor, t.request_id, t.doc
  FROM taken t, feed ORDER BY t.seq;
  GET DIAGNOSTICS given = ROW_COUNT;
  RETURN given;
END $$;

-- Whether changes of a store wait for positions.
CREATE FUNCTION has_fresh_changes(of_store uuid) RETURNS boolean LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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
CREATE PROCEDURE sequence_changes(
  of_stores uuid[], most integer, INOUT tip bigint, INOUT xid xid8, INOUT busy uuid[] DEFAULT '{}'
) LANGUAGE plpgsql AS $$
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

-- Statement triggers with transition tables do not run on a distributed database; row triggers do.
DO $$
DECLARE
  old record;
BEGIN
  FOR old IN SELECT g.tgrelid::regclass AS relation, g.tgname, g.tgfoid::regprocedure AS function FROM pg_trigger g
    WHERE g.tgname ~ '^(track|index)_(insert|update|delete)$'
  LOOP
    EXECUTE format('DROP TRIGGER %I ON %s', old.tgname, old.relation);
    EXECUTE format('DROP FUNCTION %s', old.function);
  END LOOP;
END $$;
DROP PROCEDURE track(regclass, text, text[]);

-- Makes a table write the change feed and the counters of its lists, whatever way it is written.
-- `type` is an SQL expression over the row `r`; `scopes` are the columns whose lists are counted (none: the store's);
-- `personal` says that its objects hold personal data, as their resource does. `source` is an expression too, for a
-- table of many kinds of objects.
CREATE PROCEDURE track(
  tracked regclass, type text, scopes text[] DEFAULT '{}', personal boolean DEFAULT false, source text DEFAULT NULL
) LANGUAGE plpgsql AS $procedure$
DECLARE
  name text := tracked::text || '_tracked';
  scope text := CASE WHEN cardinality(scopes) = 0 THEN 'NULL' ELSE 'r.' || quote_ident(scopes[1]) END;
  change text := $sql$
      INSERT INTO fresh_changes (store_id, id, type, source, scope, personal, actor, request_id, event, at, doc)
      VALUES (r.store_id, r.id, %s, %s, %s, %s, split_part(author, ' ', 1), split_part(author, ' ', 2), %s, %s, %s);$sql$;
  deltas text := '';
  counted text;
  parent record;
BEGIN
  source := coalesce(source, quote_literal(tracked::text));
  IF cardinality(scopes) = 0 THEN
    deltas := format($sql$
      INSERT INTO list_deltas VALUES (%L, r.store_id, r.store_id, r.created_at, r.id, n);$sql$, tracked::text);
  END IF;
  FOREACH counted IN ARRAY scopes LOOP
    deltas := deltas || format($sql$
      IF r.%I IS NOT NULL THEN
        INSERT INTO list_deltas VALUES (%L, r.store_id, r.%I, r.created_at, r.id, n);
      END IF;$sql$, counted, tracked::text || '.' || counted, counted);
  END LOOP;
  EXECUTE format(
    $function$
CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
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
  RETURN NULL;
END $body$$function$,
    name,
    deltas,
    format(change, type, source, scope, personal::text, $$'deleted'$$, 'greatest(r.updated_at, at)', 'NULL'),
    deltas,
    format(change, type, source, scope, personal::text,
      $$CASE TG_OP WHEN 'INSERT' THEN 'created' ELSE 'updated' END$$, 'r.updated_at', 'r.doc'));
  EXECUTE format('CREATE TRIGGER track AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION %I()',
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
    EXECUTE format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  DELETE FROM %s WHERE %s;
  RETURN OLD;
END $body$', parent.name, tracked, parent.related);
    EXECUTE format('CREATE TRIGGER %I BEFORE DELETE ON %s FOR EACH ROW EXECUTE FUNCTION %I()',
      parent.name, parent.relation, parent.name);
  END LOOP;
END $procedure$;

CALL track('singletons', 'r.type', source => $$'singletons.' || r.name$$);
CALL track('application_keys', $$'application_key'$$);
CALL track('authentication_realms', $$'authentication-realm'$$);
CALL track('merchant_realm_mappings', $$'merchant-realm-mappings'$$);
CALL track('oidc_profiles', $$'oidc-profile'$$, '{realm_id}');
CALL track('password_profiles', $$'password_profile'$$, '{realm_id}');
CALL track('user_authentication_infos', $$'user_authentication_info'$$, '{realm_id}', personal => true);
CALL track('user_authentication_oidc_profile_infos', $$'user_authentication_oidc_profile_info'$$,
  '{user_authentication_info_id}', personal => true);
CALL track('user_authentication_password_profile_infos', $$'user_authentication_password_profile_info'$$,
  '{user_authentication_info_id}', personal => true);
CALL track('accounts', $$'account'$$, personal => true);
CALL track('account_tags', $$'account_tag'$$);
CALL track('account_addresses', $$'address'$$, '{account_id}', personal => true);
CALL track('account_memberships', $$'account_membership'$$, '{account_id,account_member_id}', personal => true);
CALL track('custom_apis', $$'custom_api'$$);
CALL track('custom_fields', $$'custom_field'$$, '{custom_api_id}');
CALL track('entries',
  $$coalesce((SELECT a.api_type FROM custom_apis a WHERE a.store_id = r.store_id AND a.id = r.custom_api_id), 'custom_entry')$$,
  '{custom_api_id}');
CALL track('custom_api_role_policies', $$'custom_api_role_policy'$$);
CALL track('customers', $$'customer'$$, personal => true);
CALL track('customer_addresses', $$'address'$$, '{customer_id}', personal => true);
CALL track('erasure_requests', $$'erasure_request'$$);

-- Keeps the index rows of an entry: of each of its fields whose value is new, or gone.
CREATE FUNCTION index_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM entry_values v USING custom_fields f
    WHERE f.store_id = OLD.store_id AND f.custom_api_id = OLD.custom_api_id
      AND v.store_id = OLD.store_id AND v.field_id = f.id AND v.entry_id = OLD.id
      AND (TG_OP = 'DELETE' OR f.field_type <> 'any'
        AND (NEW.doc->f.slug)::text IS DISTINCT FROM (OLD.doc->f.slug)::text);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO entry_values
    SELECT NEW.store_id, f.id, NEW.id, v.element, left(v.text_value, 128), nullif(substr(v.text_value, 129), ''),
      v.number_value,
      CASE WHEN f.is_unique AND v.element = -2 THEN entry_unique_key(NEW.hidden, f.id, v.text_value) END
    FROM custom_fields f
    CROSS JOIN LATERAL indexed_values(NEW.doc->f.slug, f.allowed_type) v
    WHERE f.store_id = NEW.store_id AND f.custom_api_id = NEW.custom_api_id AND f.field_type <> 'any'
      AND (TG_OP = 'INSERT' OR (NEW.doc->f.slug)::text IS DISTINCT FROM (OLD.doc->f.slug)::text);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER index_entry AFTER INSERT OR UPDATE OR DELETE ON entries FOR EACH ROW EXECUTE FUNCTION index_entry();
