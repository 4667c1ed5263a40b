-- The tables and routines of fields/ at the baseline: see docs/decisions/0094-baseline.md.

-- A routine may use what comes after it.
SET LOCAL check_function_bodies = off;

-- == fields/values ==

-- The index of entries by their fields' values, see docs/entries-index.md: a row per scalar, kept by the triggers
-- below whatever way an entry is written.
CREATE TABLE entry_values (
  store_id uuid NOT NULL,
  field_id uuid NOT NULL,
  entry_id uuid NOT NULL,
  -- 0 and up: that element of a list. -1: a list's length. -2: a value that is no list. -3: null.
  element smallint NOT NULL,
  -- A text is cut in two, as an index entry has a greatest length: its first characters, and the rest if any.
  text_head text COLLATE "C",
  text_tail text COLLATE "C",
  -- A number; 0 and 1 of a boolean.
  number_value double precision,
  -- Of a value that must be unique.
  unique_key bytea,
  CONSTRAINT entry_values_pkey PRIMARY KEY (store_id, field_id, entry_id, element)
);
CREATE INDEX entry_values_by_number ON entry_values (store_id, field_id, number_value, element, entry_id)
  WHERE number_value IS NOT NULL;
CREATE INDEX entry_values_by_text ON entry_values (store_id, field_id, text_head, element, entry_id)
  WHERE text_head IS NOT NULL;
CREATE INDEX entry_values_null ON entry_values (store_id, field_id, element, entry_id)
  WHERE text_head IS NULL AND number_value IS NULL;
CREATE UNIQUE INDEX entry_values_unique ON entry_values (store_id, field_id, unique_key) WHERE unique_key IS NOT NULL;
ALTER TABLE entry_values ALTER field_id SET STATISTICS 1000;
ALTER TABLE entry_values ALTER number_value SET STATISTICS 1000;
ALTER TABLE entry_values ALTER text_head SET STATISTICS 1000;

