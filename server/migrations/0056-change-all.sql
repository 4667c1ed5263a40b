-- Triggers change rows of other tables when an object is deleted. They did so with copies of the kernel's update; now
-- the update is written once, beside `track`.

-- Changes rows `r` of a tracked table as `Store.changeAll` does: each gets a new version, recorded in the change feed
-- with the author and the time of the write that fired the trigger. `which` is a condition, `doc` and `hidden` are
-- expressions for the new values. In all three `$1` is the store, `$2` the object that was deleted, `$3` the time of
-- the write, and `$4` the object that the deleted one was in, if the trigger names it.
CREATE PROCEDURE change_all(
  changed regclass, of_store uuid, deleted uuid, which text, doc text DEFAULT NULL, hidden text DEFAULT NULL,
  deleted_from uuid DEFAULT NULL
) LANGUAGE plpgsql AS $$
DECLARE
  author text := current_setting('sutler.by', true);
  at timestamptz(3) := coalesce(nullif(split_part(author, ' ', 3), '')::timestamptz, clock_timestamp());
BEGIN
  EXECUTE format(
    'UPDATE %s r SET version = r.version + 1, updated_at = greatest(r.updated_at, $3)%s%s WHERE r.store_id = $1 AND %s',
    changed, ', doc = ' || doc, ', hidden = ' || hidden, which
  ) USING of_store, deleted, at, deleted_from;
END $$;

CREATE OR REPLACE FUNCTION forget_main_image() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  CALL change_all('products', OLD.store_id, OLD.id, 'r.main_image_id = $2',
    hidden => $sql$ (r.hidden::jsonb #- '{relationships,main_image}')::json $sql$);
  RETURN NULL;
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
      to_jsonb(floor(extract(epoch FROM greatest(r.updated_at, $3)) * 1000)))::json $sql$,
    deleted_from => OLD.node_id);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION leave_catalogs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  CALL change_all('catalogs', OLD.store_id, OLD.id,
    $sql$ (r.doc::jsonb->'attributes'->'hierarchy_ids') ? $2::text $sql$,
    doc => $sql$ jsonb_set(r.doc::jsonb, '{attributes,hierarchy_ids}',
      (r.doc::jsonb->'attributes'->'hierarchy_ids') - $2::text)::json $sql$);
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
      json_build_object('attributes', r.hidden->'pending'->'in_effect'), $2)::jsonb->'attributes')::json $sql$);
  RETURN NULL;
END $$;
