-- The tables and routines of assortment/ at the baseline: see docs/decisions/0094-baseline.md.

-- A routine may use what comes after it.
SET LOCAL check_function_bodies = off;

-- == assortment/products ==

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

-- What is sold. See server/assortment/products/.
CREATE TABLE products (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc#>>'{attributes,name}') STORED NOT NULL,
  sku text COLLATE "C" GENERATED ALWAYS AS (doc#>>'{attributes,sku}') STORED,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc#>>'{attributes,slug}') STORED,
  upc_ean text COLLATE "C" GENERATED ALWAYS AS (doc#>>'{attributes,upc_ean}') STORED,
  mpn text COLLATE "C" GENERATED ALWAYS AS (doc#>>'{attributes,mpn}') STORED,
  external_ref text COLLATE "C" GENERATED ALWAYS AS (doc#>>'{attributes,external_ref}') STORED,
  description text COLLATE "C" GENERATED ALWAYS AS (doc#>>'{attributes,description}') STORED,
  status text COLLATE "C" GENERATED ALWAYS AS (doc#>>'{attributes,status}') STORED NOT NULL,
  commodity_type text COLLATE "C" GENERATED ALWAYS AS (doc#>>'{attributes,commodity_type}') STORED NOT NULL,
  product_type text COLLATE "C" GENERATED ALWAYS AS (hidden->>'product_type') STORED NOT NULL,
  parent_id uuid GENERATED ALWAYS AS ((hidden->>'parent_id')::uuid) STORED,
  main_image_id uuid GENERATED ALWAYS AS ((hidden->'relationships'->'main_image'->'data'->>'id')::uuid) STORED,
  -- The variations of a product, as its links say: which products have one is asked where it is changed.
  variations jsonb GENERATED ALWAYS AS ((hidden#>'{relationships,variations,data}')::jsonb) STORED,
  -- What is found by rows of other tables is counted and sorted without its own row.
  CONSTRAINT products_pkey PRIMARY KEY (store_id, id) INCLUDE (created_at),
  -- They serve filters too.
  CONSTRAINT products_sku_key UNIQUE (store_id, sku) INCLUDE (created_at, id),
  CONSTRAINT products_slug_key UNIQUE (store_id, slug) INCLUDE (created_at, id),
  CONSTRAINT products_parent_id_fkey FOREIGN KEY (store_id, parent_id)
    REFERENCES products (store_id, id) ON DELETE CASCADE,
  CONSTRAINT products_child_check CHECK ((product_type = 'child') = (parent_id IS NOT NULL)),
  CONSTRAINT products_product_type_check CHECK (product_type IN ('standard', 'parent', 'child', 'bundle'))
);
CREATE INDEX products_by_commodity_type ON products (store_id, commodity_type, created_at, id);
CREATE INDEX products_by_created_at ON products (store_id, created_at, id);
CREATE INDEX products_by_description ON products (store_id, left(description, 128), created_at, id);
-- Longer than an index entry may be: its first characters find it, see server/kernel/query/long-text.ts.
CREATE INDEX products_by_external_ref ON products (store_id, left(external_ref, 128), created_at, id);
CREATE INDEX products_by_folded_sku ON products
  (store_id, lower(sku COLLATE "default") text_pattern_ops, created_at, id);
CREATE INDEX products_by_main_image_id ON products (store_id, main_image_id) WHERE main_image_id IS NOT NULL;
CREATE INDEX products_by_mpn ON products (store_id, mpn, created_at, id);
CREATE INDEX products_by_name ON products (store_id, name, id) INCLUDE (created_at);
CREATE INDEX products_by_parent_id ON products (store_id, parent_id, created_at, id);
CREATE INDEX products_by_product_type ON products (store_id, product_type, created_at, id);
CREATE INDEX products_by_status ON products (store_id, status, created_at, id);
CREATE INDEX products_by_upc_ean ON products (store_id, upc_ean, created_at, id);
CREATE INDEX products_by_updated_at ON products (store_id, updated_at, id);
CREATE INDEX products_by_variations ON products USING gin (variations jsonb_path_ops) WHERE variations IS NOT NULL;
ALTER TABLE products ALTER parent_id SET (n_distinct=-1);
CREATE TRIGGER index_product AFTER INSERT OR DELETE ON products FOR EACH ROW EXECUTE FUNCTION index_product();
CREATE TRIGGER index_product_again AFTER UPDATE ON products
  FOR EACH ROW WHEN ((old.doc)::text <> (new.doc)::text) EXECUTE FUNCTION index_product();
-- Products have events, which show them as their GET does: with their type, their parent and their variations.
CALL track('products', $$'product'$$, hidden => 'r.hidden');

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
ALTER TABLE product_values ALTER name SET STATISTICS 1000;
ALTER TABLE product_values ALTER text_head SET STATISTICS 1000;

-- The tags that some product has.
CREATE TABLE tags (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
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

-- Tags that a transaction has put on some product, or taken off one (lost). What becomes of them is settled once, at
-- its end, for all in one order: so nobody waits for who waits for them, and thousands of products with one tag ask
-- once.
CREATE TABLE touched_tags (
  store_id uuid NOT NULL,
  transaction xid8 DEFAULT pg_current_xact_id() NOT NULL,
  value text COLLATE "C" NOT NULL,
  lost boolean NOT NULL,
  at timestamptz(3) NOT NULL,
  CONSTRAINT touched_tags_pkey PRIMARY KEY (store_id, transaction, value, lost)
);
CREATE CONSTRAINT TRIGGER settle_tags AFTER INSERT ON touched_tags DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION settle_tags();

-- What a bundle consists of. A product that is in one is not deleted.
CREATE TABLE product_components (
  store_id uuid NOT NULL,
  bundle_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT product_components_pkey PRIMARY KEY (store_id, bundle_id, id),
  CONSTRAINT product_components_id_fkey FOREIGN KEY (store_id, id) REFERENCES products (store_id, id),
  CONSTRAINT product_components_parent_fkey FOREIGN KEY (store_id, bundle_id)
    REFERENCES products (store_id, id) ON DELETE CASCADE
);
CREATE INDEX product_components_by_created_at ON product_components (store_id, bundle_id, created_at, id);
CREATE INDEX product_components_by_id ON product_components (store_id, id, bundle_id);
CALL fence_times_of('product_components');

-- Kinds of links between products that a store has made up: what goes with what, what comes in its place.
CREATE TABLE custom_relationships (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'slug') STORED NOT NULL,
  CONSTRAINT custom_relationships_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT custom_relationships_slug_key UNIQUE (store_id, slug)
);
CREATE INDEX custom_relationships_by_created_at ON custom_relationships (store_id, created_at, id);
CREATE INDEX custom_relationships_by_slug ON custom_relationships (store_id, slug, created_at, id);
CREATE INDEX custom_relationships_by_updated_at ON custom_relationships (store_id, updated_at, id);
CALL track('custom_relationships', $$'custom-relationship'$$);

-- Which of them a product has; their slugs are among its hidden values too. One that a product has is not deleted.
CREATE TABLE product_custom_relationships (
  store_id uuid NOT NULL,
  product_id uuid NOT NULL,
  id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT product_custom_relationships_pkey PRIMARY KEY (store_id, product_id, id),
  CONSTRAINT product_custom_relationships_id_fkey FOREIGN KEY (store_id, id)
    REFERENCES custom_relationships (store_id, id),
  CONSTRAINT product_custom_relationships_product_fkey FOREIGN KEY (store_id, product_id)
    REFERENCES products (store_id, id) ON DELETE CASCADE
);
CREATE INDEX product_custom_relationships_by_id ON product_custom_relationships (store_id, id);

-- The products that a product is associated with by one of them; each row goes by the id of such a product.
CREATE TABLE associated_products (
  store_id uuid NOT NULL,
  product_id uuid NOT NULL,
  custom_relationship_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  -- Counts them as they come.
  number bigint NOT NULL,
  -- Those with a sort_order before those without, the lowest first; then in the order they came in. A sort_order is a
  -- whole number within 2^53.
  place numeric GENERATED ALWAYS AS ((coalesce((doc->'attributes'->>'sort_order')::numeric,
    9007199254740992) * 1000000000000) + number::numeric) STORED NOT NULL,
  CONSTRAINT associated_products_pkey PRIMARY KEY (store_id, product_id, custom_relationship_id, id),
  CONSTRAINT associated_products_id_fkey FOREIGN KEY (store_id, id)
    REFERENCES products (store_id, id) ON DELETE CASCADE,
  CONSTRAINT associated_products_product_fkey FOREIGN KEY (store_id, product_id, custom_relationship_id)
    REFERENCES product_custom_relationships (store_id, product_id, id) ON DELETE CASCADE
);
CREATE INDEX associated_products_by_id ON associated_products (store_id, id);
CREATE INDEX associated_products_by_place ON associated_products
  (store_id, product_id, custom_relationship_id, place, id);
CALL fence_times_of('associated_products');

-- The files of a product; its main image is among its hidden values.
CREATE TABLE product_files (
  store_id uuid NOT NULL,
  product_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT product_files_pkey PRIMARY KEY (store_id, product_id, id),
  CONSTRAINT product_files_id_fkey FOREIGN KEY (store_id, id) REFERENCES files (store_id, id) ON DELETE CASCADE,
  CONSTRAINT product_files_parent_fkey FOREIGN KEY (store_id, product_id)
    REFERENCES products (store_id, id) ON DELETE CASCADE
);
CREATE INDEX product_files_by_created_at ON product_files (store_id, product_id, created_at, id);
CREATE INDEX product_files_by_id ON product_files (store_id, id);
CALL fence_times_of('product_files');

-- The templates of a product: flows, whose values it has.
CREATE TABLE product_templates (
  store_id uuid NOT NULL,
  product_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT product_templates_pkey PRIMARY KEY (store_id, product_id, id),
  CONSTRAINT product_templates_id_fkey FOREIGN KEY (store_id, id) REFERENCES flows (store_id, id) ON DELETE CASCADE,
  CONSTRAINT product_templates_parent_fkey FOREIGN KEY (store_id, product_id)
    REFERENCES products (store_id, id) ON DELETE CASCADE
);
CREATE INDEX product_templates_by_created_at ON product_templates (store_id, product_id, created_at, id);
CREATE INDEX product_templates_by_id ON product_templates (store_id, id, product_id);
CALL fence_times_of('product_templates');

CREATE FUNCTION tag_is_used(of_store uuid, tag text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM product_values v WHERE v.store_id = of_store AND v.name = 'tags' AND v.text_head = left(tag, 128)
      AND coalesce(v.text_tail, '') = substr(tag, 129))
$$;

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

-- What is indexed of a product's attributes.
CREATE FUNCTION product_values_of(attributes jsonb)
  RETURNS TABLE(name text, place smallint, text_head text, text_tail text) LANGUAGE sql IMMUTABLE AS $$
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

-- A file that is deleted is no product's main image any more. Files know nothing of products.
CREATE FUNCTION forget_main_image() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  CALL change_all('products', OLD.store_id, OLD.id, 'r.main_image_id = $2',
    hidden => $sql$ (r.hidden::jsonb #- '{relationships,main_image}')::json $sql$);
  RETURN NULL;
END $$;

CREATE TRIGGER forget_main_image AFTER DELETE ON files FOR EACH ROW EXECUTE FUNCTION forget_main_image();

-- == assortment/hierarchies ==

-- A node that is moved leaves one list of children and comes into another, where it was in the order of last changes:
-- that it is the last now, its table's own trigger says of the list that it is in.
CREATE FUNCTION count_moved_node() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  CALL count_moved('nodes.parent_id', OLD.store_id, OLD.id, OLD.created_at, OLD.updated_at, OLD.parent_id, NEW.parent_id);
  RETURN NULL;
END $$;

-- Whoever moves or deletes nodes has the hierarchy alone; only those who add do so at the same time. What is deleted
-- may be deleted with its parent: whether that is still there is known at the end of the transaction.
CREATE FUNCTION keep_has_children() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP <> 'DELETE' THEN
    UPDATE nodes SET has_children = true
    WHERE store_id = NEW.store_id AND id = NEW.parent_id AND NOT has_children;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    UPDATE nodes p SET has_children = false
    WHERE p.store_id = OLD.store_id AND p.id = OLD.parent_id AND p.has_children AND NOT EXISTS (
      SELECT FROM nodes c WHERE c.store_id = p.store_id AND c.parent_id = p.id);
  END IF;
  RETURN NULL;
END $$;

-- Hierarchies and the nodes below them are rows of one table: a hierarchy is the root, and the parent of its topmost
-- nodes.
CREATE TABLE nodes (
  store_id uuid NOT NULL,
  -- What it is in: a node in its hierarchy, a hierarchy in its store.
  hierarchy_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json NOT NULL,
  -- Whether a node lies right below it. Nobody is shown it, so it is no change of the row: a trigger keeps it.
  has_children boolean DEFAULT false NOT NULL,
  -- The lists of a store: of its nodes, and of these with its hierarchies.
  nodes_of uuid GENERATED ALWAYS AS (CASE WHEN hierarchy_id <> store_id THEN store_id END) STORED,
  all_of uuid GENERATED ALWAYS AS (store_id) STORED NOT NULL,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'name') STORED NOT NULL,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'slug') STORED,
  description text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'description') STORED,
  -- Among its siblings: those with a sort_order before those without, the highest first; then by their own last change.
  -- A sort_order is a whole number within 2^53, the time is in milliseconds.
  place numeric GENERATED ALWAYS AS (coalesce(((hidden->>'sort_order')::numeric + 9007199254740992) * 100000000000000,
    0) + (hidden->>'changed_at')::numeric) STORED NOT NULL,
  parent_id uuid GENERATED ALWAYS AS (coalesce((doc->'relationships'->'parent'->'data'->>'id')::uuid,
    CASE WHEN hierarchy_id <> store_id THEN hierarchy_id END)) STORED,
  CONSTRAINT nodes_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT nodes_parent_fkey FOREIGN KEY (store_id, parent_id) REFERENCES nodes (store_id, id) ON DELETE CASCADE,
  CONSTRAINT nodes_root_check CHECK ((parent_id IS NULL) = (hierarchy_id = store_id))
);
CREATE INDEX nodes_by_breadcrumbs ON nodes USING gin (((hidden->'breadcrumbs')::jsonb) jsonb_path_ops);
CREATE INDEX nodes_by_created_at ON nodes (store_id, hierarchy_id, created_at, id);
CREATE INDEX nodes_by_description ON nodes (store_id, left(description, 128));
CREATE INDEX nodes_by_has_children ON nodes (store_id, nodes_of, has_children, created_at, id);
CREATE INDEX nodes_by_id ON nodes (store_id, hierarchy_id, id);
CREATE INDEX nodes_by_locales ON nodes USING gin (((doc->'attributes'->'locales')::jsonb) jsonb_path_ops);
-- Each serves all the lists that nodes are in. What is longer than an index entry may be is found by its first
-- characters, see server/kernel/query/long-text.ts.
CREATE INDEX nodes_by_name ON nodes (store_id, left(name, 128));
CREATE INDEX nodes_by_place ON nodes (store_id, parent_id, place, id);
CREATE INDEX nodes_by_slug ON nodes (store_id, left(slug, 128));
CREATE INDEX nodes_by_updated_at ON nodes (store_id, hierarchy_id, updated_at, id);
-- Siblings; hierarchies have no parent, and may be named alike.
CREATE UNIQUE INDEX nodes_name_key ON nodes (store_id, parent_id, md5(name));
-- The lists of a store: hierarchies are few among the nodes. The key gives the order by id.
CREATE INDEX nodes_of_store_by_created_at ON nodes (store_id, created_at, id);
CREATE INDEX nodes_of_store_by_updated_at ON nodes (store_id, updated_at, id);
CREATE UNIQUE INDEX nodes_slug_key ON nodes (store_id, parent_id, md5(slug));
ALTER TABLE nodes ALTER parent_id SET (n_distinct=-1);
CREATE TRIGGER count_moved_node AFTER UPDATE ON nodes
  FOR EACH ROW WHEN (new.parent_id <> old.parent_id) EXECUTE FUNCTION count_moved_node();
CREATE TRIGGER keep_has_children AFTER INSERT ON nodes
  FOR EACH ROW WHEN (new.parent_id IS NOT NULL) EXECUTE FUNCTION keep_has_children();
CREATE CONSTRAINT TRIGGER keep_has_children_when_deleted AFTER DELETE ON nodes DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (old.parent_id IS NOT NULL) EXECUTE FUNCTION keep_has_children();
CREATE TRIGGER keep_has_children_when_moved AFTER UPDATE ON nodes
  FOR EACH ROW WHEN (new.parent_id <> old.parent_id) EXECUTE FUNCTION keep_has_children();
CALL track('nodes', $$CASE WHEN r.parent_id IS NULL THEN 'hierarchy' ELSE 'node' END$$,
  '{hierarchy_id,parent_id,nodes_of,all_of}');

-- A product that leaves a node, whatever way, leaves its curated products. At the end of the transaction: if the node
-- is deleted, it is gone by then.
CREATE FUNCTION forget_curated_product() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
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

-- Which products are in a node: each row is one, under the product's id.
CREATE TABLE node_products (
  store_id uuid NOT NULL,
  node_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json DEFAULT '{}' NOT NULL,
  hidden json,
  -- Its place in the node's curated_products, from 1.
  curated smallint,
  product_updated_at timestamptz(3) NOT NULL,
  -- The curated ones first, in their order; then by the product's last change.
  place numeric GENERATED ALWAYS AS (coalesce((1000000000000000 - curated)::numeric,
    EXTRACT(epoch FROM (product_updated_at AT TIME ZONE 'UTC')) * 1000)) STORED NOT NULL,
  CONSTRAINT node_products_pkey PRIMARY KEY (store_id, node_id, id),
  CONSTRAINT node_products_parent_fkey FOREIGN KEY (store_id, node_id)
    REFERENCES nodes (store_id, id) ON DELETE CASCADE,
  CONSTRAINT node_products_target_fkey FOREIGN KEY (store_id, id) REFERENCES products (store_id, id) ON DELETE CASCADE
);
CREATE INDEX node_products_by_place ON node_products (store_id, node_id, place, id);
-- The nodes of a product.
CREATE INDEX node_products_by_product ON node_products (store_id, id, created_at, node_id);
CREATE CONSTRAINT TRIGGER forget_curated_product AFTER DELETE ON node_products DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (old.curated IS NOT NULL) EXECUTE FUNCTION forget_curated_product();
CALL track('node_products', $$'node-product'$$, '{node_id}');

-- A product's last change is known here as it is written. Whoever makes links locks their products, so that none is
-- changed meanwhile.
CREATE FUNCTION tell_nodes_of_product() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE node_products SET product_updated_at = NEW.updated_at WHERE store_id = NEW.store_id AND id = NEW.id;
  RETURN NULL;
END $$;

CREATE TRIGGER tell_nodes_of_product AFTER UPDATE ON products
  FOR EACH ROW WHEN (new.updated_at <> old.updated_at) EXECUTE FUNCTION tell_nodes_of_product();

-- == assortment/variations ==

CREATE TABLE product_variations (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT product_variations_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX product_variations_by_created_at ON product_variations (store_id, created_at, id);
CREATE INDEX product_variations_by_updated_at ON product_variations (store_id, updated_at, id);
CALL track('product_variations', $$'product-variation'$$);

CREATE TABLE product_variation_options (
  store_id uuid NOT NULL,
  variation_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT product_variation_options_pkey PRIMARY KEY (store_id, id),
  -- What is below an option names its variation too.
  CONSTRAINT product_variation_options_id_key UNIQUE (store_id, variation_id, id),
  CONSTRAINT product_variation_options_parent_fkey FOREIGN KEY (store_id, variation_id)
    REFERENCES product_variations (store_id, id) ON DELETE CASCADE
);
CREATE INDEX product_variation_options_by_created_at ON product_variation_options
  (store_id, variation_id, created_at, id);
CREATE INDEX product_variation_options_by_updated_at ON product_variation_options
  (store_id, variation_id, updated_at, id);
CALL track('product_variation_options', $$'product-variation-option'$$, '{variation_id}');

CREATE TABLE product_variation_modifiers (
  store_id uuid NOT NULL,
  variation_id uuid NOT NULL,
  option_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  type text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'type') STORED NOT NULL,
  CONSTRAINT product_variation_modifiers_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT product_variation_modifiers_type_key UNIQUE (store_id, variation_id, option_id, type),
  CONSTRAINT product_variation_modifiers_parent_fkey FOREIGN KEY (store_id, variation_id, option_id)
    REFERENCES product_variation_options (store_id, variation_id, id) ON DELETE CASCADE
);
CREATE INDEX product_variation_modifiers_by_created_at ON product_variation_modifiers
  (store_id, variation_id, option_id, created_at, id);
CREATE INDEX product_variation_modifiers_by_id ON product_variation_modifiers (store_id, variation_id, option_id, id);
CREATE INDEX product_variation_modifiers_by_updated_at ON product_variation_modifiers
  (store_id, variation_id, option_id, updated_at, id);
CALL track('product_variation_modifiers', $$'product-variation-modifier'$$, '{option_id}');

-- == assortment/inventories ==

-- Where stock may lie.
CREATE TABLE inventory_locations (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'slug') STORED NOT NULL,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'name') STORED NOT NULL,
  external_ref text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'external_ref') STORED,
  CONSTRAINT inventory_locations_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT inventory_locations_slug_key UNIQUE (store_id, slug)
);
CREATE INDEX inventory_locations_by_created_at ON inventory_locations (store_id, created_at, id);
CREATE INDEX inventory_locations_by_external_ref ON inventory_locations
  (store_id, left(external_ref, 128), created_at, id);
CREATE INDEX inventory_locations_by_name ON inventory_locations (store_id, left(name, 128), created_at, id);
CREATE INDEX inventory_locations_by_updated_at ON inventory_locations (store_id, updated_at, id);
CALL track('inventory_locations', $$'inventory_location'$$);

-- How much there is of a product, under the product's id. What is shown is the sum of its levels, written by whoever
-- changes one while they hold this row.
CREATE TABLE stocks (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  available double precision GENERATED ALWAYS AS ((doc->'attributes'->>'available')::double precision) STORED NOT NULL,
  CONSTRAINT stocks_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX stocks_by_available ON stocks (store_id, available, created_at, id);
CREATE INDEX stocks_by_created_at ON stocks (store_id, created_at, id);
CREATE INDEX stocks_by_updated_at ON stocks (store_id, updated_at, id);
CALL track('stocks', $$'stock'$$);

-- What is there of it in each location, and (without a location) in none.
CREATE TABLE stock_levels (
  store_id uuid NOT NULL,
  stock_id uuid NOT NULL,
  location_id uuid,
  available bigint NOT NULL,
  allocated bigint NOT NULL,
  CONSTRAINT stock_levels_key UNIQUE NULLS NOT DISTINCT (store_id, stock_id, location_id),
  CONSTRAINT stock_levels_location_fkey FOREIGN KEY (store_id, location_id)
    REFERENCES inventory_locations (store_id, id),
  CONSTRAINT stock_levels_stock_fkey FOREIGN KEY (store_id, stock_id)
    REFERENCES stocks (store_id, id) ON DELETE CASCADE,
  CONSTRAINT stock_levels_check CHECK (available >= 0 AND allocated >= 0 AND available + allocated <= 100000000000)
);
CREATE INDEX stock_levels_by_location ON stock_levels (store_id, location_id, stock_id);

-- Everything that has happened to it: added up, they are the stock.
CREATE TABLE stock_transactions (
  store_id uuid NOT NULL,
  stock_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  action text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'action') STORED NOT NULL,
  location text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'location') STORED,
  CONSTRAINT stock_transactions_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT stock_transactions_parent_fkey FOREIGN KEY (store_id, stock_id)
    REFERENCES stocks (store_id, id) ON DELETE CASCADE
);
CREATE INDEX stock_transactions_by_action ON stock_transactions (store_id, stock_id, action, created_at, id);
CREATE INDEX stock_transactions_by_created_at ON stock_transactions (store_id, stock_id, created_at, id);
CREATE INDEX stock_transactions_by_id ON stock_transactions (store_id, stock_id, id);
CREATE INDEX stock_transactions_by_location ON stock_transactions (store_id, stock_id, location, created_at, id);
CALL track('stock_transactions', $$'stock-transaction'$$, '{stock_id}');

-- What is shown of stocks, with or without levels: of thousands they are added up at once. Nearly always it is one,
-- which takes longer to plan than to add up.
CREATE FUNCTION stock_documents(of_store uuid, of_stocks uuid[])
  RETURNS TABLE(stock_id uuid, doc json) LANGUAGE plpgsql STABLE ROWS 10 SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY
  SELECT s.id, json_build_object('attributes', json_build_object(
    'available', coalesce(sum(l.available), 0),
    'allocated', coalesce(sum(l.allocated), 0),
    'total', coalesce(sum(l.available + l.allocated), 0),
    'locations', coalesce(
      json_object_agg(i.slug, json_build_object(
        'available', l.available, 'allocated', l.allocated, 'total', l.available + l.allocated) ORDER BY i.slug)
      FILTER (WHERE i.id IS NOT NULL), '{}')))
  FROM unnest(of_stocks) s (id)
  LEFT JOIN stock_levels l ON l.store_id = of_store AND l.stock_id = s.id
  LEFT JOIN inventory_locations i ON i.store_id = of_store AND i.id = l.location_id
  GROUP BY s.id;
END $$;

-- == assortment/product-csv ==

-- Rows of CSV files, from when they were sent until their job has gone through them. See
-- server/assortment/product-csv/.
CREATE TABLE product_import_rows (
  store_id uuid NOT NULL,
  import_id uuid NOT NULL,
  -- The number of the row, as a spreadsheet counts: a quoted cell with line ends is in one row.
  line integer NOT NULL,
  received_at timestamptz(3) NOT NULL,
  cells json NOT NULL,
  -- What the row names its product by, hashed: no two rows of a file may share one.
  keys text[] COLLATE "C" DEFAULT '{}' NOT NULL,
  -- The keys that a row before it has, each with the column and the number of that row.
  repeats json,
  CONSTRAINT product_import_rows_pkey PRIMARY KEY (store_id, import_id, line)
);

ALTER TABLE flow_entries ADD CONSTRAINT flow_entries_product_id_fkey FOREIGN KEY (store_id, product_id)
  REFERENCES products (store_id, id) ON DELETE CASCADE;
CALL track('flow_entries', $$'entry'$$, '{flow_id}');
