-- What holds personal data is what the resources say: see server/personal-data/register.ts.
DROP FUNCTION personal_data_root(uuid, text, uuid);
DROP VIEW personal_data_entries;
DROP VIEW personal_accounts;
DROP FUNCTION holds_personal_data(text);
DROP FUNCTION trim_changes(uuid, timestamptz, integer);
DROP FUNCTION trim_personal_data_reads(uuid, timestamptz, integer);

-- Reads name the table of what was read, as changes do.
ALTER TABLE personal_data_reads ADD COLUMN source text;
UPDATE personal_data_reads SET source =
  CASE type WHEN 'address' THEN coalesce(parent_type, 'account') || '_addresses' ELSE type || 's' END;
ALTER TABLE personal_data_reads ALTER source SET NOT NULL, DROP COLUMN type, DROP COLUMN parent_type;
CREATE INDEX personal_data_reads_by_time ON personal_data_reads (store_id, at);

-- Stores reads, but for those of objects that have been erased: of such an object the feed knows that it is gone and
-- nothing else. An erasure and this take turns, or a read could be stored behind the back of the one who erases. Each
-- statement of this function sees what was committed before it began.
CREATE OR REPLACE FUNCTION record_personal_data_reads(reads json) RETURNS void LANGUAGE plpgsql AS $$
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
