-- The tables and routines of shop/ at the baseline: see docs/decisions/0094-baseline.md.

-- A routine may use what comes after it.
SET LOCAL check_function_bodies = off;

-- == shop/catalogs ==

-- What is sold where and at which prices, and the rules that say who sees which catalog: see
-- server/shop/catalogs/.
CREATE TABLE catalogs (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'name') STORED NOT NULL,
  CONSTRAINT catalogs_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX catalogs_by_created_at ON catalogs (store_id, created_at, id);
CREATE INDEX catalogs_by_name ON catalogs (store_id, name, id) INCLUDE (created_at);
CREATE INDEX catalogs_by_updated_at ON catalogs (store_id, updated_at, id);
CALL track('catalogs', $$'catalog'$$);

-- What rules are found by, as an index has it: the store, the criterion, a value of it.
CREATE FUNCTION rule_values(store_id uuid, doc json) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(array_agg(store_id || ' ' || named.name || ' ' || named.value), '{}') FROM (
    SELECT name, value
    FROM unnest(ARRAY['account_ids', 'account_tag_ids', 'customer_ids', 'channels', 'tags']) name,
      json_array_elements_text(doc->'attributes'->name) value
    UNION ALL
    SELECT 'pricebook_ids', book->>'id' FROM json_array_elements(doc->'attributes'->'pricebook_ids') book
  ) named
$$;

CREATE FUNCTION renew_catalog_rule_state() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO catalog_rule_states AS s
  VALUES (coalesce(NEW.store_id, OLD.store_id), gen_random_uuid(), pg_current_xact_id())
  ON CONFLICT (store_id) DO UPDATE SET state = excluded.state, transaction = excluded.transaction
    WHERE s.transaction <> excluded.transaction;
  RETURN NULL;
END $$;

CREATE TABLE catalog_rules (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  catalog_id uuid GENERATED ALWAYS AS ((doc->'attributes'->>'catalog_id')::uuid) STORED NOT NULL,
  CONSTRAINT catalog_rules_pkey PRIMARY KEY (store_id, id),
  -- A catalog is there for as long as a rule leads to it.
  CONSTRAINT catalog_rules_catalog_id_fkey FOREIGN KEY (store_id, catalog_id) REFERENCES catalogs (store_id, id)
);
CREATE INDEX catalog_rules_by_catalog_id ON catalog_rules (store_id, catalog_id, created_at, id);
CREATE INDEX catalog_rules_by_created_at ON catalog_rules (store_id, created_at, id);
CREATE INDEX catalog_rules_by_updated_at ON catalog_rules (store_id, updated_at, id);
CREATE INDEX catalog_rules_by_values ON catalog_rules USING gin (rule_values(store_id, doc));
-- A rule that names price books which the current release does not have waits until a job has added them. Until then
-- `hidden.pending` has the version that is in effect. See docs/decisions/0030-pricebooks-of-rules.md.
CREATE INDEX catalog_rules_pending ON catalog_rules (store_id) WHERE hidden->'pending' IS NOT NULL;
CREATE TRIGGER renew_catalog_rule_state AFTER INSERT OR DELETE OR UPDATE ON catalog_rules
  FOR EACH ROW EXECUTE FUNCTION renew_catalog_rule_state();
