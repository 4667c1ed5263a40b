-- Who was shown which object that holds personal data, and when. Written behind the answers, many at a time.
CREATE TABLE personal_data_reads (
  store_id uuid NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz(3) NOT NULL,
  -- As in the change feed.
  type text NOT NULL,
  id uuid NOT NULL,
  scope uuid,
  actor text NOT NULL,
  -- What the innermost parent is, and what it belongs to: the feed may have forgotten it by the time it is asked for.
  parent_type text,
  parent_scope uuid,
  CONSTRAINT personal_data_reads_pkey PRIMARY KEY (store_id, seq)
);
CREATE INDEX personal_data_reads_by_object ON personal_data_reads (store_id, id, seq);

-- Few are gone: whether an object is, can be asked for every read.
CREATE INDEX changes_of_gone_personal_data ON changes (store_id, id) WHERE kind = 'deleted' AND holds_personal_data(type);

-- Stores reads, but for those of objects that have been erased: of such an object the feed knows that it is gone and
-- nothing else. An erasure and this take turns, or a read could be stored behind the back of the one who erases. Each
-- statement of this function sees what was committed before it began.
CREATE FUNCTION record_personal_data_reads(reads json) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7305014);
  INSERT INTO personal_data_reads (store_id, at, type, id, scope, actor, parent_type, parent_scope)
  SELECT r.* FROM json_to_recordset(reads) AS r (
    store_id uuid, at timestamptz, type text, id uuid, scope uuid, actor text, parent_type text, parent_scope uuid)
  WHERE NOT EXISTS (
      SELECT FROM changes c
      WHERE c.store_id = r.store_id AND c.type = r.type AND c.id = r.id AND holds_personal_data(c.type)
        AND c.kind = 'deleted')
    OR EXISTS (
      SELECT FROM changes c
      WHERE c.store_id = r.store_id AND c.type = r.type AND c.id = r.id AND holds_personal_data(c.type)
        AND c.kind <> 'deleted');
END $$;

-- Deletes the reads of objects that are being erased. To be called when they are gone from everywhere else.
CREATE FUNCTION erase_personal_data_reads(of_store uuid, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7305014);
  DELETE FROM personal_data_reads r WHERE r.store_id = of_store AND r.id = ANY(ids);
END $$;

-- Deletes the rows older than `before` among the oldest `rows` reads of the store; returns how many they were.
CREATE FUNCTION trim_personal_data_reads(of_store uuid, before timestamptz, rows integer) RETURNS bigint LANGUAGE sql AS $$
  WITH oldest AS MATERIALIZED (
    SELECT r.seq, r.at FROM personal_data_reads r WHERE r.store_id = of_store ORDER BY r.seq LIMIT rows
  ), trimmed AS (
    DELETE FROM personal_data_reads r USING oldest o
    WHERE r.store_id = of_store AND r.seq = o.seq AND o.at < before RETURNING 1
  )
  SELECT count(*) FROM trimmed
$$;

-- Changes and reads as one list that the query engine can page: ids are made of time, source and sequence (RFC 9562,
-- version 8), so that their order is that of the entries.
CREATE VIEW personal_data_logs AS
SELECT e.store_id, e.resource_id, e.feed_type, e.parent_id,
  (lpad(to_hex((extract(epoch FROM e.at) * 1000)::bigint), 12, '0') || '8000' || e.source || lpad(to_hex(e.seq), 15, '0'))::uuid
    AS id,
  0 AS version, e.at AS created_at, e.at AS updated_at,
  json_build_object('kind', e.kind, 'seq', e.seq, 'actor', e.actor, 'parent_id', e.parent_id, 'after', e.doc,
    'parent', CASE WHEN e.parent_type IS NOT NULL THEN
      json_build_object('type', e.parent_type, 'parent_id', e.parent_scope) END) AS doc
FROM (
  SELECT c.store_id, c.id AS resource_id, c.type AS feed_type, c.scope AS parent_id, c.seq, c.at, c.kind, c.actor, c.doc,
    NULL::text AS parent_type, NULL::uuid AS parent_scope, '8' AS source
  FROM changes c WHERE holds_personal_data(c.type)
  UNION ALL
  SELECT r.store_id, r.id, r.type, r.scope, r.seq, r.at, 'read', r.actor, NULL, r.parent_type, r.parent_scope, '9'
  FROM personal_data_reads r
) e;
DROP VIEW personal_data_changes;
