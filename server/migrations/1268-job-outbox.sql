-- Jobs of stores on several nodes: see docs/decisions/0155-job-outbox.md.

-- Jobs on their way to the queue, which is on the coordinator. Empty where there is one node.
CREATE TABLE job_outbox (
  store_id uuid NOT NULL,
  -- In the order in which they were queued: a number of `next_change`.
  id bigint NOT NULL,
  is_long boolean NOT NULL,
  name text COLLATE "C" NOT NULL,
  author text NOT NULL,
  payload json NOT NULL,
  -- Of short jobs.
  attempts_max integer,
  key text COLLATE "C",
  run_at timestamptz,
  CONSTRAINT job_outbox_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT job_outbox_store_id_fkey FOREIGN KEY (store_id) REFERENCES stores (id) ON DELETE CASCADE
);
-- A later job takes the place of an earlier one with the same key.
CREATE UNIQUE INDEX job_outbox_by_key ON job_outbox (store_id, key);

-- The jobs of the outbox that are in the queue already.
CREATE TABLE moved_jobs (
  store_id uuid NOT NULL,
  id bigint NOT NULL,
  CONSTRAINT moved_jobs_pkey PRIMARY KEY (store_id, id)
);

-- Puts the jobs of these stores into the queue, and says which are there, so that the caller takes them out of the
-- outbox. Whoever dies between the two, the next call finds them noted. They are forgotten when the outbox has them no
-- more. One caller at a time, so nobody forgets what another one has read.
CREATE FUNCTION move_jobs(of_stores uuid[], most integer) RETURNS TABLE(of_store uuid, job bigint)
  LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
  waiting json;
  noted bigint;
  j record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('jobs of ' || s.id, 0))
    FROM (SELECT DISTINCT unnest(of_stores) AS id ORDER BY 1) s;
  SELECT json_agg(o) INTO waiting
    FROM (SELECT q.* FROM job_outbox q WHERE q.store_id = ANY (of_stores) ORDER BY q.id LIMIT most) o;
  FOR j IN
    SELECT w.*, m.id IS NOT NULL AS is_moved
    FROM json_populate_recordset(NULL::job_outbox, coalesce(waiting, '[]')) w
      LEFT JOIN nodes_of_stores(of_stores) n ON n.store_id = w.store_id
      LEFT JOIN moved_jobs m ON m.store_id = w.store_id AND m.id = w.id
    -- What was queued before the store moved to its node has numbers of the node before.
    ORDER BY w.id >> 48 = n.node, w.id
  LOOP
    of_store := j.store_id;
    job := j.id;
    RETURN NEXT;
    CONTINUE WHEN j.is_moved;
    INSERT INTO moved_jobs VALUES (j.store_id, j.id);
    IF j.is_long THEN
      INSERT INTO long_jobs (store_id, name, author, payload) VALUES (j.store_id, j.name, j.author, j.payload);
      PERFORM pg_notify('sutler_long_jobs', '');
    ELSE
      PERFORM graphile_worker.add_job(j.name,
        json_build_object('store', j.store_id, 'by', j.author, 'payload', j.payload), max_attempts => j.attempts_max,
        job_key => j.store_id || ' ' || j.key, run_at => j.run_at);
    END IF;
  END LOOP;
  -- Not while there may be more in the outbox than was read.
  IF coalesce(json_array_length(waiting), 0) < most THEN
    DELETE FROM moved_jobs m WHERE m.store_id = ANY (of_stores) AND NOT EXISTS (
      SELECT FROM json_populate_recordset(NULL::job_outbox, coalesce(waiting, '[]')) w
      WHERE w.store_id = m.store_id AND w.id = m.id);
  END IF;
END $$;

-- Takes jobs that are in the queue out of the outbox, and says how many. All stores are on the node of `of_store`,
-- where it runs. It passes over those in whose place another job is about to come.
CREATE FUNCTION forget_moved(of_store uuid, of_stores uuid[], jobs bigint[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  taken integer := 0;
BEGIN
  FOR i IN 1 .. cardinality(of_stores) LOOP
    PERFORM FROM job_outbox o WHERE o.store_id = of_stores[i] AND o.id = jobs[i] FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
      DELETE FROM job_outbox o WHERE o.store_id = of_stores[i] AND o.id = jobs[i];
      taken := taken + 1;
    END IF;
  END LOOP;
  RETURN taken;
END $$;
COMMENT ON FUNCTION forget_moved IS 'runs at the node of its store';

-- The stores of this node with jobs in the outbox.
CREATE FUNCTION stores_with_jobs_here() RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
  shard text;
  found uuid[] := '{}';
  more uuid[];
BEGIN
  IF NOT is_distributed() THEN RETURN ARRAY(SELECT DISTINCT store_id FROM job_outbox); END IF;
  FOR shard IN
    SELECT shard_name(s.logicalrelid, s.shardid) FROM pg_dist_shard s JOIN pg_dist_placement USING (shardid)
      JOIN pg_dist_local_group USING (groupid) WHERE s.logicalrelid = 'job_outbox'::regclass
  LOOP
    EXECUTE 'SELECT array_agg(DISTINCT store_id) FROM ' || shard INTO more;
    found := found || more;
  END LOOP;
  RETURN found;
END $$;

-- The stores with jobs to move or to forget. A node that is away leaves its own out.
CREATE FUNCTION stores_with_jobs() RETURNS SETOF uuid LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT unnest(a.answer::uuid[]) FROM ask_nodes('stores_with_jobs_here()') a
    UNION SELECT m.store_id FROM moved_jobs m;
END $$;