CALL track('catalog_rules', $$'catalog_rule'$$, hidden => $$CASE WHEN r.hidden#>'{pending,waits_for}' IS NOT NULL THEN
  json_build_object('pending', json_build_object('waits_for', r.hidden#>'{pending,waits_for}')) END$$);

-- The state that a store's rules are in, another after every transaction that changes some: who remembers them knows by
-- it whether they are still these. It is never given twice.
CREATE TABLE catalog_rule_states (
  store_id uuid NOT NULL,
  state uuid NOT NULL,
  -- The one that gave it. It gives one, however many rules it changes.
  transaction xid8 NOT NULL,
  CONSTRAINT catalog_rule_states_pkey PRIMARY KEY (store_id)
);

CREATE TABLE catalog_releases (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json NOT NULL,
  status text COLLATE "C" GENERATED ALWAYS AS (hidden->>'status') STORED NOT NULL,
  CONSTRAINT catalog_releases_pkey PRIMARY KEY (store_id, catalog_id, id),
  CONSTRAINT catalog_releases_parent_fkey FOREIGN KEY (store_id, catalog_id)
    REFERENCES catalogs (store_id, id) ON DELETE CASCADE
);
CREATE INDEX catalog_releases_by_created_at ON catalog_releases (store_id, catalog_id, created_at, id);
CREATE INDEX catalog_releases_by_updated_at ON catalog_releases (store_id, catalog_id, updated_at, id);
CALL track('catalog_releases', $$'catalog-release'$$, '{catalog_id}', hidden => 'r.hidden');

-- Hierarchies and price books know nothing of catalogs: one that is deleted leaves them. What is published stays.
CREATE FUNCTION leave_catalogs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  CALL change_all('catalogs', OLD.store_id, OLD.id,
    $sql$ (r.doc::jsonb->'attributes'->'hierarchy_ids') ? $2::text $sql$,
    doc => $sql$ jsonb_set(r.doc::jsonb, '{attributes,hierarchy_ids}',
      (r.doc::jsonb->'attributes'->'hierarchy_ids') - $2::text)::json $sql$);
  RETURN NULL;
END $$;

CREATE TRIGGER leave_catalogs AFTER DELETE ON nodes
  FOR EACH ROW WHEN (old.parent_id IS NULL) EXECUTE FUNCTION leave_catalogs();

-- The document of a catalog, or of a rule, without a price book; without any, where it was the last.
CREATE FUNCTION without_pricebook(doc json, pricebook_id uuid) RETURNS json LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN attributes->>'pricebook_id' = pricebook_id::text THEN doc::jsonb #- '{attributes,pricebook_id}'
    WHEN others IS NULL THEN doc::jsonb #- '{attributes,pricebook_ids}'
    ELSE jsonb_set(doc::jsonb, '{attributes,pricebook_ids}', others)
  END::json
  FROM (SELECT doc::jsonb->'attributes' AS attributes) a, LATERAL (
    SELECT jsonb_agg(book ORDER BY place) AS others
    FROM jsonb_array_elements(attributes->'pricebook_ids') WITH ORDINALITY b (book, place)
    WHERE book->>'id' <> pricebook_id::text
  ) o
$$;

-- A price book that is deleted leaves catalogs and rules too, and the version of a waiting rule that is in effect.
CREATE FUNCTION leave_price_lists() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
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

CREATE TRIGGER leave_price_lists AFTER DELETE ON pricebooks FOR EACH ROW EXECUTE FUNCTION leave_price_lists();

-- == shop/publishing ==

-- The editions of a catalog. Shoppers see the last one that is published. One outlives its release for a while, for
-- those who go through its lists.
CREATE TABLE catalog_editions (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  edition integer NOT NULL,
  release_id uuid NOT NULL,
  -- Null while it is being written.
  published_at timestamptz(3), position bigint NOT NULL,
  made_of json NOT NULL,
  -- How the rows for searches of an edition are written: see `searchForm` in server/shop/sources/searchable.ts.
  search_form smallint DEFAULT 1 NOT NULL,
  -- An edition outlives its release for those who walk its lists. Not where the merchant deleted the release: nobody is
  -- shown a withdrawn edition, though its rows stay for as long as other editions need them.
  withdrawn boolean DEFAULT false NOT NULL,
  CONSTRAINT catalog_editions_pkey PRIMARY KEY (store_id, catalog_id, edition),
  CONSTRAINT catalog_editions_catalog_fkey FOREIGN KEY (store_id, catalog_id)
    REFERENCES catalogs (store_id, id) ON DELETE CASCADE
);
CREATE INDEX catalog_editions_by_release ON catalog_editions (store_id, catalog_id, release_id);

-- Products as shoppers see them, without prices and stock. Each row is true from one edition of its catalog up to
-- another; it is never changed but for its end.
CREATE TABLE published_products (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  since integer NOT NULL,
  until integer DEFAULT 2147483647 NOT NULL,
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
CREATE INDEX published_products_by_created_at ON published_products (store_id, listed_in, created_at, id, since, until)
  INCLUDE (catalog_id, product_type) WHERE listed_in IS NOT NULL;
CREATE INDEX published_products_by_manufacturer_part_num ON published_products
  (store_id, catalog_id, manufacturer_part_num) WHERE manufacturer_part_num IS NOT NULL;
CREATE INDEX published_products_by_name ON published_products (store_id, catalog_id, name);
CREATE INDEX published_products_by_parent ON published_products
  (store_id, catalog_id, parent_id, created_at, id, since, until) WHERE parent_id IS NOT NULL;
CREATE INDEX published_products_by_product_type ON published_products (store_id, catalog_id, product_type)
  WHERE product_type <> 'standard';
-- What an edition has brought, and what it ended.
CREATE INDEX published_products_by_since ON published_products (store_id, catalog_id, since, id);
CREATE INDEX published_products_by_sku ON published_products (store_id, catalog_id, sku) WHERE sku IS NOT NULL;
CREATE INDEX published_products_by_slug ON published_products (store_id, catalog_id, slug) WHERE slug IS NOT NULL;
CREATE INDEX published_products_by_until ON published_products (store_id, catalog_id, until, id)
  WHERE until < 2147483647;
CREATE INDEX published_products_by_upc_ean ON published_products (store_id, catalog_id, upc_ean)
  WHERE upc_ean IS NOT NULL;

-- Which of these are in a node, or in some node of a hierarchy: they come and go with the product's row.
CREATE TABLE published_node_products (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  since integer NOT NULL,
  until integer DEFAULT 2147483647 NOT NULL,
  node_id uuid NOT NULL,
  place numeric NOT NULL,
  curated boolean NOT NULL,
  CONSTRAINT published_node_products_pkey PRIMARY KEY (store_id, catalog_id, id, since, node_id)
);
CREATE INDEX published_node_products_by_place ON published_node_products
  (store_id, catalog_id, node_id, place, id, since, until);

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
-- Of which bundles a product is an option: what they cost goes by it.
CREATE INDEX published_relations_by_id ON published_relations (store_id, catalog_id, id, name);

-- Hierarchies and nodes as shoppers see them.
CREATE TABLE published_nodes (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  since integer NOT NULL,
  until integer DEFAULT 2147483647 NOT NULL,
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
CREATE INDEX published_hierarchies_of_catalog ON published_nodes (store_id, hierarchies_of, place, id, since, until)
  WHERE hierarchies_of IS NOT NULL;
CREATE INDEX published_nodes_by_name ON published_nodes (store_id, catalog_id, left(name, 128));
CREATE INDEX published_nodes_by_parent ON published_nodes (store_id, catalog_id, parent_id, place, id, since, until)
  WHERE parent_id IS NOT NULL;
CREATE INDEX published_nodes_by_since ON published_nodes (store_id, catalog_id, since);
CREATE INDEX published_nodes_by_slug ON published_nodes (store_id, catalog_id, left(slug, 128)) WHERE slug IS NOT NULL;
CREATE INDEX published_nodes_by_until ON published_nodes (store_id, catalog_id, until) WHERE until < 2147483647;
CREATE INDEX published_nodes_of_catalog ON published_nodes (store_id, nodes_of, updated_at, id, since, until)
  WHERE nodes_of IS NOT NULL;
CREATE INDEX published_nodes_of_hierarchy ON published_nodes
  (store_id, catalog_id, hierarchy_id, updated_at, id, since, until) WHERE hierarchy_id IS NOT NULL;

-- The prices of a catalog's price books, and their modifiers, as they were.
CREATE TABLE published_prices (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  since integer NOT NULL,
  until integer DEFAULT 2147483647 NOT NULL,
  pricebook_id uuid NOT NULL,
  sku text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  doc json NOT NULL,
  CONSTRAINT published_prices_pkey PRIMARY KEY (store_id, catalog_id, id, since)
);
CREATE INDEX published_prices_by_since ON published_prices (store_id, catalog_id, since);
CREATE INDEX published_prices_by_sku ON published_prices (store_id, catalog_id, sku, pricebook_id, since, until);
CREATE INDEX published_prices_by_until ON published_prices (store_id, catalog_id, until) WHERE until < 2147483647;

CREATE TABLE published_price_modifiers (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  since integer NOT NULL,
  until integer DEFAULT 2147483647 NOT NULL,
  pricebook_id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  doc json NOT NULL,
  CONSTRAINT published_price_modifiers_pkey PRIMARY KEY (store_id, catalog_id, id, since)
);
CREATE INDEX published_price_modifiers_by_name ON published_price_modifiers
  (store_id, catalog_id, pricebook_id, left(name, 128), since, until);
CREATE INDEX published_price_modifiers_by_since ON published_price_modifiers (store_id, catalog_id, since);
CREATE INDEX published_price_modifiers_by_until ON published_price_modifiers (store_id, catalog_id, until)
  WHERE until < 2147483647;

-- What is searched of the products in a catalog's list, one row each: the words of the name (A), the SKU (B), the part
-- number (C) and the description (D), and the values that they are filtered by and counted by.
CREATE TABLE published_texts (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  since integer NOT NULL,
  until integer DEFAULT 2147483647 NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  -- The SKU and the part number, each as one word.
  codes text[] COLLATE "C" NOT NULL,
  words tsvector NOT NULL,
  -- Of published_values.
  value_ids bigint[] NOT NULL,
  -- The words of values: a filter by a word is an index look-up. What stands for a word of a field's values is worked
  -- out from both, as for a value: see server/shop/sources/value-id.ts.
  word_ids bigint[] DEFAULT '{}'::bigint[] NOT NULL,
  CONSTRAINT published_texts_pkey PRIMARY KEY (store_id, catalog_id, id, since)
);
CREATE INDEX published_texts_by_updated_at ON published_texts (store_id, catalog_id, updated_at, id)
  INCLUDE (since, until);
CREATE INDEX published_texts_by_words_and_values ON published_texts USING gin (catalog_id, words, value_ids, word_ids);

-- The words that there are, and in how many products of the current edition: what is completed and corrected is found
-- among them.
CREATE TABLE published_words (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  word text COLLATE "C" NOT NULL,
  n integer NOT NULL,
  CONSTRAINT published_words_pkey PRIMARY KEY (store_id, catalog_id, word)
);
CREATE INDEX published_words_by_likeness ON published_words USING gin (catalog_id, word gin_trgm_ops)
  WHERE word !~ '[0-9]';

-- The different values of a field. What stands for one is worked out from both: see
-- server/shop/sources/value-id.ts. Those that no product has any more go when all of the catalog is looked at again.
CREATE TABLE published_values (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  field text COLLATE "C" NOT NULL,
  id bigint NOT NULL,
  value text COLLATE "C" NOT NULL,
  -- Where it is one.
  number double precision,
  -- By these the values of a facet are looked up as they are typed.
  words tsvector DEFAULT ''::tsvector NOT NULL,
  CONSTRAINT published_values_pkey PRIMARY KEY (store_id, catalog_id, field, id)
);

-- The values of products that are numbers, where one field may have as many as there are products.
CREATE TABLE published_numbers (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  since integer NOT NULL,
  until integer DEFAULT 2147483647 NOT NULL,
  place smallint NOT NULL,
  field text COLLATE "C" NOT NULL,
  number double precision NOT NULL,
  CONSTRAINT published_numbers_pkey PRIMARY KEY (store_id, catalog_id, id, since, place)
);
CREATE INDEX published_numbers_by_number ON published_numbers (store_id, catalog_id, field, number, id)
  INCLUDE (since, until);

-- What one of a product costs by a price book alone, for how long. Where the book has a price without this currency,
-- there is a row without one.
CREATE TABLE published_price_spans (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  since integer NOT NULL,
  until integer DEFAULT 2147483647 NOT NULL,
  place integer NOT NULL,
  pricebook_id uuid NOT NULL,
  currency text COLLATE "C",
  amount bigint,
  valid_from timestamptz(3) NOT NULL,
  valid_to timestamptz(3) NOT NULL,
  CONSTRAINT published_price_spans_pkey PRIMARY KEY (store_id, catalog_id, id, since, place)
);
CREATE INDEX published_price_spans_by_amount ON published_price_spans
  (store_id, catalog_id, pricebook_id, currency, amount, id) INCLUDE (since, until, valid_from, valid_to)
  WHERE amount IS NOT NULL;
CREATE INDEX published_price_spans_by_since ON published_price_spans (store_id, catalog_id, since);
CREATE INDEX published_price_spans_by_until ON published_price_spans (store_id, catalog_id, until)
  WHERE until < 2147483647;

-- All that was published of a catalog goes with it.
CREATE FUNCTION forget_published(store uuid, catalog uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE published text;
BEGIN
  FOREACH published IN ARRAY ARRAY['published_products', 'published_node_products', 'published_relations',
    'published_nodes', 'published_prices', 'published_price_modifiers', 'published_price_spans', 'published_texts',
    'published_words', 'published_values', 'published_numbers', 'catalog_editions']
  LOOP
    EXECUTE format('DELETE FROM %I WHERE store_id = $1 AND catalog_id = $2', published) USING store, catalog;
  END LOOP;
  DELETE FROM edition_totals WHERE store_id = store AND scope[1] = catalog;
END $$;

CREATE FUNCTION forget_published_of_catalog() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM forget_published(OLD.store_id, OLD.id);
  RETURN NULL;
END $$;

CREATE TRIGGER forget_published AFTER DELETE ON catalogs FOR EACH ROW EXECUTE FUNCTION forget_published_of_catalog();

-- Products that have any of many values, or of many words, or all words of any of many lists. Each is looked up in the
-- index; where values and words find much, those of all products are gone through once instead. A plan that compares
-- all of them with each product takes as long as both multiplied.
CREATE FUNCTION published_with_any(store uuid, catalog uuid, edition integer, ids bigint[], words bigint[],
  lists text[]) RETURNS SETOF uuid LANGUAGE sql STABLE AS $$
  WITH found AS MATERIALIZED (
    SELECT f.id FROM (
      SELECT l.id FROM unnest(ids) w (id) CROSS JOIN LATERAL (
        SELECT t.id FROM published_texts t
        WHERE t.store_id = store AND t.catalog_id = catalog AND t.since <= edition AND t.until > edition
          AND t.value_ids @> ARRAY[w.id]
      ) l
      UNION ALL
      SELECT l.id FROM unnest(words) w (id) CROSS JOIN LATERAL (
        SELECT t.id FROM published_texts t
        WHERE t.store_id = store AND t.catalog_id = catalog AND t.since <= edition AND t.until > edition
          AND t.word_ids @> ARRAY[w.id]
      ) l
    ) f LIMIT 2000
  )
  SELECT f.id FROM found f WHERE (SELECT count(*) FROM found) < 2000
  UNION ALL
  SELECT u.id FROM (
    SELECT t.id, unnest(t.value_ids) AS part FROM published_texts t
    WHERE t.store_id = store AND t.catalog_id = catalog AND t.since <= edition AND t.until > edition
      AND (SELECT count(*) FROM found) = 2000
  ) u WHERE u.part IN (SELECT unnest(ids))
  UNION ALL
  SELECT u.id FROM (
    SELECT t.id, unnest(t.word_ids) AS part FROM published_texts t
    WHERE t.store_id = store AND t.catalog_id = catalog AND t.since <= edition AND t.until > edition
      AND (SELECT count(*) FROM found) = 2000
  ) u WHERE u.part IN (SELECT unnest(words))
  UNION ALL
  SELECT l.id FROM unnest(lists) w (list) CROSS JOIN LATERAL (
        SELECT t.id FROM published_texts t
        WHERE t.store_id = store AND t.catalog_id = catalog AND t.since <= edition AND t.until > edition
          AND t.word_ids @> w.list::bigint[]
      ) l
$$;

-- == shop/storefront ==

-- The products of a node. Where only keys are asked for, the products are not looked at.
CREATE VIEW products_of_nodes AS
 SELECT m.store_id,
    m.catalog_id,
    m.node_id,
    m.id,
    m.since,
    m.until,
    m.place,
    m.curated,
    p.version,
    p.created_at,
    p.updated_at,
    p.doc,
    p.hidden,
    p.name,
    p.sku,
    p.slug,
    p.manufacturer_part_num,
    p.upc_ean,
    p.product_type
   FROM published_node_products m
     LEFT JOIN published_products p ON p.store_id = m.store_id AND p.catalog_id = m.catalog_id AND p.id = m.id AND p.since = m.since;

-- == shop/search ==

-- Words that are something like one: those that it may be a slip of are among them. Numbers and codes are what they
-- are: most words are, each of one product, and all are alike.
CREATE FUNCTION words_like(store uuid, catalog uuid, word text)
  RETURNS SETOF text LANGUAGE sql STABLE SET pg_trgm.similarity_threshold = 0.2 AS $$
  SELECT w.word FROM published_words w
  WHERE w.store_id = store AND w.catalog_id = catalog AND w.word % words_like.word AND w.word !~ '[0-9]'
    AND words_like.word !~ '[0-9]'
  ORDER BY similarity(w.word, words_like.word) DESC, w.n DESC, w.word LIMIT 100
$$;
