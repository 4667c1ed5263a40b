-- A rule that names price books which the current release does not have waits until a job has added them. Until then
-- `hidden.pending` has the version that is in effect. See docs/decisions/0030-pricebooks-of-rules.md.
CREATE INDEX catalog_rules_pending ON catalog_rules (store_id) WHERE hidden->'pending' IS NOT NULL;

-- As before; and a price book that is deleted leaves the version that is in effect as well.
CREATE OR REPLACE FUNCTION leave_price_lists() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  at timestamptz(3) :=
    coalesce(nullif(split_part(current_setting('sutler.by', true), ' ', 3), '')::timestamptz, clock_timestamp());
BEGIN
  UPDATE catalogs SET version = version + 1, updated_at = greatest(updated_at, at),
    doc = without_pricebook(doc, OLD.id)
  WHERE store_id = OLD.store_id AND (doc->'attributes'->>'pricebook_id' = OLD.id::text
    OR doc::jsonb->'attributes'->'pricebook_ids' @> jsonb_build_array(jsonb_build_object('id', OLD.id)));
  UPDATE catalog_rules SET version = version + 1, updated_at = greatest(updated_at, at),
    doc = without_pricebook(doc, OLD.id)
  WHERE store_id = OLD.store_id
    AND rule_values(store_id, doc) @> ARRAY[OLD.store_id || ' pricebook_ids ' || OLD.id];
  UPDATE catalog_rules SET version = version + 1, updated_at = greatest(updated_at, at),
    hidden = jsonb_set(hidden::jsonb, '{pending,in_effect}',
      without_pricebook(json_build_object('attributes', hidden->'pending'->'in_effect'), OLD.id)::jsonb->'attributes')
  WHERE store_id = OLD.store_id AND hidden->'pending' IS NOT NULL
    AND hidden::jsonb->'pending'->'in_effect'->'pricebook_ids' @> jsonb_build_array(jsonb_build_object('id', OLD.id));
  RETURN NULL;
END $$;
