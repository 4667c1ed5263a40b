-- What a search goes by: see docs/decisions/0028-search.md. Each row is true from one edition of its catalog up to
-- another, as the product that it is of, and goes with it.
CREATE EXTENSION IF NOT EXISTS btree_gin;
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- What is searched of the products in a catalog's list, one row each: the words of the name (A), the SKU (B), the part
-- number (C) and the description (D), and the values that they are filtered by and counted by.
CREATE TABLE published_texts (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  since integer NOT NULL,
  until integer NOT NULL DEFAULT 2147483647,
  updated_at timestamptz(3) NOT NULL,
  -- The SKU and the part number, each as one word.
  codes text[] COLLATE "C" NOT NULL,
  words tsvector NOT NULL,
  -- Of published_values.
  value_ids bigint[] NOT NULL,
  CONSTRAINT published_texts_pkey PRIMARY KEY (store_id, catalog_id, id, since)
);
CREATE INDEX published_texts_by_words_and_values ON published_texts USING gin (catalog_id, words, value_ids);
CREATE INDEX published_texts_by_updated_at
  ON published_texts (store_id, catalog_id, updated_at, id) INCLUDE (since, until);

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

-- Words that are something like one: those that it may be a slip of are among them. Numbers and codes are what they
-- are: most words are, each of one product, and all are alike.
CREATE FUNCTION words_like(store uuid, catalog uuid, word text) RETURNS SETOF text
LANGUAGE sql STABLE SET pg_trgm.similarity_threshold = 0.2 AS $$
  SELECT w.word FROM published_words w
  WHERE w.store_id = store AND w.catalog_id = catalog AND w.word % words_like.word AND w.word !~ '[0-9]'
    AND words_like.word !~ '[0-9]'
  ORDER BY similarity(w.word, words_like.word) DESC, w.n DESC, w.word LIMIT 100
$$;

-- The different values of a field. What stands for one is worked out from both: see server/publishing/value-id.ts.
-- Those that no product has any more go when all of the catalog is looked at again.
CREATE TABLE published_values (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  field text COLLATE "C" NOT NULL,
  id bigint NOT NULL,
  value text COLLATE "C" NOT NULL,
  -- Where it is one.
  number double precision,
  CONSTRAINT published_values_pkey PRIMARY KEY (store_id, catalog_id, field, id)
);

-- The values of products that are numbers, where one field may have as many as there are products.
CREATE TABLE published_numbers (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  since integer NOT NULL,
  until integer NOT NULL DEFAULT 2147483647,
  place smallint NOT NULL,
  field text COLLATE "C" NOT NULL,
  number double precision NOT NULL,
  CONSTRAINT published_numbers_pkey PRIMARY KEY (store_id, catalog_id, id, since, place)
);
CREATE INDEX published_numbers_by_number
  ON published_numbers (store_id, catalog_id, field, number, id) INCLUDE (since, until);

-- What one of a product costs by a price book alone, for how long. Where the book has a price without this currency,
-- there is a row without one.
CREATE TABLE published_price_spans (
  store_id uuid NOT NULL,
  catalog_id uuid NOT NULL,
  id uuid NOT NULL,
  since integer NOT NULL,
  until integer NOT NULL DEFAULT 2147483647,
  place integer NOT NULL,
  pricebook_id uuid NOT NULL,
  currency text COLLATE "C",
  amount bigint,
  valid_from timestamptz(3) NOT NULL,
  valid_to timestamptz(3) NOT NULL,
  CONSTRAINT published_price_spans_pkey PRIMARY KEY (store_id, catalog_id, id, since, place)
);
CREATE INDEX published_price_spans_by_amount
  ON published_price_spans (store_id, catalog_id, pricebook_id, currency, amount, id)
  INCLUDE (since, until, valid_from, valid_to) WHERE amount IS NOT NULL;
CREATE INDEX published_price_spans_by_since ON published_price_spans (store_id, catalog_id, since);
CREATE INDEX published_price_spans_by_until
  ON published_price_spans (store_id, catalog_id, until) WHERE until < 2147483647;

-- Of which bundles a product is an option: what they cost goes by it.
CREATE INDEX published_relations_by_id ON published_relations (store_id, catalog_id, id, name);

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
CREATE TRIGGER forget_published AFTER DELETE ON catalogs
  FOR EACH ROW EXECUTE FUNCTION forget_published_of_catalog();
