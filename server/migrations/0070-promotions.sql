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
  enabled boolean GENERATED ALWAYS AS ((doc->>'enabled')::boolean) STORED NOT NULL,
  automatic boolean GENERATED ALWAYS AS ((doc->>'automatic')::boolean) STORED NOT NULL,
  stackable boolean GENERATED ALWAYS AS ((doc->>'stackable')::boolean) STORED NOT NULL,
  override_stacking boolean GENERATED ALWAYS AS ((doc->>'override_stacking')::boolean) STORED NOT NULL,
  starts_at timestamptz(3) GENERATED ALWAYS AS (to_timestamp((hidden->>'starts_at_ms')::float8 / 1000)) STORED NOT NULL,
  ends_at timestamptz(3) GENERATED ALWAYS AS (to_timestamp((hidden->>'ends_at_ms')::float8 / 1000)) STORED NOT NULL,
  -- The priority, from when the promotion is enabled until another one wants it and this one has ended.
  priority integer GENERATED ALWAYS AS ((hidden->>'held_priority')::integer) STORED,
  CONSTRAINT rule_promotions_pkey PRIMARY KEY (store_id, id)
);
CREATE UNIQUE INDEX rule_promotions_priority_key ON rule_promotions (store_id, priority)
  WHERE priority IS NOT NULL;
CREATE INDEX rule_promotions_by_created_at ON rule_promotions (store_id, created_at, id);
CREATE INDEX rule_promotions_by_updated_at ON rule_promotions (store_id, updated_at, id);
CREATE INDEX rule_promotions_by_name ON rule_promotions (store_id, name, id) INCLUDE (created_at);
-- For `ilike`.
CREATE INDEX rule_promotions_by_lower_name
  ON rule_promotions (store_id, lower(name COLLATE "default") text_pattern_ops, created_at, id);
CREATE INDEX rule_promotions_automatic ON rule_promotions (store_id, ends_at) WHERE enabled AND automatic;
CALL track('rule_promotions', $$'rule_promotion'$$);

-- The state of a store's promotions: a new one with every change, so that a process knows whether those that it
-- remembers are still these.
CREATE TABLE promotion_states (
  store_id uuid NOT NULL,
  state uuid NOT NULL,
  CONSTRAINT promotion_states_pkey PRIMARY KEY (store_id)
);
CREATE TABLE rule_promotion_states (
  store_id uuid NOT NULL,
  state uuid NOT NULL,
  CONSTRAINT rule_promotion_states_pkey PRIMARY KEY (store_id)
);

CREATE FUNCTION renew_promotion_state() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO promotion_states VALUES (coalesce(NEW.store_id, OLD.store_id), gen_random_uuid())
  ON CONFLICT (store_id) DO UPDATE SET state = excluded.state;
  RETURN NULL;
END $$;
CREATE TRIGGER renew_promotion_state AFTER INSERT OR UPDATE OR DELETE ON promotions FOR EACH ROW
  EXECUTE FUNCTION renew_promotion_state();

CREATE FUNCTION renew_rule_promotion_state() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO rule_promotion_states VALUES (coalesce(NEW.store_id, OLD.store_id), gen_random_uuid())
  ON CONFLICT (store_id) DO UPDATE SET state = excluded.state;
  RETURN NULL;
END $$;
CREATE TRIGGER renew_rule_promotion_state AFTER INSERT OR UPDATE OR DELETE ON rule_promotions FOR EACH ROW
  EXECUTE FUNCTION renew_rule_promotion_state();
