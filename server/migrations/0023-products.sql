-- What is sold. See server/products/.
CREATE TABLE products (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'name') STORED NOT NULL,
  sku text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'sku') STORED,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'slug') STORED,
  upc_ean text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'upc_ean') STORED,
  mpn text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'mpn') STORED,
  external_ref text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'external_ref') STORED,
  description text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'description') STORED,
  status text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'status') STORED NOT NULL,
  commodity_type text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'commodity_type') STORED NOT NULL,
  product_type text COLLATE "C" GENERATED ALWAYS AS (hidden->>'product_type') STORED NOT NULL,
  parent_id uuid GENERATED ALWAYS AS ((hidden->>'parent_id')::uuid) STORED,
  main_image_id uuid GENERATED ALWAYS AS ((hidden->'relationships'->'main_image'->'data'->>'id')::uuid) STORED,
  CONSTRAINT products_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT products_sku_key UNIQUE (store_id, sku),
  CONSTRAINT products_slug_key UNIQUE (store_id, slug),
  CONSTRAINT products_product_type_check CHECK (product_type IN ('standard', 'parent', 'child', 'bundle')),
  CONSTRAINT products_child_check CHECK ((product_type = 'child') = (parent_id IS NOT NULL)),
  CONSTRAINT products_parent_id_fkey FOREIGN KEY (store_id, parent_id) REFERENCES products ON DELETE CASCADE
);
CREATE INDEX products_by_created_at ON products (store_id, created_at, id);
CREATE INDEX products_by_updated_at ON products (store_id, updated_at, id);
CREATE INDEX products_by_name ON products (store_id, name, id) INCLUDE (created_at);
CREATE INDEX products_by_sku ON products (store_id, sku, created_at, id);
CREATE INDEX products_by_folded_sku ON products (store_id, lower(sku COLLATE "default") text_pattern_ops, created_at, id);
CREATE INDEX products_by_slug ON products (store_id, slug, created_at, id);
CREATE INDEX products_by_upc_ean ON products (store_id, upc_ean, created_at, id);
CREATE INDEX products_by_mpn ON products (store_id, mpn, created_at, id);
-- Longer than an index entry may be: its first characters find it, see kernel/query/long-text.ts.
CREATE INDEX products_by_external_ref ON products (store_id, left(external_ref, 128), created_at, id);
CREATE INDEX products_by_description ON products (store_id, left(description, 128), created_at, id);
CREATE INDEX products_by_status ON products (store_id, status, created_at, id);
CREATE INDEX products_by_commodity_type ON products (store_id, commodity_type, created_at, id);
CREATE INDEX products_by_product_type ON products (store_id, product_type, created_at, id);
CREATE INDEX products_by_parent_id ON products (store_id, parent_id, created_at, id);
CREATE INDEX products_by_main_image_id ON products (store_id, main_image_id);
CALL track('products', $$'product'$$);

-- What a product has many of, and is found by: a row for each of its tags and of its attributes. Kept by a trigger, so
-- that no way of writing a product can leave it behind.
CREATE TABLE product_values (
  store_id uuid NOT NULL,
  product_id uuid NOT NULL,
  -- tags, admin_attributes.<key>, shopper_attributes.<key>
  name text COLLATE "C" NOT NULL,
  -- Of a tag, which one; 0 otherwise.
  place smallint NOT NULL,
  -- A text is cut in two, as an index entry has a greatest length: its first characters, and the rest if any.
  text_head text COLLATE "C" NOT NULL,
  text_tail text COLLATE "C",
  CONSTRAINT product_values_pkey PRIMARY KEY (store_id, product_id, name, place)
);
CREATE INDEX product_values_by_value ON product_values (store_id, name, text_head, product_id);
-- The planner must know a value's share among many names' values.
ALTER TABLE product_values ALTER name SET STATISTICS 1000, ALTER text_head SET STATISTICS 1000;

-- The tags that some product has.
CREATE TABLE tags (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  value text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'value') STORED NOT NULL,
  CONSTRAINT tags_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX tags_by_created_at ON tags (store_id, created_at, id);
