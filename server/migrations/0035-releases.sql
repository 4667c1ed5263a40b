-- What of a catalog was published, and what shoppers see of it: see docs/decisions/0025-releases.md.

-- How many rows a list has in an edition, for lists whose rows are true from one edition up to another. The scope is
-- that of the list; its first value is what the editions are of.
CREATE TABLE edition_totals (
  store_id uuid NOT NULL,
  list text COLLATE "C" NOT NULL,
  scope uuid[] NOT NULL,
  since integer NOT NULL,
  until integer NOT NULL DEFAULT 2147483647,
  n bigint NOT NULL,
  CONSTRAINT edition_totals_pkey PRIMARY KEY (store_id, list, scope, since)
);
CREATE INDEX edition_totals_by_since ON edition_totals (store_id, (scope[1]), since);
CREATE INDEX edition_totals_by_until ON edition_totals (store_id, (scope[1]), until) WHERE until < 2147483647;

CREATE TABLE catalog_releases (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json NOT NULL,
  status text COLLATE "C" GENERATED ALWAYS AS (hidden->>'status') STORED NOT NULL,
  CONSTRAINT catalog_releases_pkey PRIMARY KEY (store_id, catalog_id, id),
  CONSTRAINT catalog_releases_parent_fkey FOREIGN KEY (store_id, catalog_id) REFERENCES catalogs ON DELETE CASCADE
);
CREATE INDEX catalog_releases_by_created_at ON catalog_releases (store_id, catalog_id, created_at, id);
CREATE INDEX catalog_releases_by_updated_at ON catalog_releases (store_id, catalog_id, updated_at, id);
CALL track('catalog_releases', $$'catalog-release'$$, '{catalog_id}');

-- The editions of a catalog. Shoppers see the last one that is published. One outlives its release for a while, for
-- those who go through its lists.
CREATE TABLE catalog_editions (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  edition integer NOT NULL,
  release_id uuid NOT NULL,
  -- Null while it is being written.
  published_at timestamptz(3),
  -- What it was made from: the store's change feed up to here, and the catalog.
  position bigint NOT NULL,
  made_of json NOT NULL,
  CONSTRAINT catalog_editions_pkey PRIMARY KEY (store_id, catalog_id, edition),
  CONSTRAINT catalog_editions_catalog_fkey FOREIGN KEY (store_id, catalog_id) REFERENCES catalogs ON DELETE CASCADE
);
CREATE INDEX catalog_editions_by_release ON catalog_editions (store_id, catalog_id, release_id);

-- What is published has no foreign keys: so many rows are written at once that to look for what each is of takes longer
-- than to write them. That the catalog is there is said by the edition, which is written last.

-- Products as shoppers see them, without prices and stock. Each row is true from one edition of its catalog up to
-- another; it is never changed but for its end.
CREATE TABLE published_products (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  since integer NOT NULL,
  until integer NOT NULL DEFAULT 2147483647,
  version integer GENERATED ALWAYS AS (since) STORED NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json NOT NULL,
  -- Of the document and of what is hidden. They are not generated: each would take it apart anew.
  -- Those of the catalog's list: the rest is only reached through a bundle.
  listed_in uuid,
  parent_id uuid,
  name text COLLATE "C",
  sku text COLLATE "C",
  slug text COLLATE "C",
  manufacturer_part_num text COLLATE "C",
  upc_ean text COLLATE "C",
  product_type text COLLATE "C",
  CONSTRAINT published_products_pkey PRIMARY KEY (store_id, catalog_id, id, since)
);
-- What filters of many matches are counted by is in it, and all of them: the rows are wide.
CREATE INDEX published_products_by_created_at
  ON published_products (store_id, listed_in, created_at, id, since, until) INCLUDE (catalog_id, product_type)
  WHERE listed_in IS NOT NULL;
CREATE INDEX published_products_by_parent
  ON published_products (store_id, catalog_id, parent_id, created_at, id, since, until) WHERE parent_id IS NOT NULL;
CREATE INDEX published_products_by_name ON published_products (store_id, catalog_id, name);
CREATE INDEX published_products_by_sku ON published_products (store_id, catalog_id, sku) WHERE sku IS NOT NULL;
CREATE INDEX published_products_by_slug ON published_products (store_id, catalog_id, slug) WHERE slug IS NOT NULL;
CREATE INDEX published_products_by_manufacturer_part_num
  ON published_products (store_id, catalog_id, manufacturer_part_num) WHERE manufacturer_part_num IS NOT NULL;
CREATE INDEX published_products_by_upc_ean
  ON published_products (store_id, catalog_id, upc_ean) WHERE upc_ean IS NOT NULL;
CREATE INDEX published_products_by_product_type
  ON published_products (store_id, catalog_id, product_type) WHERE product_type <> 'standard';
-- What an edition has brought, and what it ended.
CREATE INDEX published_products_by_since ON published_products (store_id, catalog_id, since, id);
CREATE INDEX published_products_by_until
  ON published_products (store_id, catalog_id, until, id) WHERE until < 2147483647;

