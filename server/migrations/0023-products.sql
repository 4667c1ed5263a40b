-- What is sold. See server/products/.
CREATE TABLE products (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc #>> '{attributes,name}') STORED NOT NULL,
  sku text COLLATE "C" GENERATED ALWAYS AS (doc #>> '{attributes,sku}') STORED,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc #>> '{attributes,slug}') STORED,
  upc_ean text COLLATE "C" GENERATED ALWAYS AS (doc #>> '{attributes,upc_ean}') STORED,
  mpn text COLLATE "C" GENERATED ALWAYS AS (doc #>> '{attributes,mpn}') STORED,
  external_ref text COLLATE "C" GENERATED ALWAYS AS (doc #>> '{attributes,external_ref}') STORED,
  description text COLLATE "C" GENERATED ALWAYS AS (doc #>> '{attributes,description}') STORED,
  status text COLLATE "C" GENERATED ALWAYS AS (doc #>> '{attributes,status}') STORED NOT NULL,
  commodity_type text COLLATE "C" GENERATED ALWAYS AS (doc #>> '{attributes,commodity_type}') STORED NOT NULL,
  product_type text COLLATE "C" GENERATED ALWAYS AS (hidden->>'product_type') STORED NOT NULL,
  parent_id uuid GENERATED ALWAYS AS ((hidden->>'parent_id')::uuid) STORED,
  main_image_id uuid GENERATED ALWAYS AS ((hidden->'relationships'->'main_image'->'data'->>'id')::uuid) STORED,
  -- What is found by rows of other tables is counted and sorted without its own row.
  CONSTRAINT products_pkey PRIMARY KEY (store_id, id) INCLUDE (created_at),
  -- They serve filters too.
  CONSTRAINT products_sku_key UNIQUE (store_id, sku) INCLUDE (created_at, id),
  CONSTRAINT products_slug_key UNIQUE (store_id, slug) INCLUDE (created_at, id),
  CONSTRAINT products_product_type_check CHECK (product_type IN ('standard', 'parent', 'child', 'bundle')),
  CONSTRAINT products_child_check CHECK ((product_type = 'child') = (parent_id IS NOT NULL)),
  CONSTRAINT products_parent_id_fkey FOREIGN KEY (store_id, parent_id) REFERENCES products ON DELETE CASCADE
);
CREATE INDEX products_by_created_at ON products (store_id, created_at, id);
CREATE INDEX products_by_updated_at ON products (store_id, updated_at, id);
CREATE INDEX products_by_name ON products (store_id, name, id) INCLUDE (created_at);
CREATE INDEX products_by_folded_sku ON products (store_id, lower(sku COLLATE "default") text_pattern_ops, created_at, id);
CREATE INDEX products_by_upc_ean ON products (store_id, upc_ean, created_at, id);
CREATE INDEX products_by_mpn ON products (store_id, mpn, created_at, id);
-- Longer than an index entry may be: its first characters find it, see kernel/query/long-text.ts.
CREATE INDEX products_by_external_ref ON products (store_id, left(external_ref, 128), created_at, id);
CREATE INDEX products_by_description ON products (store_id, left(description, 128), created_at, id);
CREATE INDEX products_by_status ON products (store_id, status, created_at, id);
CREATE INDEX products_by_commodity_type ON products (store_id, commodity_type, created_at, id);
CREATE INDEX products_by_product_type ON products (store_id, product_type, created_at, id);
CREATE INDEX products_by_parent_id ON products (store_id, parent_id, created_at, id);
CREATE INDEX products_by_main_image_id ON products (store_id, main_image_id) WHERE main_image_id IS NOT NULL;
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
  -- The rows of a product are found by its document: one index is enough.
  CONSTRAINT product_values_pkey PRIMARY KEY (store_id, name, text_head, product_id, place)
);
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

CREATE FUNCTION tag_is_used(of_store uuid, tag text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM product_values v WHERE v.store_id = of_store AND v.name = 'tags' AND v.text_head = left(tag, 128)
      AND coalesce(v.text_tail, '') = substr(tag, 129))
$$;

-- Tags that a transaction has put on some product, or taken off one (lost). What becomes of them is settled once, at
-- its end, for all in one order: so nobody waits for who waits for them, and thousands of products with one tag ask
-- once.
CREATE TABLE touched_tags (
  store_id uuid NOT NULL,
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
  value text COLLATE "C" NOT NULL,
  lost boolean NOT NULL,
  at timestamptz(3) NOT NULL,
  CONSTRAINT touched_tags_pkey PRIMARY KEY (store_id, transaction, value, lost)
);

-- Makes a tag that is not there yet, and keeps it from being taken away until the transaction ends. Its id follows from
-- its value: there is one of a value, whoever brings it first, and it is the same when it is back.
CREATE FUNCTION keep_tag(of_store uuid, of_id uuid, tag text, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOOP
    PERFORM FROM tags WHERE store_id = of_store AND id = of_id FOR KEY SHARE;
    EXIT WHEN FOUND;
    INSERT INTO tags (store_id, id, created_at, updated_at, doc)
    VALUES (of_store, of_id, at, at, json_build_object('attributes', json_build_object('value', tag)))
    ON CONFLICT DO NOTHING;
    EXIT WHEN FOUND;
  END LOOP;
END $$;

-- Takes away a tag that no product has any more. Whoever took it off a product waits for the others who did, and then
-- for those who keep it; each statement sees what was committed before it began.
CREATE FUNCTION drop_tag(of_store uuid, of_id uuid, tag text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM tags WHERE store_id = of_store AND id = of_id FOR NO KEY UPDATE;
  IF tag_is_used(of_store, tag) THEN RETURN; END IF;
  PERFORM FROM tags WHERE store_id = of_store AND id = of_id FOR UPDATE;
  IF NOT tag_is_used(of_store, tag) THEN DELETE FROM tags WHERE store_id = of_store AND id = of_id; END IF;
END $$;

CREATE FUNCTION settle_tags() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  touched record;
BEGIN
  -- The first row of a transaction settles all of them.
  PERFORM FROM touched_tags t
  WHERE t.store_id = NEW.store_id AND t.transaction = NEW.transaction AND t.value = NEW.value AND t.lost = NEW.lost;
  IF NOT FOUND THEN RETURN NULL; END IF;
  FOR touched IN
    WITH taken AS (
      DELETE FROM touched_tags WHERE store_id = NEW.store_id AND transaction = NEW.transaction
      RETURNING value, lost, at
    ) SELECT md5(value)::uuid AS id, value, bool_or(lost) AS lost, bool_or(NOT lost) AS found, min(at) AS at
    FROM taken GROUP BY value ORDER BY id
  LOOP
    IF touched.lost THEN PERFORM drop_tag(NEW.store_id, touched.id, touched.value); END IF;
    IF touched.found AND (NOT touched.lost OR tag_is_used(NEW.store_id, touched.value)) THEN
      PERFORM keep_tag(NEW.store_id, touched.id, touched.value, touched.at);
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER settle_tags AFTER INSERT ON touched_tags DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION settle_tags();

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

-- What is indexed of a product's attributes.
CREATE FUNCTION product_values_of(attributes jsonb)
RETURNS TABLE (name text, place smallint, text_head text, text_tail text) LANGUAGE sql IMMUTABLE AS $$
  SELECT 'tags', t.place::smallint, left(t.value, 128), nullif(substr(t.value, 129), '')
  FROM jsonb_array_elements_text(attributes->'tags') WITH ORDINALITY t (value, place)
  UNION ALL
  SELECT 'admin_attributes.' || a.key, 0::smallint, left(a.value, 128), nullif(substr(a.value, 129), '')
  FROM jsonb_each_text(attributes->'admin_attributes') a
  UNION ALL
  SELECT 'shopper_attributes.' || a.key, 0::smallint, left(a.value, 128), nullif(substr(a.value, 129), '')
  FROM jsonb_each_text(attributes->'shopper_attributes') a
$$;

CREATE FUNCTION indexed_part(attributes jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_array(attributes->'tags', attributes->'admin_attributes', attributes->'shopper_attributes')
$$;

CREATE FUNCTION tags_of(attributes jsonb) RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_array_elements_text(attributes->'tags')
$$;

CREATE FUNCTION components_of(attributes jsonb) RETURNS SETOF uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT DISTINCT (o.option->>'id')::uuid
  FROM jsonb_each(attributes->'components') c (key, component)
  CROSS JOIN jsonb_array_elements(c.component->'options') o (option)
$$;

CREATE FUNCTION index_product() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  r products := coalesce(NEW, OLD);
  -- Taken apart once, and not by each who looks for a member.
  was jsonb := OLD.doc->'attributes';
  has jsonb := NEW.doc->'attributes';
  gone record;
BEGIN
  -- Most that are written are new: nothing is compared for them.
  IF TG_OP = 'INSERT' AND has ?| '{tags,admin_attributes,shopper_attributes}' THEN
    INSERT INTO product_values (store_id, product_id, name, place, text_head, text_tail)
    SELECT r.store_id, r.id, v.name, v.place, v.text_head, v.text_tail FROM product_values_of(has) v;
    INSERT INTO touched_tags (store_id, value, lost, at)
    SELECT r.store_id, tag, false, r.updated_at FROM tags_of(has) tag ON CONFLICT DO NOTHING;
  ELSIF TG_OP = 'DELETE' OR indexed_part(was) <> indexed_part(has) THEN
    FOR gone IN SELECT * FROM product_values_of(was) EXCEPT SELECT * FROM product_values_of(has) LOOP
      DELETE FROM product_values v WHERE v.store_id = r.store_id AND v.name = gone.name
        AND v.text_head = gone.text_head AND v.product_id = r.id AND v.place = gone.place;
    END LOOP;
    INSERT INTO product_values (store_id, product_id, name, place, text_head, text_tail)
    SELECT r.store_id, r.id, v.name, v.place, v.text_head, v.text_tail
    FROM (SELECT * FROM product_values_of(has) EXCEPT SELECT * FROM product_values_of(was)) v;
    INSERT INTO touched_tags (store_id, value, lost, at)
    SELECT r.store_id, tag, true, r.updated_at
    FROM (SELECT * FROM tags_of(was) EXCEPT SELECT * FROM tags_of(has)) lost (tag)
    UNION ALL
    SELECT r.store_id, tag, false, r.updated_at
    FROM (SELECT * FROM tags_of(has) EXCEPT SELECT * FROM tags_of(was)) found (tag)
    ON CONFLICT DO NOTHING;
  END IF;
  -- Those of a product that is gone went with it.
  IF TG_OP <> 'DELETE' AND was->'components' IS DISTINCT FROM has->'components' THEN
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