CREATE INDEX tags_by_updated_at ON tags (store_id, updated_at, id);
CREATE INDEX tags_by_value ON tags (store_id, value, id) INCLUDE (created_at);
CALL track('tags', $$'tag'$$);

-- Its id follows from its value: there is one of a value, whoever brings it first, and it is the same when it is back.
CREATE FUNCTION tag_ids(of_values text[]) RETURNS uuid[] LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(array_agg(md5(value)::uuid ORDER BY md5(value)::uuid), '{}') FROM unnest(of_values) value
$$;

-- Makes tags that are not there yet, and keeps all of them from being taken away until the transaction ends.
CREATE FUNCTION keep_tags(of_store uuid, of_values text[], at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ids uuid[] := tag_ids(of_values);
  kept integer;
BEGIN
  LOOP
    PERFORM FROM tags WHERE store_id = of_store AND id = ANY(ids) ORDER BY id FOR KEY SHARE;
    GET DIAGNOSTICS kept = ROW_COUNT;
    EXIT WHEN kept = cardinality(ids);
    INSERT INTO tags (store_id, id, created_at, updated_at, doc)
    SELECT of_store, md5(value)::uuid, at, at, json_build_object('attributes', json_build_object('value', value))
    FROM unnest(of_values) value ORDER BY md5(value)::uuid
    ON CONFLICT DO NOTHING;
  END LOOP;
END $$;

-- Those of some tags that no product has.
CREATE FUNCTION unused_tags(of_store uuid, ids uuid[]) RETURNS SETOF uuid LANGUAGE sql AS $$
  SELECT t.id FROM tags t WHERE t.store_id = of_store AND t.id = ANY(ids) AND NOT EXISTS (
    SELECT FROM product_values v WHERE v.store_id = of_store AND v.name = 'tags'
      AND v.text_head = left(t.value, 128) AND coalesce(v.text_tail, '') = substr(t.value, 129))
$$;

-- Takes away those of some tags that no product has any more. Whoever took one off its product waits for the others
-- who do the same, and then for those who keep it; each statement sees what was committed before it began.
CREATE FUNCTION drop_tags(of_store uuid, of_values text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ids uuid[] := tag_ids(of_values);
BEGIN
  PERFORM FROM tags WHERE store_id = of_store AND id = ANY(ids) ORDER BY id FOR NO KEY UPDATE;
  PERFORM FROM unused_tags(of_store, ids) unused JOIN tags t ON t.store_id = of_store AND t.id = unused
  ORDER BY t.id FOR UPDATE OF t;
  DELETE FROM tags WHERE store_id = of_store AND id IN (SELECT unused FROM unused_tags(of_store, ids) unused);
END $$;


-- What a bundle consists of. A product that is in one is not deleted.
CREATE TABLE product_components (
  store_id uuid NOT NULL,
  bundle_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT product_components_pkey PRIMARY KEY (store_id, bundle_id, id),
  CONSTRAINT product_components_parent_fkey FOREIGN KEY (store_id, bundle_id) REFERENCES products ON DELETE CASCADE,
  CONSTRAINT product_components_id_fkey FOREIGN KEY (store_id, id) REFERENCES products
);
CREATE INDEX product_components_by_created_at ON product_components (store_id, bundle_id, created_at, id);
CREATE INDEX product_components_by_id ON product_components (store_id, id, bundle_id);

-- What is indexed of a product.
CREATE FUNCTION product_values_of(doc json)
RETURNS TABLE (name text, place smallint, value text) LANGUAGE sql IMMUTABLE AS $$
  SELECT 'tags', t.place::smallint, t.value
  FROM json_array_elements_text(doc->'attributes'->'tags') WITH ORDINALITY t (value, place)
  UNION ALL
  SELECT 'admin_attributes.' || a.key, 0::smallint, a.value FROM json_each_text(doc->'attributes'->'admin_attributes') a
  UNION ALL
  SELECT 'shopper_attributes.' || a.key, 0::smallint, a.value FROM json_each_text(doc->'attributes'->'shopper_attributes') a
$$;

CREATE FUNCTION indexed_part(doc json) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT json_build_array(
    doc->'attributes'->'tags', doc->'attributes'->'admin_attributes', doc->'attributes'->'shopper_attributes')::text
$$;

CREATE FUNCTION tags_of(doc json) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(array_agg(value), '{}') FROM json_array_elements_text(doc->'attributes'->'tags') value
$$;

CREATE FUNCTION those_not_in(others text[], these text[]) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(array_agg(one), '{}') FROM unnest(these) one WHERE one <> ALL (others)
$$;

CREATE FUNCTION components_of(doc json) RETURNS SETOF uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT DISTINCT (o.option->>'id')::uuid
  FROM json_each(doc->'attributes'->'components') c (key, component)
  CROSS JOIN json_array_elements(c.component->'options') o (option)
$$;

-- Tags that a transaction has taken off some product. Whether another has them is looked at once, at its end: a
-- statement that deletes thousands would ask for each, through all that it has deleted by then.
CREATE TABLE loose_tags (
  store_id uuid NOT NULL,
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
  value text COLLATE "C" NOT NULL,
  CONSTRAINT loose_tags_pkey PRIMARY KEY (store_id, transaction, value)
);

CREATE FUNCTION drop_loose_tags() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  loose text[];
BEGIN
  WITH taken AS (
    DELETE FROM loose_tags WHERE store_id = NEW.store_id AND transaction = NEW.transaction RETURNING value
  ) SELECT array_agg(value) INTO loose FROM taken;
  IF loose IS NOT NULL THEN PERFORM drop_tags(NEW.store_id, loose); END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER drop_loose_tags AFTER INSERT ON loose_tags DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION drop_loose_tags();

CREATE FUNCTION index_product() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  r products := coalesce(NEW, OLD);
  was json := CASE WHEN TG_OP <> 'INSERT' THEN OLD.doc END;
  has json := CASE WHEN TG_OP <> 'DELETE' THEN NEW.doc END;
  added text[];
BEGIN
  IF TG_OP = 'INSERT' OR indexed_part(was) <> indexed_part(has)
  THEN
    added := CASE TG_OP WHEN 'INSERT' THEN tags_of(has) ELSE those_not_in(tags_of(was), tags_of(has)) END;
    IF added <> '{}' THEN PERFORM keep_tags(r.store_id, added, r.updated_at); END IF;
    IF was IS NOT NULL THEN
      DELETE FROM product_values WHERE store_id = r.store_id AND product_id = r.id;
    END IF;
    INSERT INTO product_values
    SELECT r.store_id, r.id, v.name, v.place, left(v.value, 128), nullif(substr(v.value, 129), '')
    FROM product_values_of(has) v;
    IF was IS NOT NULL THEN
      INSERT INTO loose_tags (store_id, value)
      SELECT r.store_id, gone FROM unnest(those_not_in(tags_of(has), tags_of(was))) gone ON CONFLICT DO NOTHING;
    END IF;
  END IF;
  -- Those of a product that is gone went with it.
  IF TG_OP <> 'DELETE' AND coalesce(was->'attributes'->'components', '{}')::text
    <> coalesce(has->'attributes'->'components', '{}')::text
  THEN
    DELETE FROM product_components c WHERE c.store_id = r.store_id AND c.bundle_id = r.id
      AND c.id NOT IN (SELECT components_of(has));
    INSERT INTO product_components (store_id, bundle_id, id, created_at, updated_at, doc)
    SELECT r.store_id, r.id, component, r.updated_at, r.updated_at, '{}' FROM components_of(has) component
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER index_product AFTER INSERT OR DELETE ON products FOR EACH ROW EXECUTE FUNCTION index_product();
CREATE TRIGGER index_product_again AFTER UPDATE ON products FOR EACH ROW WHEN (OLD.doc::text <> NEW.doc::text)
  EXECUTE FUNCTION index_product();
