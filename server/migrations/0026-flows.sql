CREATE FUNCTION nothing_said(fields json) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(jsonb_object_agg(f->>'name', NULL), '{}') FROM json_array_elements(fields) f
  WHERE f->'hidden' IS NULL AND f->'holdsLinks' IS NULL AND f->'omitNull' IS NULL
$$;

-- The fields that stores add to resources at run time, by the name that the resource has for it. Every statement that
-- reads or writes such rows asks for `state`, which is another one whenever `fields` are: see docs/decisions/0019.
CREATE TABLE added_fields (
  store_id uuid NOT NULL,
  name text NOT NULL,
  state uuid NOT NULL,
  fields json NOT NULL,
  -- What is shown of an object that has a value for none of them.
  nothing jsonb GENERATED ALWAYS AS (nothing_said(fields)) STORED NOT NULL,
  CONSTRAINT added_fields_pkey PRIMARY KEY (store_id, name)
);

-- The document with another value for one of its members, or (without a new name) without it. The others stay as they
-- are, and where they are.
CREATE FUNCTION json_edited(doc json, name text, new_name text, new_value json) RETURNS json LANGUAGE sql IMMUTABLE AS $$
  SELECT ('{' || coalesce(string_agg(
      to_json(CASE m.key WHEN name THEN new_name ELSE m.key END)::text || ':' ||
      CASE m.key WHEN name THEN new_value ELSE m.value END::text, ',' ORDER BY m.place), '') || '}')::json
  FROM json_each(doc) WITH ORDINALITY m (key, value, place)
  WHERE m.key <> name OR new_name IS NOT NULL
$$;

-- The document with one member more.
CREATE FUNCTION json_with(doc json, name text, new_value json) RETURNS json LANGUAGE sql IMMUTABLE AS $$
  SELECT ('{' || coalesce(string_agg(to_json(m.key)::text || ':' || m.value::text || ',', '' ORDER BY m.place), '') ||
    to_json(name)::text || ':' || new_value::text || '}')::json
  FROM json_each(doc) WITH ORDINALITY m (key, value, place)
$$;

CREATE TABLE flows (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->>'slug') STORED NOT NULL,
  CONSTRAINT flows_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT flows_slug_key UNIQUE (store_id, slug)
);
CREATE INDEX flows_by_created_at ON flows (store_id, created_at, id);
CREATE INDEX flows_by_updated_at ON flows (store_id, updated_at, id);
CREATE INDEX flows_by_slug ON flows (store_id, slug, id) INCLUDE (created_at);
CALL track('flows', $$'flow'$$);

CREATE TABLE flow_fields (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  flow_id uuid GENERATED ALWAYS AS ((doc->'relationships'->'flow'->'data'->>'id')::uuid) STORED NOT NULL,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->>'slug') STORED NOT NULL,
  CONSTRAINT flow_fields_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT flow_fields_slug_key UNIQUE (store_id, flow_id, slug),
  CONSTRAINT flow_fields_flow_fkey FOREIGN KEY (store_id, flow_id) REFERENCES flows ON DELETE CASCADE
);
CREATE INDEX flow_fields_by_created_at ON flow_fields (store_id, created_at, id);
CREATE INDEX flow_fields_by_updated_at ON flow_fields (store_id, updated_at, id);
CREATE INDEX flow_fields_by_slug ON flow_fields (store_id, slug, id) INCLUDE (created_at);
CALL track('flow_fields', $$'field'$$);

-- Of flows that extend nothing, and of templates, whose entries have the ids of products: one for each flow and
-- product.
CREATE TABLE flow_entries (
  store_id uuid NOT NULL,
  flow_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  product_id uuid GENERATED ALWAYS AS ((hidden->'meta'->>'product_id')::uuid) STORED,
  CONSTRAINT flow_entries_pkey PRIMARY KEY (store_id, flow_id, id),
  CONSTRAINT flow_entries_parent_fkey FOREIGN KEY (store_id, flow_id) REFERENCES flows ON DELETE CASCADE,
  CONSTRAINT flow_entries_product_id_fkey FOREIGN KEY (store_id, product_id) REFERENCES products ON DELETE CASCADE
);
CREATE INDEX flow_entries_by_created_at ON flow_entries (store_id, flow_id, created_at, id);
CREATE INDEX flow_entries_by_updated_at ON flow_entries (store_id, flow_id, updated_at, id);
CREATE INDEX flow_entries_by_product_id ON flow_entries (store_id, product_id) WHERE product_id IS NOT NULL;
CALL track('flow_entries', $$'entry'$$, '{flow_id}');

-- Entries of flows are found by their values as those of custom APIs are: see docs/entries-index.md.
CREATE FUNCTION index_flow_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM entry_values v USING flow_fields f
    WHERE f.store_id = OLD.store_id AND f.flow_id = OLD.flow_id
      AND (TG_OP = 'DELETE' OR (NEW.doc->f.slug)::text IS DISTINCT FROM (OLD.doc->f.slug)::text)
      AND v.store_id = OLD.store_id AND v.field_id = f.id AND v.entry_id = OLD.id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO entry_values
    SELECT NEW.store_id, f.id, NEW.id, v.element, left(v.text_value, 128), nullif(substr(v.text_value, 129), ''), v.number_value
    FROM flow_fields f CROSS JOIN LATERAL indexed_values(NEW.doc->f.slug, NULL) v
    WHERE f.store_id = NEW.store_id AND f.flow_id = NEW.flow_id
      AND (TG_OP = 'INSERT' OR (NEW.doc->f.slug)::text IS DISTINCT FROM (OLD.doc->f.slug)::text);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER index_entry AFTER INSERT OR UPDATE OR DELETE ON flow_entries FOR EACH ROW EXECUTE FUNCTION index_flow_entry();
