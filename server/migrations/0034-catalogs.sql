-- What is sold where and at which prices, and the rules that say who sees which catalog. See server/catalogs/.
CREATE TABLE catalogs (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'name') STORED NOT NULL,
  CONSTRAINT catalogs_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX catalogs_by_created_at ON catalogs (store_id, created_at, id);
CREATE INDEX catalogs_by_updated_at ON catalogs (store_id, updated_at, id);
CREATE INDEX catalogs_by_name ON catalogs (store_id, name, id) INCLUDE (created_at);
CALL track('catalogs', $$'catalog'$$);

CREATE TABLE catalog_rules (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  catalog_id uuid GENERATED ALWAYS AS ((doc->'attributes'->>'catalog_id')::uuid) STORED NOT NULL,
  CONSTRAINT catalog_rules_pkey PRIMARY KEY (store_id, id),
  -- A catalog is there for as long as a rule leads to it.
  CONSTRAINT catalog_rules_catalog_id_fkey FOREIGN KEY (store_id, catalog_id) REFERENCES catalogs
);
CREATE INDEX catalog_rules_by_created_at ON catalog_rules (store_id, created_at, id);
CREATE INDEX catalog_rules_by_updated_at ON catalog_rules (store_id, updated_at, id);
CREATE INDEX catalog_rules_by_catalog_id ON catalog_rules (store_id, catalog_id, created_at, id);
CALL track('catalog_rules', $$'catalog_rule'$$);

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
CREATE INDEX catalog_rules_by_values ON catalog_rules USING gin (rule_values(store_id, doc));

-- The state that a store's rules are in, another after every transaction that changes some: who remembers them knows by
-- it whether they are still these. It is never given twice.
CREATE TABLE catalog_rule_states (
  store_id uuid NOT NULL,
  state uuid NOT NULL,
  -- The one that gave it. It gives one, however many rules it changes.
  transaction xid8 NOT NULL,
  CONSTRAINT catalog_rule_states_pkey PRIMARY KEY (store_id)
);

CREATE FUNCTION renew_catalog_rule_state() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO catalog_rule_states AS s
  VALUES (coalesce(NEW.store_id, OLD.store_id), gen_random_uuid(), pg_current_xact_id())
  ON CONFLICT (store_id) DO UPDATE SET state = excluded.state, transaction = excluded.transaction
    WHERE s.transaction <> excluded.transaction;
  RETURN NULL;
END $$;
CREATE TRIGGER renew_catalog_rule_state AFTER INSERT OR UPDATE OR DELETE ON catalog_rules FOR EACH ROW
  EXECUTE FUNCTION renew_catalog_rule_state();

-- Hierarchies and price books know nothing of catalogs: one that is deleted leaves them. What is published stays.
CREATE FUNCTION leave_catalogs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  at timestamptz(3) :=
    coalesce(nullif(split_part(current_setting('sutler.by', true), ' ', 3), '')::timestamptz, clock_timestamp());
BEGIN
  UPDATE catalogs SET version = version + 1, updated_at = greatest(updated_at, at),
    doc = jsonb_set(doc::jsonb, '{attributes,hierarchy_ids}',
      (doc::jsonb->'attributes'->'hierarchy_ids') - OLD.id::text)::json
  WHERE store_id = OLD.store_id AND (doc::jsonb->'attributes'->'hierarchy_ids') ? OLD.id::text;
  RETURN NULL;
END $$;
CREATE TRIGGER leave_catalogs AFTER DELETE ON nodes FOR EACH ROW WHEN (OLD.parent_id IS NULL)
  EXECUTE FUNCTION leave_catalogs();

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

CREATE FUNCTION leave_price_lists() RETURNS trigger LANGUAGE plpgsql AS $$
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
  RETURN NULL;
END $$;
CREATE TRIGGER leave_price_lists AFTER DELETE ON pricebooks FOR EACH ROW EXECUTE FUNCTION leave_price_lists();