-- The index rows of one value. The elements of a list of any type are compared as text.
CREATE FUNCTION indexed_values(value json, allowed_type text)
  RETURNS TABLE(element smallint, text_value text, number_value double precision) LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE json_typeof(value) WHEN 'null' THEN -3 WHEN 'array' THEN -1 ELSE -2 END::smallint,
    CASE json_typeof(value) WHEN 'string' THEN value #>> '{}' END,
    CASE json_typeof(value)
      WHEN 'number' THEN (value #>> '{}')::float8
      WHEN 'boolean' THEN (value #>> '{}')::boolean::integer
      WHEN 'array' THEN json_array_length(value) END
  WHERE value IS NOT NULL
  UNION ALL
  SELECT (e.place - 1)::smallint,
    CASE WHEN allowed_type = 'any' OR json_typeof(e.value) = 'string' THEN e.value #>> '{}' END,
    CASE WHEN allowed_type = 'any' THEN NULL
      WHEN json_typeof(e.value) = 'number' THEN (e.value #>> '{}')::float8
      WHEN json_typeof(e.value) = 'boolean' THEN (e.value #>> '{}')::boolean::integer END
  FROM json_array_elements(CASE json_typeof(value) WHEN 'array' THEN value END) WITH ORDINALITY e (value, place)
$$;

-- `hidden.meta.folded` has the lower case of values that must be unique whatever their case, by field id: it is the
-- server that knows how, not this database's locale.
CREATE FUNCTION entry_unique_key(hidden json, field_id uuid, value text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256(convert_to(coalesce(hidden->'meta'->'folded'->>field_id::text, value), 'UTF8'))
$$;

-- The document with another value for one of its members, or (without a new name) without it. The others stay as they
-- are, and where they are.
CREATE FUNCTION json_edited(doc json, name text, new_name text, new_value json)
  RETURNS json LANGUAGE sql IMMUTABLE AS $$
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

-- == fields/custom-apis ==

CREATE TABLE custom_apis (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  -- Counts the changes of its fields. With `version` it names one state of the definition: what is built from the
  -- definition is kept under that name.
  definition integer DEFAULT 0 NOT NULL,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  description text COLLATE "C" GENERATED ALWAYS AS (doc->>'description') STORED,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->>'slug') STORED NOT NULL,
  api_type text COLLATE "C" GENERATED ALWAYS AS (doc->>'api_type') STORED NOT NULL,
  CONSTRAINT custom_apis_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT custom_apis_api_type_key UNIQUE (store_id, api_type),
  CONSTRAINT custom_apis_slug_key UNIQUE (store_id, slug)
);
CREATE INDEX custom_apis_by_created_at ON custom_apis (store_id, created_at, id);
CREATE INDEX custom_apis_by_name ON custom_apis (store_id, name, id);
CREATE INDEX custom_apis_by_updated_at ON custom_apis (store_id, updated_at, id);
CALL track('custom_apis', $$'custom_api'$$);

CREATE TABLE custom_fields (
  store_id uuid NOT NULL,
  custom_api_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  description text COLLATE "C" GENERATED ALWAYS AS (doc->>'description') STORED,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->>'slug') STORED NOT NULL,
  field_type text COLLATE "C" GENERATED ALWAYS AS (doc->>'field_type') STORED NOT NULL,
  allowed_type text GENERATED ALWAYS AS (doc->'validation'->'list'->>'allowed_type') STORED,
  is_unique boolean GENERATED ALWAYS AS (coalesce(doc->'validation'->'string'->>'unique', 'no') = 'yes')
    STORED NOT NULL,
  CONSTRAINT custom_fields_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT custom_fields_slug_key UNIQUE (store_id, custom_api_id, slug),
  CONSTRAINT custom_fields_parent_fkey FOREIGN KEY (store_id, custom_api_id)
    REFERENCES custom_apis (store_id, id) ON DELETE CASCADE
);
CREATE INDEX custom_fields_by_created_at ON custom_fields (store_id, custom_api_id, created_at, id);
CREATE INDEX custom_fields_by_field_type ON custom_fields (store_id, custom_api_id, field_type, id);
CREATE INDEX custom_fields_by_name ON custom_fields (store_id, custom_api_id, name, id);
CREATE INDEX custom_fields_by_updated_at ON custom_fields (store_id, custom_api_id, updated_at, id);
CALL track('custom_fields', $$'custom_field'$$, '{custom_api_id}');

-- Keeps the index rows of an entry: of each of its fields whose value is new, or gone.
CREATE FUNCTION index_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM entry_values v USING custom_fields f
    WHERE f.store_id = OLD.store_id AND f.custom_api_id = OLD.custom_api_id
      AND v.store_id = OLD.store_id AND v.field_id = f.id AND v.entry_id = OLD.id
      AND (TG_OP = 'DELETE' OR f.field_type <> 'any'
        AND (NEW.doc->f.slug)::text IS DISTINCT FROM (OLD.doc->f.slug)::text);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO entry_values
    SELECT NEW.store_id, f.id, NEW.id, v.element, left(v.text_value, 128), nullif(substr(v.text_value, 129), ''),
      v.number_value,
      CASE WHEN f.is_unique AND v.element = -2 THEN entry_unique_key(NEW.hidden, f.id, v.text_value) END
    FROM custom_fields f
    CROSS JOIN LATERAL indexed_values(NEW.doc->f.slug, f.allowed_type) v
    WHERE f.store_id = NEW.store_id AND f.custom_api_id = NEW.custom_api_id AND f.field_type <> 'any'
      AND (TG_OP = 'INSERT' OR (NEW.doc->f.slug)::text IS DISTINCT FROM (OLD.doc->f.slug)::text);
  END IF;
  RETURN NULL;
END $$;

CREATE TABLE entries (
  store_id uuid NOT NULL,
  custom_api_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT entries_pkey PRIMARY KEY (store_id, custom_api_id, id),
  CONSTRAINT entries_parent_fkey FOREIGN KEY (store_id, custom_api_id)
    REFERENCES custom_apis (store_id, id) ON DELETE CASCADE
);
CREATE INDEX entries_by_created_at ON entries (store_id, custom_api_id, created_at, id);
CREATE INDEX entries_by_updated_at ON entries (store_id, custom_api_id, updated_at, id);
CREATE TRIGGER index_entry AFTER INSERT OR DELETE OR UPDATE ON entries FOR EACH ROW EXECUTE FUNCTION index_entry();
CALL track('entries',
  $$coalesce((SELECT a.api_type FROM custom_apis a WHERE a.store_id = r.store_id AND a.id = r.custom_api_id), 'custom_entry')$$,
  '{custom_api_id}', hidden =>
  $$json_build_object('meta', json_build_object('data_size', r.hidden#>'{meta,data_size}'))$$);

-- == fields/flows ==

CREATE TABLE flows (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->>'slug') STORED NOT NULL,
  CONSTRAINT flows_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT flows_slug_key UNIQUE (store_id, slug)
);
CREATE INDEX flows_by_created_at ON flows (store_id, created_at, id);
CREATE INDEX flows_by_slug ON flows (store_id, slug, id) INCLUDE (created_at);
CREATE INDEX flows_by_updated_at ON flows (store_id, updated_at, id);
CALL track('flows', $$'flow'$$);

CREATE TABLE flow_fields (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  flow_id uuid GENERATED ALWAYS AS ((doc->'relationships'->'flow'->'data'->>'id')::uuid) STORED NOT NULL,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->>'slug') STORED NOT NULL,
  CONSTRAINT flow_fields_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT flow_fields_slug_key UNIQUE (store_id, flow_id, slug),
  CONSTRAINT flow_fields_flow_fkey FOREIGN KEY (store_id, flow_id) REFERENCES flows (store_id, id) ON DELETE CASCADE
);
CREATE INDEX flow_fields_by_created_at ON flow_fields (store_id, created_at, id);
CREATE INDEX flow_fields_by_slug ON flow_fields (store_id, slug, id) INCLUDE (created_at);
CREATE INDEX flow_fields_by_updated_at ON flow_fields (store_id, updated_at, id);
CALL track('flow_fields', $$'field'$$);

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

-- Of flows that extend nothing, and of templates, whose entries have the ids of products: one for each flow and
-- product.
CREATE TABLE flow_entries (
  store_id uuid NOT NULL,
  flow_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  product_id uuid GENERATED ALWAYS AS ((hidden->'meta'->>'product_id')::uuid) STORED,
  CONSTRAINT flow_entries_pkey PRIMARY KEY (store_id, flow_id, id),
  CONSTRAINT flow_entries_parent_fkey FOREIGN KEY (store_id, flow_id) REFERENCES flows (store_id, id) ON DELETE CASCADE
);
CREATE INDEX flow_entries_by_created_at ON flow_entries (store_id, flow_id, created_at, id);
CREATE INDEX flow_entries_by_product_id ON flow_entries (store_id, product_id) WHERE product_id IS NOT NULL;
CREATE INDEX flow_entries_by_updated_at ON flow_entries (store_id, flow_id, updated_at, id);
CREATE TRIGGER index_entry AFTER INSERT OR DELETE OR UPDATE ON flow_entries
  FOR EACH ROW EXECUTE FUNCTION index_flow_entry();
CALL fence_times_of('flow_entries');
