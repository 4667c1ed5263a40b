-- A sweep of a trigger computes its values in the UPDATE, as it did before 1250: rows that were chosen and locked first
-- took a seventh longer. Citus accepts it if all functions of columns are immutable, so these say the same with such.

CREATE OR REPLACE PROCEDURE change_all(changed regclass, of_store uuid, deleted uuid, which text,
  doc text DEFAULT NULL, hidden text DEFAULT NULL, deleted_from uuid DEFAULT NULL) LANGUAGE plpgsql AS $$
DECLARE
  author text := current_setting('sutler.by', true);
  at timestamptz(3) := coalesce(nullif(split_part(author, ' ', 3), '')::timestamptz, clock_timestamp());
BEGIN
  EXECUTE format(
    'UPDATE %s r SET version = r.version + 1, updated_at = fenced(r.updated_at, $3)%s%s WHERE r.store_id = $1 AND %s',
    changed, ', doc = ' || doc, ', hidden = ' || hidden, which
  ) USING of_store, deleted, at, deleted_from;
END $$;

CREATE OR REPLACE FUNCTION forget_curated_product() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  -- The trigger waits for the end of the transaction: most links that are deleted went with their nodes.
  PERFORM FROM nodes n WHERE n.store_id = OLD.store_id AND n.id = OLD.node_id;
  IF NOT FOUND THEN RETURN NULL; END IF;
  CALL change_all('nodes', OLD.store_id, OLD.id,
    $sql$ r.id = $4 AND (r.doc::jsonb->'attributes'->'curated_products') ? $2::text $sql$,
    doc => $sql$ jsonb_set(r.doc::jsonb, '{attributes,curated_products}',
      (r.doc::jsonb->'attributes'->'curated_products') - $2::text)::json $sql$,
    hidden => $sql$ jsonb_set(r.hidden::jsonb, '{changed_at}',
      floor(extract(epoch FROM greatest(r.updated_at, $3) - timestamptz '1970-01-01Z') * 1000)::text::jsonb)::json $sql$,
    deleted_from => OLD.node_id);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION leave_price_lists() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  CALL change_all('catalogs', OLD.store_id, OLD.id,
    $sql$ (r.doc->'attributes'->>'pricebook_id' = $2::text
      OR r.doc::jsonb->'attributes'->'pricebook_ids' @> jsonb_build_array(jsonb_build_object('id', $2))) $sql$,
    doc => 'without_pricebook(r.doc, $2)');
  CALL change_all('catalog_rules', OLD.store_id, OLD.id,
    $sql$ rule_values(r.store_id, r.doc) @> ARRAY[$1 || ' pricebook_ids ' || $2] $sql$,
    doc => 'without_pricebook(r.doc, $2)');
  -- The version of a waiting rule that is in effect.
  CALL change_all('catalog_rules', OLD.store_id, OLD.id,
    $sql$ r.hidden->'pending' IS NOT NULL
      AND r.hidden::jsonb->'pending'->'in_effect'->'pricebook_ids' @> jsonb_build_array(jsonb_build_object('id', $2)) $sql$,
    hidden => $sql$ jsonb_set(r.hidden::jsonb, '{pending,in_effect}', without_pricebook(
      jsonb_set('{}', '{attributes}', r.hidden::jsonb->'pending'->'in_effect')::json, $2)::jsonb->'attributes')::json $sql$);
  RETURN NULL;
END $$;
