-- Standard promotions and rule promotions. See server/promotions/ and server/rule-promotions/.
CREATE TABLE promotions (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  promotion_type text COLLATE "C" GENERATED ALWAYS AS (doc->>'promotion_type') STORED NOT NULL,
  enabled boolean GENERATED ALWAYS AS ((doc->>'enabled')::boolean) STORED NOT NULL,
  automatic boolean GENERATED ALWAYS AS ((doc->>'automatic')::boolean) STORED NOT NULL,
  -- The document has the times as the client wrote them.
  starts_at timestamptz(3) GENERATED ALWAYS AS (to_timestamp((hidden->>'starts_at_ms')::float8 / 1000)) STORED NOT NULL,
  ends_at timestamptz(3) GENERATED ALWAYS AS (to_timestamp((hidden->>'ends_at_ms')::float8 / 1000)) STORED NOT NULL,
  CONSTRAINT promotions_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX promotions_by_created_at ON promotions (store_id, created_at, id);
CREATE INDEX promotions_by_updated_at ON promotions (store_id, updated_at, id);
CREATE INDEX promotions_by_name ON promotions (store_id, name, id) INCLUDE (created_at);
CREATE INDEX promotions_by_promotion_type ON promotions (store_id, promotion_type, created_at, id);
CALL track('promotions', $$'promotion'$$);

CREATE TABLE rule_promotions (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  priority integer GENERATED ALWAYS AS ((doc->>'priority')::integer) STORED,
  enabled boolean GENERATED ALWAYS AS ((doc->>'enabled')::boolean) STORED NOT NULL,
  automatic boolean GENERATED ALWAYS AS ((doc->>'automatic')::boolean) STORED NOT NULL,
  stackable boolean GENERATED ALWAYS AS ((doc->>'stackable')::boolean) STORED NOT NULL,
  override_stacking boolean GENERATED ALWAYS AS ((doc->>'override_stacking')::boolean) STORED NOT NULL,
  starts_at timestamptz(3) GENERATED ALWAYS AS (to_timestamp((hidden->>'starts_at_ms')::float8 / 1000)) STORED NOT NULL,
  ends_at timestamptz(3) GENERATED ALWAYS AS (to_timestamp((hidden->>'ends_at_ms')::float8 / 1000)) STORED NOT NULL,
  CONSTRAINT rule_promotions_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX rule_promotions_by_created_at ON rule_promotions (store_id, created_at, id);
CREATE INDEX rule_promotions_by_updated_at ON rule_promotions (store_id, updated_at, id);
CREATE INDEX rule_promotions_by_name ON rule_promotions (store_id, name, id) INCLUDE (created_at);
-- For `ilike`.
CREATE INDEX rule_promotions_by_lower_name
  ON rule_promotions (store_id, lower(name COLLATE "default") text_pattern_ops, created_at, id);
CREATE INDEX rule_promotions_by_enabled ON rule_promotions (store_id, enabled, created_at, id);
CREATE INDEX rule_promotions_by_automatic ON rule_promotions (store_id, automatic, created_at, id);
CREATE INDEX rule_promotions_by_stackable ON rule_promotions (store_id, stackable, created_at, id);
CREATE INDEX rule_promotions_by_override_stacking ON rule_promotions (store_id, override_stacking, created_at, id);
CREATE INDEX rule_promotions_by_starts_at ON rule_promotions (store_id, starts_at, created_at, id);
CREATE INDEX rule_promotions_by_ends_at ON rule_promotions (store_id, ends_at, created_at, id);
CALL track('rule_promotions', $$'rule_promotion'$$);