-- Which of these are in a node, or in some node of a hierarchy: they come and go with the product's row.
CREATE TABLE published_node_products (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  since integer NOT NULL,
  until integer NOT NULL DEFAULT 2147483647,
  node_id uuid NOT NULL,
  place numeric NOT NULL,
  curated boolean NOT NULL,
  CONSTRAINT published_node_products_pkey PRIMARY KEY (store_id, catalog_id, id, since, node_id)
);
CREATE INDEX published_node_products_by_place
  ON published_node_products (store_id, catalog_id, node_id, place, id, since, until);

-- The products of a node. Where only keys are asked for, the products are not looked at.
CREATE VIEW products_of_nodes AS
SELECT m.store_id, m.catalog_id, m.node_id, m.id, m.since, m.until, m.place, m.curated,
  p.version, p.created_at, p.updated_at, p.doc, p.hidden,
  p.name, p.sku, p.slug, p.manufacturer_part_num, p.upc_ean, p.product_type
FROM published_node_products m
LEFT JOIN published_products p
  ON p.store_id = m.store_id AND p.catalog_id = m.catalog_id AND p.id = m.id AND p.since = m.since;

-- The products that one leads to: as options of a bundle (name: component_products) or by a custom relationship (its
-- slug). They are of the row that they lead from.
CREATE TABLE published_relations (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  product_id uuid NOT NULL,
  since integer NOT NULL,
  name text COLLATE "C" NOT NULL,
  place integer NOT NULL,
  id uuid NOT NULL,
  CONSTRAINT published_relations_pkey PRIMARY KEY (store_id, catalog_id, product_id, since, name, place)
);

-- Hierarchies and nodes as shoppers see them.
CREATE TABLE published_nodes (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  since integer NOT NULL,
  until integer NOT NULL DEFAULT 2147483647,
  version integer GENERATED ALWAYS AS (since) STORED NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json NOT NULL,
  -- Of a node: what it is in, and what it is right below.
  hierarchy_id uuid GENERATED ALWAYS AS ((hidden->>'hierarchy_id')::uuid) STORED,
  parent_id uuid GENERATED ALWAYS AS ((hidden->>'parent_id')::uuid) STORED,
  -- The catalog's lists of its hierarchies, and of its nodes.
  hierarchies_of uuid GENERATED ALWAYS AS (CASE WHEN hidden->>'parent_id' IS NULL THEN catalog_id END) STORED,
  nodes_of uuid GENERATED ALWAYS AS (CASE WHEN hidden->>'parent_id' IS NOT NULL THEN catalog_id END) STORED,
  place numeric GENERATED ALWAYS AS ((hidden->>'place')::numeric) STORED NOT NULL,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'name') STORED NOT NULL,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'slug') STORED,
  CONSTRAINT published_nodes_pkey PRIMARY KEY (store_id, catalog_id, id, since)
);
CREATE INDEX published_nodes_of_catalog
  ON published_nodes (store_id, nodes_of, updated_at, id, since, until) WHERE nodes_of IS NOT NULL;
CREATE INDEX published_hierarchies_of_catalog
  ON published_nodes (store_id, hierarchies_of, place, id, since, until) WHERE hierarchies_of IS NOT NULL;
CREATE INDEX published_nodes_of_hierarchy
  ON published_nodes (store_id, catalog_id, hierarchy_id, updated_at, id, since, until) WHERE hierarchy_id IS NOT NULL;
CREATE INDEX published_nodes_by_parent
  ON published_nodes (store_id, catalog_id, parent_id, place, id, since, until) WHERE parent_id IS NOT NULL;
CREATE INDEX published_nodes_by_name ON published_nodes (store_id, catalog_id, left(name, 128));
CREATE INDEX published_nodes_by_slug ON published_nodes (store_id, catalog_id, left(slug, 128)) WHERE slug IS NOT NULL;
CREATE INDEX published_nodes_by_since ON published_nodes (store_id, catalog_id, since);
CREATE INDEX published_nodes_by_until ON published_nodes (store_id, catalog_id, until) WHERE until < 2147483647;

-- The prices of a catalog's price books, and their modifiers, as they were.
CREATE TABLE published_prices (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  since integer NOT NULL,
  until integer NOT NULL DEFAULT 2147483647,
  pricebook_id uuid NOT NULL,
  sku text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  doc json NOT NULL,
  CONSTRAINT published_prices_pkey PRIMARY KEY (store_id, catalog_id, id, since)
);
CREATE INDEX published_prices_by_sku ON published_prices (store_id, catalog_id, sku, pricebook_id, since, until);
CREATE INDEX published_prices_by_since ON published_prices (store_id, catalog_id, since);
CREATE INDEX published_prices_by_until ON published_prices (store_id, catalog_id, until) WHERE until < 2147483647;

CREATE TABLE published_price_modifiers (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  since integer NOT NULL,
  until integer NOT NULL DEFAULT 2147483647,
  pricebook_id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  doc json NOT NULL,
  CONSTRAINT published_price_modifiers_pkey PRIMARY KEY (store_id, catalog_id, id, since)
);
CREATE INDEX published_price_modifiers_by_name
  ON published_price_modifiers (store_id, catalog_id, pricebook_id, left(name, 128), since, until);
CREATE INDEX published_price_modifiers_by_since ON published_price_modifiers (store_id, catalog_id, since);
CREATE INDEX published_price_modifiers_by_until
  ON published_price_modifiers (store_id, catalog_id, until) WHERE until < 2147483647;
