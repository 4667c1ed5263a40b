-- The tables and routines of personal-data/ at the baseline: see docs/decisions/0094-baseline.md.

-- A routine may use what comes after it.
SET LOCAL check_function_bodies = off;

CREATE TABLE erasure_requests (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  resource_type text COLLATE "C" GENERATED ALWAYS AS (doc->>'resource_type') STORED NOT NULL,
  resource_id uuid GENERATED ALWAYS AS ((doc->>'resource_id')::uuid) STORED NOT NULL,
  CONSTRAINT erasure_requests_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX erasure_requests_by_created_at ON erasure_requests (store_id, resource_id, created_at, id);
CALL track('erasure_requests', $$'erasure_request'$$);

-- Who was shown which object that holds personal data, and when. Written behind the answers, many at a time.
CREATE TABLE personal_data_reads (
  store_id uuid NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  at timestamptz(3) NOT NULL,
  id uuid NOT NULL,
  scope uuid,
  actor text NOT NULL,
  parent_scope uuid,
  -- Reads name the table of what was read, as changes do.
  source text NOT NULL,
  CONSTRAINT personal_data_reads_pkey PRIMARY KEY (store_id, seq)
);
CREATE INDEX personal_data_reads_by_object ON personal_data_reads (store_id, id, seq);
CREATE INDEX personal_data_reads_by_time ON personal_data_reads (store_id, at);

-- Stores reads, but for those of objects that have been erased: of such an object the feed knows that it is gone and
-- nothing else. An erasure and this take turns, or a read could be stored behind the back of the one who erases. Each
-- statement of this function sees what was committed before it began.
CREATE FUNCTION record_personal_data_reads(reads json) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7305014);
  INSERT INTO personal_data_reads (store_id, at, source, id, scope, actor, parent_scope)
  SELECT r.* FROM json_to_recordset(reads) AS r (
    store_id uuid, at timestamptz, source text, id uuid, scope uuid, actor text, parent_scope uuid)
  WHERE NOT EXISTS (
      SELECT FROM changes c
      WHERE c.store_id = r.store_id AND c.source = r.source AND c.id = r.id AND c.personal AND c.event = 'deleted')
    OR EXISTS (
      SELECT FROM changes c
      WHERE c.store_id = r.store_id AND c.source = r.source AND c.id = r.id AND c.personal AND c.event <> 'deleted');
END $$;

-- Deletes the reads of objects that are being erased. To be called when they are gone from everywhere else.
CREATE FUNCTION erase_personal_data_reads(of_store uuid, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7305014);
  DELETE FROM personal_data_reads r WHERE r.store_id = of_store AND r.id = ANY(ids);
END $$;
