-- Hierarchies and the nodes below them are rows of one table: a hierarchy is the root, and the parent of its topmost
-- nodes.
CREATE TABLE nodes (
  store_id uuid NOT NULL,
  -- What it is in: a node in its hierarchy, a hierarchy in its store.
  hierarchy_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json NOT NULL,
  -- Whether a node lies right below it. Nobody is shown it, so it is no change of the row: a trigger keeps it.
  has_children boolean NOT NULL DEFAULT false,
  parent_id uuid GENERATED ALWAYS AS ((doc->'relationships'->'parent'->'data'->>'id')::uuid) STORED,
  -- The lists of a store: of its nodes, and of these with its hierarchies.
  nodes_of uuid GENERATED ALWAYS AS (CASE WHEN hierarchy_id <> store_id THEN store_id END) STORED,
  all_of uuid GENERATED ALWAYS AS (store_id) STORED NOT NULL,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'name') STORED NOT NULL,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'slug') STORED,
  description text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'description') STORED,
  -- Among its siblings: those with a sort_order before those without, the highest first; then by their own last change.
  -- A sort_order is a whole number within 2^53, the time is in milliseconds.
  place numeric GENERATED ALWAYS AS (
    coalesce(((hidden->>'sort_order')::numeric + 9007199254740992) * 100000000000000, 0)
    + (hidden->>'changed_at')::numeric
  ) STORED NOT NULL,
  CONSTRAINT nodes_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT nodes_parent_fkey FOREIGN KEY (store_id, parent_id) REFERENCES nodes ON DELETE CASCADE,
  CONSTRAINT nodes_root_check CHECK ((parent_id IS NULL) = (hierarchy_id = store_id))
);
-- Siblings; hierarchies have no parent, and may be named alike.
CREATE UNIQUE INDEX nodes_name_key ON nodes (store_id, parent_id, md5(name));
CREATE UNIQUE INDEX nodes_slug_key ON nodes (store_id, parent_id, md5(slug));
CREATE INDEX nodes_by_place ON nodes (store_id, parent_id, place, id);
CREATE INDEX nodes_by_created_at ON nodes (store_id, hierarchy_id, created_at, id);
CREATE INDEX nodes_by_id ON nodes (store_id, hierarchy_id, id);
CREATE INDEX nodes_by_updated_at ON nodes (store_id, hierarchy_id, updated_at, id);
-- The lists of a store: hierarchies are few among the nodes. The key gives the order by id.
CREATE INDEX nodes_of_store_by_created_at ON nodes (store_id, created_at, id);
CREATE INDEX nodes_of_store_by_updated_at ON nodes (store_id, updated_at, id);
-- Each serves all the lists that nodes are in. What is longer than an index entry may be is found by its first
-- characters, see kernel/query/long-text.ts.
CREATE INDEX nodes_by_name ON nodes (store_id, left(name, 128));
CREATE INDEX nodes_by_slug ON nodes (store_id, left(slug, 128));
CREATE INDEX nodes_by_description ON nodes (store_id, left(description, 128));
CREATE INDEX nodes_by_has_children ON nodes (store_id, nodes_of, has_children, created_at, id);
CREATE INDEX nodes_by_breadcrumbs ON nodes USING gin (((hidden->'breadcrumbs')::jsonb) jsonb_path_ops);
CREATE INDEX nodes_by_locales ON nodes USING gin (((doc->'attributes'->'locales')::jsonb) jsonb_path_ops);
-- As of the children of products: see migration 0029.
ALTER TABLE nodes ALTER parent_id SET (n_distinct = -1);
CALL track('nodes', $$CASE WHEN r.parent_id IS NULL THEN 'hierarchy' ELSE 'node' END$$,
  '{hierarchy_id,parent_id,nodes_of,all_of}');

