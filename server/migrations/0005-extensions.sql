CREATE TABLE custom_apis (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  -- Counts the changes of its fields. With `version` it names one state of the definition: what is built from the
  -- definition is kept under that name.
  definition integer NOT NULL DEFAULT 0,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  description text COLLATE "C" GENERATED ALWAYS AS (doc->>'description') STORED,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->>'slug') STORED NOT NULL,
  api_type text COLLATE "C" GENERATED ALWAYS AS (doc->>'api_type') STORED NOT NULL,
  CONSTRAINT custom_apis_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT custom_apis_slug_key UNIQUE (store_id, slug),
  CONSTRAINT custom_apis_api_type_key UNIQUE (store_id, api_type)
);
CREATE INDEX custom_apis_by_created_at ON custom_apis (store_id, created_at, id);
CREATE INDEX custom_apis_by_updated_at ON custom_apis (store_id, updated_at, id);
CREATE INDEX custom_apis_by_name ON custom_apis (store_id, name, id);
CALL track('custom_apis', $$'custom_api'$$);

CREATE TABLE custom_fields (
  store_id uuid NOT NULL,
  custom_api_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  description text COLLATE "C" GENERATED ALWAYS AS (doc->>'description') STORED,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->>'slug') STORED NOT NULL,
  field_type text COLLATE "C" GENERATED ALWAYS AS (doc->>'field_type') STORED NOT NULL,
  allowed_type text GENERATED ALWAYS AS (doc->'validation'->'list'->>'allowed_type') STORED,
  is_unique boolean GENERATED ALWAYS AS (coalesce(doc->'validation'->'string'->>'unique', 'no') = 'yes') STORED NOT NULL,
  CONSTRAINT custom_fields_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT custom_fields_slug_key UNIQUE (store_id, custom_api_id, slug),
  CONSTRAINT custom_fields_parent_fkey FOREIGN KEY (store_id, custom_api_id) REFERENCES custom_apis ON DELETE CASCADE
);
CREATE INDEX custom_fields_by_created_at ON custom_fields (store_id, custom_api_id, created_at, id);
CREATE INDEX custom_fields_by_updated_at ON custom_fields (store_id, custom_api_id, updated_at, id);
CREATE INDEX custom_fields_by_name ON custom_fields (store_id, custom_api_id, name, id);
CREATE INDEX custom_fields_by_field_type ON custom_fields (store_id, custom_api_id, field_type, id);
CALL track('custom_fields', $$'custom_field'$$, '{custom_api_id}');

CREATE TABLE entries (
  store_id uuid NOT NULL,
  custom_api_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT entries_pkey PRIMARY KEY (store_id, custom_api_id, id),
  CONSTRAINT entries_parent_fkey FOREIGN KEY (store_id, custom_api_id) REFERENCES custom_apis ON DELETE CASCADE
);
CREATE INDEX entries_by_created_at ON entries (store_id, custom_api_id, created_at, id);
CREATE INDEX entries_by_updated_at ON entries (store_id, custom_api_id, updated_at, id);
CALL track('entries',
  $$coalesce((SELECT a.api_type FROM custom_apis a WHERE a.store_id = r.store_id AND a.id = r.custom_api_id), 'custom_entry')$$,
  '{custom_api_id}');

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
CREATE INDEX entry_values_by_text ON entry_values (store_id, field_id, text_head, element, entry_id)
  WHERE text_head IS NOT NULL;
CREATE INDEX entry_values_by_number ON entry_values (store_id, field_id, number_value, element, entry_id)
  WHERE number_value IS NOT NULL;
CREATE INDEX entry_values_null ON entry_values (store_id, field_id, element, entry_id)
  WHERE text_head IS NULL AND number_value IS NULL;
CREATE UNIQUE INDEX entry_values_unique ON entry_values (store_id, field_id, unique_key) WHERE unique_key IS NOT NULL;
-- The planner must know a value's share among many fields' values.
ALTER TABLE entry_values ALTER field_id SET STATISTICS 1000, ALTER text_head SET STATISTICS 1000,
  ALTER number_value SET STATISTICS 1000;

-- The index rows of one value. The elements of a list of any type are compared as text.
CREATE FUNCTION indexed_values(value json, allowed_type text)
RETURNS TABLE (element smallint, text_value text, number_value double precision) LANGUAGE sql IMMUTABLE AS $$
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

CREATE FUNCTION index_new_entries() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO entry_values
  SELECT e.store_id, f.id, e.id, v.element, left(v.text_value, 128), nullif(substr(v.text_value, 129), ''), v.number_value,
    CASE WHEN f.is_unique AND v.element = -2 THEN entry_unique_key(e.hidden, f.id, v.text_value) END
  FROM changed e
  JOIN custom_fields f ON f.store_id = e.store_id AND f.custom_api_id = e.custom_api_id AND f.field_type <> 'any'
  CROSS JOIN LATERAL indexed_values(e.doc->f.slug, f.allowed_type) v;
  RETURN NULL;
END $$;

CREATE FUNCTION index_changed_entries() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM entry_values v
  USING changed e
  JOIN before b ON b.store_id = e.store_id AND b.custom_api_id = e.custom_api_id AND b.id = e.id
  JOIN custom_fields f ON f.store_id = e.store_id AND f.custom_api_id = e.custom_api_id AND f.field_type <> 'any'
    AND (e.doc->f.slug)::text IS DISTINCT FROM (b.doc->f.slug)::text
  WHERE v.store_id = e.store_id AND v.field_id = f.id AND v.entry_id = e.id;

  INSERT INTO entry_values
  SELECT e.store_id, f.id, e.id, v.element, left(v.text_value, 128), nullif(substr(v.text_value, 129), ''), v.number_value,
    CASE WHEN f.is_unique AND v.element = -2 THEN entry_unique_key(e.hidden, f.id, v.text_value) END
  FROM changed e
  JOIN before b ON b.store_id = e.store_id AND b.custom_api_id = e.custom_api_id AND b.id = e.id
  JOIN custom_fields f ON f.store_id = e.store_id AND f.custom_api_id = e.custom_api_id AND f.field_type <> 'any'
    AND (e.doc->f.slug)::text IS DISTINCT FROM (b.doc->f.slug)::text
  CROSS JOIN LATERAL indexed_values(e.doc->f.slug, f.allowed_type) v;
  RETURN NULL;
END $$;

CREATE FUNCTION unindex_entries() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM entry_values v
  USING removed e JOIN custom_fields f ON f.store_id = e.store_id AND f.custom_api_id = e.custom_api_id
  WHERE v.store_id = e.store_id AND v.field_id = f.id AND v.entry_id = e.id;
  RETURN NULL;
END $$;

CREATE TRIGGER index_insert AFTER INSERT ON entries REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION index_new_entries();
CREATE TRIGGER index_update AFTER UPDATE ON entries REFERENCING OLD TABLE AS before NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION index_changed_entries();
CREATE TRIGGER index_delete AFTER DELETE ON entries REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION unindex_entries();
