-- The tables and routines of promotions/ at the baseline: see docs/decisions/0094-baseline.md.

-- A routine may use what comes after it.
SET LOCAL check_function_bodies = off;

-- == promotions/standard ==

-- How much work a promotion is for each change of a cart: see docs/decisions/0052-conditions.md. Names of members are
-- counted in the text: a text inside it that has such a name has a backslash before its quotation marks.
CREATE OR REPLACE FUNCTION count_of(part text, whole text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
RETURN ((length(whole) - length(replace(whole, part, ''::text))) / length(part));

-- Of each standard promotion, the latest 100 versions are kept. Their numbers have no gaps: each write adds one.
CREATE FUNCTION record_promotion_version() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO promotion_versions (store_id, promotion_id, id, created_at, updated_at, doc, hidden)
  VALUES (NEW.store_id, NEW.id, gen_random_uuid(), NEW.updated_at, NEW.updated_at, NEW.doc,
    json_build_object('number', NEW.version));
  DELETE FROM promotion_versions
  WHERE store_id = NEW.store_id AND promotion_id = NEW.id AND number <= NEW.version - 100;
  RETURN NULL;
END $$;

CREATE FUNCTION renew_promotion_state() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO promotion_states VALUES (coalesce(NEW.store_id, OLD.store_id), gen_random_uuid())
  ON CONFLICT (store_id) DO UPDATE SET state = excluded.state;
  RETURN NULL;
END $$;

-- Standard promotions. See server/promotions/standard/.
CREATE TABLE promotions (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  promotion_type text COLLATE "C" GENERATED ALWAYS AS (doc->>'promotion_type') STORED NOT NULL,
  enabled boolean GENERATED ALWAYS AS ((doc->>'enabled')::boolean) STORED NOT NULL,
  automatic boolean GENERATED ALWAYS AS ((doc->>'automatic')::boolean) STORED NOT NULL,
  -- The document has the times as the client wrote them.
  starts_at timestamptz(3) GENERATED ALWAYS AS (to_timestamp((hidden->>'starts_at_ms')::double precision / 1000))
    STORED NOT NULL,
  ends_at timestamptz(3) GENERATED ALWAYS AS (to_timestamp((hidden->>'ends_at_ms')::double precision / 1000))
    STORED NOT NULL,
  -- One for itself, and its target attributes, target conditions, requirements and gifts.
  conditions integer GENERATED ALWAYS AS (1 + count_of('"template":', doc->>'schema') + count_of('"node":',
    doc->>'schema') + count_of('"quantity":', doc->>'schema') + coalesce(json_array_length(doc#>'{schema,gifts}'), 0))
    STORED NOT NULL,
  CONSTRAINT promotions_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX promotions_by_created_at ON promotions (store_id, created_at, id);
CREATE INDEX promotions_by_name ON promotions (store_id, name, id) INCLUDE (created_at);
CREATE INDEX promotions_by_promotion_type ON promotions (store_id, promotion_type, created_at, id);
CREATE INDEX promotions_by_updated_at ON promotions (store_id, updated_at, id);
CREATE TRIGGER record_changed_promotion_version AFTER UPDATE ON promotions
  FOR EACH ROW WHEN (old.version <> new.version) EXECUTE FUNCTION record_promotion_version();
CREATE TRIGGER record_promotion_version AFTER INSERT ON promotions
  FOR EACH ROW EXECUTE FUNCTION record_promotion_version();
CREATE TRIGGER renew_promotion_state AFTER INSERT OR DELETE OR UPDATE ON promotions
  FOR EACH ROW EXECUTE FUNCTION renew_promotion_state();
CALL track('promotions', $$'promotion'$$);

-- The state of a store's promotions: a new one with every change, so that a process knows whether those that it
-- remembers are still these.
CREATE TABLE promotion_states (
  store_id uuid NOT NULL,
  state uuid NOT NULL,
  CONSTRAINT promotion_states_pkey PRIMARY KEY (store_id)
);

-- What standard promotions were and are: one row for each write of a promotion. See server/promotions/standard/.
CREATE TABLE promotion_versions (
  store_id uuid NOT NULL,
  promotion_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  -- The promotion's own version: two writes may be of the same instant.
  number integer GENERATED ALWAYS AS ((hidden->>'number')::integer) STORED NOT NULL,
  CONSTRAINT promotion_versions_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT promotion_versions_parent_fkey FOREIGN KEY (store_id, promotion_id)
    REFERENCES promotions (store_id, id) ON DELETE CASCADE
);
CREATE INDEX promotion_versions_by_number ON promotion_versions (store_id, promotion_id, number, id);
CALL fence_times_of('promotion_versions');

-- == promotions/rules ==

CREATE FUNCTION renew_rule_promotion_state() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO rule_promotion_states VALUES (coalesce(NEW.store_id, OLD.store_id), gen_random_uuid())
  ON CONFLICT (store_id) DO UPDATE SET state = excluded.state;
  RETURN NULL;
END $$;

CREATE TABLE rule_promotions (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
  enabled boolean GENERATED ALWAYS AS ((doc->>'enabled')::boolean) STORED NOT NULL,
  automatic boolean GENERATED ALWAYS AS ((doc->>'automatic')::boolean) STORED NOT NULL,
  stackable boolean GENERATED ALWAYS AS ((doc->>'stackable')::boolean) STORED NOT NULL,
  override_stacking boolean GENERATED ALWAYS AS ((doc->>'override_stacking')::boolean) STORED NOT NULL,
  starts_at timestamptz(3) GENERATED ALWAYS AS (to_timestamp((hidden->>'starts_at_ms')::double precision / 1000))
    STORED NOT NULL,
  ends_at timestamptz(3) GENERATED ALWAYS AS (to_timestamp((hidden->>'ends_at_ms')::double precision / 1000))
    STORED NOT NULL,
  -- The priority, from when the promotion is enabled until another one wants it and this one has ended.
  priority integer GENERATED ALWAYS AS ((hidden->>'held_priority')::integer) STORED,
  -- Its conditions and actions.
  conditions integer GENERATED ALWAYS AS (count_of('"strategy":', doc->>'rule_set')) STORED NOT NULL,
  CONSTRAINT rule_promotions_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX rule_promotions_automatic ON rule_promotions (store_id, ends_at) WHERE enabled AND automatic;
CREATE INDEX rule_promotions_by_created_at ON rule_promotions (store_id, created_at, id);
-- For `ilike`.
CREATE INDEX rule_promotions_by_lower_name ON rule_promotions
  (store_id, lower(name COLLATE "default") text_pattern_ops, created_at, id);
CREATE INDEX rule_promotions_by_name ON rule_promotions (store_id, name, id) INCLUDE (created_at);
CREATE INDEX rule_promotions_by_updated_at ON rule_promotions (store_id, updated_at, id);
CREATE UNIQUE INDEX rule_promotions_priority_key ON rule_promotions (store_id, priority) WHERE priority IS NOT NULL;
CREATE TRIGGER renew_rule_promotion_state AFTER INSERT OR DELETE OR UPDATE ON rule_promotions
  FOR EACH ROW EXECUTE FUNCTION renew_rule_promotion_state();
CALL track('rule_promotions', $$'rule_promotion'$$);

CREATE TABLE rule_promotion_states (
  store_id uuid NOT NULL,
  state uuid NOT NULL,
  CONSTRAINT rule_promotion_states_pkey PRIMARY KEY (store_id)
);

-- == promotions/codes ==

CREATE TABLE standard_promotion_codes (
  store_id uuid NOT NULL,
  promotion_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  -- Folded: a code is the same in capitals and in small letters.
  code text COLLATE "C" GENERATED ALWAYS AS (lower((doc->>'code') COLLATE "default")) STORED NOT NULL,
  max_uses bigint GENERATED ALWAYS AS ((doc->>'max_uses')::bigint) STORED,
  -- Only a code with a limit is counted.
  used bigint DEFAULT 0 NOT NULL,
  -- Whether no other standard promotion may have the code: until its own promotion has ended.
  is_held boolean DEFAULT true NOT NULL,
  job_id uuid GENERATED ALWAYS AS ((hidden->>'job_id')::uuid) STORED,
  CONSTRAINT standard_promotion_codes_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT standard_promotion_codes_code_key UNIQUE (store_id, promotion_id, code),
  CONSTRAINT standard_promotion_codes_parent_fkey FOREIGN KEY (store_id, promotion_id)
    REFERENCES promotions (store_id, id) ON DELETE CASCADE,
  CONSTRAINT standard_promotion_codes_check CHECK (used >= 0 AND used <= coalesce(max_uses, 0))
);
CREATE INDEX standard_promotion_codes_by_created_at ON standard_promotion_codes
  (store_id, promotion_id, created_at, id);
CREATE INDEX standard_promotion_codes_by_id ON standard_promotion_codes (store_id, promotion_id, id);
CREATE INDEX standard_promotion_codes_by_job ON standard_promotion_codes (store_id, job_id) WHERE job_id IS NOT NULL;
CREATE UNIQUE INDEX standard_promotion_codes_held_key ON standard_promotion_codes (store_id, code) WHERE is_held;
CALL track('standard_promotion_codes', $$'promotion_codes'$$, '{promotion_id}');

CREATE TABLE standard_promotion_jobs (
  store_id uuid NOT NULL,
  promotion_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  job_type text COLLATE "C" GENERATED ALWAYS AS (doc->>'job_type') STORED NOT NULL,
  status text COLLATE "C" GENERATED ALWAYS AS (doc->>'status') STORED NOT NULL,
  CONSTRAINT standard_promotion_jobs_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT standard_promotion_jobs_parent_fkey FOREIGN KEY (store_id, promotion_id)
    REFERENCES promotions (store_id, id) ON DELETE CASCADE
);
CREATE INDEX standard_promotion_jobs_by_created_at ON standard_promotion_jobs (store_id, promotion_id, created_at, id);
CREATE INDEX standard_promotion_jobs_by_id ON standard_promotion_jobs (store_id, promotion_id, id);
CREATE INDEX standard_promotion_jobs_by_job_type ON standard_promotion_jobs
  (store_id, promotion_id, job_type, created_at, id);
CREATE INDEX standard_promotion_jobs_by_status ON standard_promotion_jobs
  (store_id, promotion_id, status, created_at, id);
CREATE UNIQUE INDEX standard_promotion_jobs_open_key ON standard_promotion_jobs (store_id, promotion_id)
  WHERE status IN ('pending', 'processing', 'cancelling');
CALL track('standard_promotion_jobs', $$'promotion_job'$$, '{promotion_id}');

-- One row for each code of an order. Rows are only added, and anonymised.
CREATE TABLE standard_promotion_usages (
  store_id uuid NOT NULL,
  promotion_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  -- A code of which each shopper has a number of uses: who used it, and which of these uses it was.
  shopper text COLLATE "C",
  slot integer,
  code text COLLATE "C" GENERATED ALWAYS AS (lower((doc->>'code') COLLATE "default")) STORED NOT NULL,
  -- The list of the usages of one code: a deleted code leaves its usages behind.
  code_list uuid GENERATED ALWAYS AS ((md5(promotion_id::text || lower((doc->>'code') COLLATE "default")))::uuid)
    STORED NOT NULL,
  code_id uuid GENERATED ALWAYS AS ((doc->>'code_id')::uuid) STORED NOT NULL,
  order_id uuid GENERATED ALWAYS AS ((doc->>'order_id')::uuid) STORED NOT NULL,
  customer_id uuid GENERATED ALWAYS AS ((doc->>'customer_id')::uuid) STORED,
  account_id uuid GENERATED ALWAYS AS ((doc->>'account_id')::uuid) STORED,
  customer_email text COLLATE "C" GENERATED ALWAYS AS (doc->>'customer_email') STORED,
  used_on timestamptz(3) GENERATED ALWAYS AS (to_timestamp((hidden->>'used_on_ms')::double precision / 1000))
    STORED NOT NULL,
  CONSTRAINT standard_promotion_usages_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT standard_promotion_usages_order_key UNIQUE (store_id, order_id, code_id),
  CONSTRAINT standard_promotion_usages_parent_fkey FOREIGN KEY (store_id, promotion_id)
    REFERENCES promotions (store_id, id) ON DELETE CASCADE
);
CREATE INDEX standard_promotion_usages_by_code ON standard_promotion_usages (store_id, promotion_id, code, id);
CREATE INDEX standard_promotion_usages_by_code_and_used_on ON standard_promotion_usages
  (store_id, code_list, used_on, id);
CREATE INDEX standard_promotion_usages_by_code_of_store ON standard_promotion_usages (store_id, code, order_id);
CREATE INDEX standard_promotion_usages_by_customer_email ON standard_promotion_usages
  (store_id, promotion_id, customer_email, id);
CREATE INDEX standard_promotion_usages_by_customer_id ON standard_promotion_usages
  (store_id, promotion_id, customer_id, id);
CREATE INDEX standard_promotion_usages_by_id ON standard_promotion_usages (store_id, promotion_id, id);
CREATE INDEX standard_promotion_usages_by_order_id ON standard_promotion_usages (store_id, promotion_id, order_id, id);
CREATE INDEX standard_promotion_usages_by_updated_at ON standard_promotion_usages
  (store_id, promotion_id, updated_at, id);
CREATE INDEX standard_promotion_usages_by_used_on ON standard_promotion_usages (store_id, promotion_id, used_on, id);
CREATE INDEX standard_promotion_usages_of_account ON standard_promotion_usages (store_id, account_id)
  WHERE account_id IS NOT NULL;
-- For the erasure of a customer, and the data of an account.
CREATE INDEX standard_promotion_usages_of_customer ON standard_promotion_usages (store_id, customer_id)
  WHERE customer_id IS NOT NULL;
CREATE UNIQUE INDEX standard_promotion_usages_slot_key ON standard_promotion_usages (store_id, code_id, shopper, slot)
  WHERE slot IS NOT NULL;
CALL track('standard_promotion_usages', $$'promotion_usage'$$, '{promotion_id,code_list}', personal => true);

CREATE TABLE rule_promotion_codes (
  store_id uuid NOT NULL,
  promotion_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  -- Folded: a code is the same in capitals and in small letters.
  code text COLLATE "C" GENERATED ALWAYS AS (lower((doc->>'code') COLLATE "default")) STORED NOT NULL,
  max_uses bigint GENERATED ALWAYS AS ((doc->>'max_uses')::bigint) STORED,
  -- Only a code with a limit is counted.
  used bigint DEFAULT 0 NOT NULL,
  job_id uuid GENERATED ALWAYS AS ((hidden->>'job_id')::uuid) STORED,
  CONSTRAINT rule_promotion_codes_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT rule_promotion_codes_code_key UNIQUE (store_id, promotion_id, code),
  CONSTRAINT rule_promotion_codes_parent_fkey FOREIGN KEY (store_id, promotion_id)
    REFERENCES rule_promotions (store_id, id) ON DELETE CASCADE,
  CONSTRAINT rule_promotion_codes_check CHECK (used >= 0 AND used <= coalesce(max_uses, 0))
);
-- For carts: one code may be in several promotions.
CREATE INDEX rule_promotion_codes_by_code ON rule_promotion_codes (store_id, code);
CREATE INDEX rule_promotion_codes_by_created_at ON rule_promotion_codes (store_id, promotion_id, created_at, id);
CREATE INDEX rule_promotion_codes_by_id ON rule_promotion_codes (store_id, promotion_id, id);
CREATE INDEX rule_promotion_codes_by_job ON rule_promotion_codes (store_id, job_id) WHERE job_id IS NOT NULL;
CALL track('rule_promotion_codes', $$'promotion_codes'$$, '{promotion_id}');

CREATE TABLE rule_promotion_jobs (
  store_id uuid NOT NULL,
  promotion_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  job_type text COLLATE "C" GENERATED ALWAYS AS (doc->>'job_type') STORED NOT NULL,
  status text COLLATE "C" GENERATED ALWAYS AS (doc->>'status') STORED NOT NULL,
  CONSTRAINT rule_promotion_jobs_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT rule_promotion_jobs_parent_fkey FOREIGN KEY (store_id, promotion_id)
    REFERENCES rule_promotions (store_id, id) ON DELETE CASCADE
);
CREATE INDEX rule_promotion_jobs_by_created_at ON rule_promotion_jobs (store_id, promotion_id, created_at, id);
CREATE INDEX rule_promotion_jobs_by_id ON rule_promotion_jobs (store_id, promotion_id, id);
CREATE INDEX rule_promotion_jobs_by_job_type ON rule_promotion_jobs (store_id, promotion_id, job_type, created_at, id);
CREATE INDEX rule_promotion_jobs_by_status ON rule_promotion_jobs (store_id, promotion_id, status, created_at, id);
CREATE UNIQUE INDEX rule_promotion_jobs_open_key ON rule_promotion_jobs (store_id, promotion_id)
  WHERE status IN ('pending', 'processing', 'cancelling');
CALL track('rule_promotion_jobs', $$'promotion_job'$$, '{promotion_id}');

-- One row for each code of an order. Rows are only added, and anonymised.
CREATE TABLE rule_promotion_usages (
  store_id uuid NOT NULL,
  promotion_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  -- A code of which each shopper has a number of uses: who used it, and which of these uses it was.
  shopper text COLLATE "C",
  slot integer,
  code text COLLATE "C" GENERATED ALWAYS AS (lower((doc->>'code') COLLATE "default")) STORED NOT NULL,
  -- The list of the usages of one code: a deleted code leaves its usages behind.
  code_list uuid GENERATED ALWAYS AS ((md5(promotion_id::text || lower((doc->>'code') COLLATE "default")))::uuid)
    STORED NOT NULL,
  code_id uuid GENERATED ALWAYS AS ((doc->>'code_id')::uuid) STORED NOT NULL,
  order_id uuid GENERATED ALWAYS AS ((doc->>'order_id')::uuid) STORED NOT NULL,
  customer_id uuid GENERATED ALWAYS AS ((doc->>'customer_id')::uuid) STORED,
  account_id uuid GENERATED ALWAYS AS ((doc->>'account_id')::uuid) STORED,
  customer_email text COLLATE "C" GENERATED ALWAYS AS (doc->>'customer_email') STORED,
  used_on timestamptz(3) GENERATED ALWAYS AS (to_timestamp((hidden->>'used_on_ms')::double precision / 1000))
    STORED NOT NULL,
  CONSTRAINT rule_promotion_usages_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT rule_promotion_usages_order_key UNIQUE (store_id, order_id, code_id),
  CONSTRAINT rule_promotion_usages_parent_fkey FOREIGN KEY (store_id, promotion_id)
    REFERENCES rule_promotions (store_id, id) ON DELETE CASCADE
);
CREATE INDEX rule_promotion_usages_by_code ON rule_promotion_usages (store_id, promotion_id, code, id);
CREATE INDEX rule_promotion_usages_by_code_and_used_on ON rule_promotion_usages (store_id, code_list, used_on, id);
CREATE INDEX rule_promotion_usages_by_code_of_store ON rule_promotion_usages (store_id, code, order_id);
CREATE INDEX rule_promotion_usages_by_customer_email ON rule_promotion_usages
  (store_id, promotion_id, customer_email, id);
CREATE INDEX rule_promotion_usages_by_customer_id ON rule_promotion_usages (store_id, promotion_id, customer_id, id);
CREATE INDEX rule_promotion_usages_by_id ON rule_promotion_usages (store_id, promotion_id, id);
CREATE INDEX rule_promotion_usages_by_order_id ON rule_promotion_usages (store_id, promotion_id, order_id, id);
CREATE INDEX rule_promotion_usages_by_updated_at ON rule_promotion_usages (store_id, promotion_id, updated_at, id);
CREATE INDEX rule_promotion_usages_by_used_on ON rule_promotion_usages (store_id, promotion_id, used_on, id);
CREATE INDEX rule_promotion_usages_of_account ON rule_promotion_usages (store_id, account_id)
  WHERE account_id IS NOT NULL;
-- For the erasure of a customer, and the data of an account.
CREATE INDEX rule_promotion_usages_of_customer ON rule_promotion_usages (store_id, customer_id)
  WHERE customer_id IS NOT NULL;
CREATE UNIQUE INDEX rule_promotion_usages_slot_key ON rule_promotion_usages (store_id, code_id, shopper, slot)
  WHERE slot IS NOT NULL;
CALL track('rule_promotion_usages', $$'promotion_usage'$$, '{promotion_id,code_list}', personal => true);

-- == promotions/uses ==

-- Who has paid orders, in part or as a whole, or has had money authorized for them: some codes are for new shoppers
-- only. The first payment of an order adds its rows. See server/promotions/uses/paying-shoppers.ts.
CREATE TABLE paying_shoppers (
  store_id uuid NOT NULL,
  -- A customer, an account or an email address, as codes count their uses by.
  shopper text COLLATE "C" NOT NULL,
  order_id uuid NOT NULL,
  CONSTRAINT paying_shoppers_pkey PRIMARY KEY (store_id, shopper, order_id)
);
-- To forget the email address of an order.
CREATE INDEX paying_shoppers_by_order ON paying_shoppers (store_id, order_id);