-- A node that is moved leaves one list of children and comes into another, where it was in the order of last changes:
-- that it is the last now, its table's own trigger says of the list that it is in.
CREATE FUNCTION count_moved_node() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO list_deltas VALUES
    ('nodes.parent_id', OLD.store_id, OLD.parent_id, OLD.created_at, OLD.id, -1, OLD.updated_at),
    ('nodes.parent_id', OLD.store_id, NEW.parent_id, OLD.created_at, OLD.id, 1, OLD.updated_at);
  RETURN NULL;
END $$;
CREATE TRIGGER count_moved_node AFTER UPDATE ON nodes FOR EACH ROW
  WHEN (NEW.parent_id <> OLD.parent_id) EXECUTE FUNCTION count_moved_node();

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
CREATE TRIGGER keep_has_children AFTER INSERT ON nodes FOR EACH ROW WHEN (NEW.parent_id IS NOT NULL)
  EXECUTE FUNCTION keep_has_children();
CREATE TRIGGER keep_has_children_when_moved AFTER UPDATE ON nodes FOR EACH ROW
  WHEN (NEW.parent_id <> OLD.parent_id) EXECUTE FUNCTION keep_has_children();
CREATE CONSTRAINT TRIGGER keep_has_children_when_deleted AFTER DELETE ON nodes DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.parent_id IS NOT NULL) EXECUTE FUNCTION keep_has_children();

-- Which products are in a node: each row is one, under the product's id.
CREATE TABLE node_products (
  store_id uuid NOT NULL,
  node_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL DEFAULT '{}',
  hidden json,
  -- Its place in the node's curated_products, from 1.
  curated smallint,
  product_updated_at timestamptz(3) NOT NULL,
  -- The curated ones first, in their order; then by the product's last change.
  place numeric GENERATED ALWAYS AS (
    coalesce(1000000000000000 - curated, extract(epoch FROM product_updated_at AT TIME ZONE 'UTC') * 1000)
  ) STORED NOT NULL,
  CONSTRAINT node_products_pkey PRIMARY KEY (store_id, node_id, id),
  CONSTRAINT node_products_parent_fkey FOREIGN KEY (store_id, node_id) REFERENCES nodes ON DELETE CASCADE,
  CONSTRAINT node_products_target_fkey FOREIGN KEY (store_id, id) REFERENCES products ON DELETE CASCADE
);
CREATE INDEX node_products_by_place ON node_products (store_id, node_id, place, id);
-- The nodes of a product.
CREATE INDEX node_products_by_product ON node_products (store_id, id, created_at, node_id);
CALL track('node_products', $$'node-product'$$, '{node_id}');

-- A product's last change is known here as it is written. Whoever makes links locks their products, so that none is
-- changed meanwhile.
CREATE FUNCTION tell_nodes_of_product() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE node_products SET product_updated_at = NEW.updated_at WHERE store_id = NEW.store_id AND id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_nodes_of_product AFTER UPDATE ON products FOR EACH ROW
  WHEN (NEW.updated_at <> OLD.updated_at) EXECUTE FUNCTION tell_nodes_of_product();

-- A product that leaves a node, whatever way, leaves its curated products. At the end of the transaction: if the node
-- is deleted, it is gone by then.
CREATE FUNCTION forget_curated_product() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  author text := coalesce(current_setting('sutler.by', true), '');
  at timestamptz(3) := coalesce(nullif(split_part(author, ' ', 3), '')::timestamptz, clock_timestamp());
BEGIN
  UPDATE nodes n SET version = n.version + 1, updated_at = greatest(n.updated_at, at),
    doc = jsonb_set(n.doc::jsonb, '{attributes,curated_products}',
      (n.doc::jsonb->'attributes'->'curated_products') - OLD.id::text)::json,
    hidden = jsonb_set(n.hidden::jsonb, '{changed_at}',
      to_jsonb(floor(extract(epoch FROM greatest(n.updated_at, at)) * 1000)))::json
  WHERE n.store_id = OLD.store_id AND n.id = OLD.node_id
    AND (n.doc::jsonb->'attributes'->'curated_products') ? OLD.id::text;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER forget_curated_product AFTER DELETE ON node_products DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.curated IS NOT NULL) EXECUTE FUNCTION forget_curated_product();
