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

-- What observes the events of a store, and where it wants them.
CREATE TABLE integrations (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  enabled boolean GENERATED ALWAYS AS ((doc->>'enabled')::boolean) STORED NOT NULL,
  CONSTRAINT integrations_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX integrations_by_created_at ON integrations (store_id, created_at, id);
CALL track('integrations', $$'integration'$$, counted => false);

-- One event for one integration. Nothing deletes a job with its integration: jobs and logs stay until they are old.
CREATE TABLE integration_jobs (
  store_id uuid NOT NULL,
  -- Made of the integration and the event, so that an event makes one job, whatever runs twice.
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  integration_id uuid NOT NULL,
  -- Made of the store, the position and the key: what receivers recognise an event by.
  event_id uuid NOT NULL,
  key text NOT NULL,
  -- The object of the event. The events of one object reach an integration in their order.
  source text NOT NULL,
  subject_id uuid NOT NULL,
  -- Of the change in the feed, which has the payload.
  position bigint NOT NULL,
  state text NOT NULL DEFAULT 'waiting',
  -- How many attempts there were.
  attempt integer NOT NULL DEFAULT 0,
  -- Null while an earlier job of the same object waits, and after the end.
  due_at timestamptz(3),
  leased_until timestamptz(3),
  -- Why it is dead or dropped.
  reason text,
  CONSTRAINT integration_jobs_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT integration_jobs_state_check CHECK (state IN ('waiting', 'succeeded', 'dead', 'dropped'))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX integration_jobs_by_created_at ON integration_jobs (store_id, integration_id, created_at, id);
CREATE INDEX integration_jobs_by_subject ON integration_jobs (store_id, integration_id, subject_id, source, position)
  WHERE state = 'waiting';
CREATE INDEX integration_jobs_by_due_at ON integration_jobs (due_at) WHERE state = 'waiting' AND due_at IS NOT NULL;
CALL count_rows('integration_jobs', '{integration_id}');

-- One attempt of a job.
CREATE TABLE integration_logs (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  integration_id uuid NOT NULL,
  job_id uuid NOT NULL,
  CONSTRAINT integration_logs_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX integration_logs_by_created_at ON integration_logs (store_id, created_at, id);
CREATE INDEX integration_logs_by_integration ON integration_logs (store_id, integration_id, created_at, id);
CREATE INDEX integration_logs_by_job ON integration_logs (store_id, job_id, created_at, id);
CALL count_rows('integration_logs', '{store_id,integration_id}');

-- How far a reader of the change feed has come in each store.
CREATE TABLE feed_readers (
  store_id uuid NOT NULL,
  reader text NOT NULL,
  position bigint NOT NULL,
  CONSTRAINT feed_readers_pkey PRIMARY KEY (store_id, reader)
) WITH (fillfactor = 50);
