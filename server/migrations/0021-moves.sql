-- What writers leave behind for the order of last changes: where a row lies in it, and where it lay before. Migration
-- 0021a reads it.

-- What is merged before there are blocks, as all that waits now, is in none of them.
ALTER TABLE list_deltas ADD COLUMN updated_at timestamptz(3);
UPDATE list_deltas SET updated_at = at;
ALTER TABLE list_deltas ALTER COLUMN updated_at SET NOT NULL;

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

-- Makes a table write the change feed and the counters of its lists, whatever way it is written.
-- `type` is an SQL expression over the row `r`; `scopes` are the columns whose lists are counted (none: the store's);
-- `personal` says that its objects hold personal data, as their resource does. `source` is an expression too, for a
-- table of many kinds of objects.
CREATE OR REPLACE PROCEDURE track(
  tracked regclass, type text, scopes text[] DEFAULT '{}', personal boolean DEFAULT false, source text DEFAULT NULL
) LANGUAGE plpgsql AS $procedure$
DECLARE
  name text := tracked::text || '_tracked';
  scope text := CASE WHEN cardinality(scopes) = 0 THEN 'NULL' ELSE 'r.' || quote_ident(scopes[1]) END;
  change text := $sql$
      INSERT INTO fresh_changes (store_id, id, type, source, scope, personal, actor, request_id, event, at, doc)
      VALUES (r.store_id, r.id, %s, %s, %s, %s, split_part(author, ' ', 1), split_part(author, ' ', 2), %s, %s, %s);$sql$;
  deltas text := '';
  moves text := '';
  counted text;
  parent record;
BEGIN
  source := coalesce(source, quote_literal(tracked::text));
  IF cardinality(scopes) = 0 THEN
    deltas := format($sql$
      INSERT INTO list_deltas VALUES (%L, r.store_id, r.store_id, r.created_at, r.id, n, r.updated_at);$sql$, tracked::text);
    moves := format($sql$
    INSERT INTO list_moves VALUES (%L, NEW.store_id, NEW.store_id, NEW.id, OLD.updated_at, NEW.updated_at);$sql$,
      tracked::text);
  END IF;
  FOREACH counted IN ARRAY scopes LOOP
    deltas := deltas || format($sql$
      IF r.%I IS NOT NULL THEN
        INSERT INTO list_deltas VALUES (%L, r.store_id, r.%I, r.created_at, r.id, n, r.updated_at);
      END IF;$sql$, counted, tracked::text || '.' || counted, counted);
    moves := moves || format($sql$
    IF NEW.%I IS NOT NULL THEN
      INSERT INTO list_moves VALUES (%L, NEW.store_id, NEW.%I, NEW.id, OLD.updated_at, NEW.updated_at);
    END IF;$sql$, counted, tracked::text || '.' || counted, counted);
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

-- No table may be left out: its lists would be counted wrong.
DO $$
DECLARE
  forgotten text;
BEGIN
  SELECT string_agg(g.tgrelid::regclass::text, ', ') INTO forgotten
  FROM pg_trigger g JOIN pg_proc p ON p.oid = g.tgfoid WHERE g.tgname = 'track' AND p.prosrc NOT LIKE '%list_moves%';
  IF forgotten IS NOT NULL THEN RAISE 'not tracked anew: %', forgotten; END IF;
END $$;
