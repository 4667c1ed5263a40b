-- Codes of promotions, the jobs that generate and export them, and the ledger of their usages: the same for both kinds
-- of promotions. See server/promotion-codes/ and docs/decisions/0038-codes.md.

CREATE TABLE standard_promotion_codes (
  store_id uuid NOT NULL,
  promotion_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  -- Folded: a code is the same in capitals and in small letters.
  code text COLLATE "C" GENERATED ALWAYS AS (lower((doc->>'code') COLLATE "default")) STORED NOT NULL,
  max_uses bigint GENERATED ALWAYS AS ((doc->>'max_uses')::bigint) STORED,
  -- Only a code with a limit is counted.
  used bigint NOT NULL DEFAULT 0,
  -- Whether no other standard promotion may have the code: until its own promotion has ended.
  is_held boolean NOT NULL DEFAULT true,
  job_id uuid GENERATED ALWAYS AS ((hidden->>'job_id')::uuid) STORED,
  CONSTRAINT standard_promotion_codes_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT standard_promotion_codes_parent_fkey FOREIGN KEY (store_id, promotion_id)
    REFERENCES promotions ON DELETE CASCADE,
  CONSTRAINT standard_promotion_codes_code_key UNIQUE (store_id, promotion_id, code),
  CONSTRAINT standard_promotion_codes_check CHECK (used BETWEEN 0 AND coalesce(max_uses, 0))
);
CREATE UNIQUE INDEX standard_promotion_codes_held_key ON standard_promotion_codes (store_id, code) WHERE is_held;
CREATE INDEX standard_promotion_codes_by_created_at ON standard_promotion_codes (store_id, promotion_id, created_at, id);
CREATE INDEX standard_promotion_codes_by_id ON standard_promotion_codes (store_id, promotion_id, id);
CREATE INDEX standard_promotion_codes_by_job ON standard_promotion_codes (store_id, job_id) WHERE job_id IS NOT NULL;
CALL track('standard_promotion_codes', $$'promotion_codes'$$, '{promotion_id}');

CREATE TABLE standard_promotion_jobs (
  store_id uuid NOT NULL,
  promotion_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  job_type text COLLATE "C" GENERATED ALWAYS AS (doc->>'job_type') STORED NOT NULL,
  status text COLLATE "C" GENERATED ALWAYS AS (doc->>'status') STORED NOT NULL,
  CONSTRAINT standard_promotion_jobs_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT standard_promotion_jobs_parent_fkey FOREIGN KEY (store_id, promotion_id) REFERENCES promotions ON DELETE CASCADE
);
CREATE UNIQUE INDEX standard_promotion_jobs_open_key ON standard_promotion_jobs (store_id, promotion_id)
  WHERE status IN ('pending', 'processing', 'cancelling');
CREATE INDEX standard_promotion_jobs_by_created_at ON standard_promotion_jobs (store_id, promotion_id, created_at, id);
CREATE INDEX standard_promotion_jobs_by_id ON standard_promotion_jobs (store_id, promotion_id, id);
CREATE INDEX standard_promotion_jobs_by_job_type ON standard_promotion_jobs (store_id, promotion_id, job_type, created_at, id);
CREATE INDEX standard_promotion_jobs_by_status ON standard_promotion_jobs (store_id, promotion_id, status, created_at, id);
CALL track('standard_promotion_jobs', $$'promotion_job'$$, '{promotion_id}');

-- One row for each code of an order. Rows are only added, and anonymised.
CREATE TABLE standard_promotion_usages (
  store_id uuid NOT NULL,
  promotion_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  -- A code of which each shopper has a number of uses: who used it, and which of these uses it was.
  shopper text COLLATE "C",
  slot integer,
  code text COLLATE "C" GENERATED ALWAYS AS (lower((doc->>'code') COLLATE "default")) STORED NOT NULL,
  -- The list of the usages of one code: a deleted code leaves its usages behind.
  code_list uuid GENERATED ALWAYS AS
    (md5(promotion_id::text || lower((doc->>'code') COLLATE "default"))::uuid) STORED NOT NULL,
  code_id uuid GENERATED ALWAYS AS ((doc->>'code_id')::uuid) STORED NOT NULL,
  order_id uuid GENERATED ALWAYS AS ((doc->>'order_id')::uuid) STORED NOT NULL,
  customer_id uuid GENERATED ALWAYS AS ((doc->>'customer_id')::uuid) STORED,
  account_id uuid GENERATED ALWAYS AS ((doc->>'account_id')::uuid) STORED,
  customer_email text COLLATE "C" GENERATED ALWAYS AS (doc->>'customer_email') STORED,
  used_on timestamptz(3) GENERATED ALWAYS AS (to_timestamp((hidden->>'used_on_ms')::float8 / 1000)) STORED NOT NULL,
  CONSTRAINT standard_promotion_usages_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT standard_promotion_usages_parent_fkey FOREIGN KEY (store_id, promotion_id) REFERENCES promotions ON DELETE CASCADE,
  CONSTRAINT standard_promotion_usages_order_key UNIQUE (store_id, order_id, code_id)
);
CREATE UNIQUE INDEX standard_promotion_usages_slot_key ON standard_promotion_usages (store_id, code_id, shopper, slot) WHERE slot IS NOT NULL;
CREATE INDEX standard_promotion_usages_by_code_and_used_on ON standard_promotion_usages (store_id, code_list, used_on, id);
CREATE INDEX standard_promotion_usages_by_code ON standard_promotion_usages (store_id, promotion_id, code, id);
CREATE INDEX standard_promotion_usages_by_customer_email ON standard_promotion_usages (store_id, promotion_id, customer_email, id);
CREATE INDEX standard_promotion_usages_by_customer_id ON standard_promotion_usages (store_id, promotion_id, customer_id, id);
CREATE INDEX standard_promotion_usages_by_id ON standard_promotion_usages (store_id, promotion_id, id);
CREATE INDEX standard_promotion_usages_by_order_id ON standard_promotion_usages (store_id, promotion_id, order_id, id);
CREATE INDEX standard_promotion_usages_by_updated_at ON standard_promotion_usages (store_id, promotion_id, updated_at, id);
CREATE INDEX standard_promotion_usages_by_used_on ON standard_promotion_usages (store_id, promotion_id, used_on, id);
-- For the erasure of a customer, and the data of an account.
CREATE INDEX standard_promotion_usages_of_customer ON standard_promotion_usages (store_id, customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX standard_promotion_usages_of_account ON standard_promotion_usages (store_id, account_id) WHERE account_id IS NOT NULL;
CALL track('standard_promotion_usages', $$'promotion_usage'$$, '{promotion_id,code_list}', personal => true);

CREATE TABLE rule_promotion_codes (
  store_id uuid NOT NULL,
  promotion_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  -- Folded: a code is the same in capitals and in small letters.
  code text COLLATE "C" GENERATED ALWAYS AS (lower((doc->>'code') COLLATE "default")) STORED NOT NULL,
  max_uses bigint GENERATED ALWAYS AS ((doc->>'max_uses')::bigint) STORED,
  -- Only a code with a limit is counted.
  used bigint NOT NULL DEFAULT 0,
  job_id uuid GENERATED ALWAYS AS ((hidden->>'job_id')::uuid) STORED,
  CONSTRAINT rule_promotion_codes_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT rule_promotion_codes_parent_fkey FOREIGN KEY (store_id, promotion_id) REFERENCES rule_promotions ON DELETE CASCADE,
  CONSTRAINT rule_promotion_codes_code_key UNIQUE (store_id, promotion_id, code),
  CONSTRAINT rule_promotion_codes_check CHECK (used BETWEEN 0 AND coalesce(max_uses, 0))
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
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  job_type text COLLATE "C" GENERATED ALWAYS AS (doc->>'job_type') STORED NOT NULL,
  status text COLLATE "C" GENERATED ALWAYS AS (doc->>'status') STORED NOT NULL,
  CONSTRAINT rule_promotion_jobs_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT rule_promotion_jobs_parent_fkey FOREIGN KEY (store_id, promotion_id) REFERENCES rule_promotions ON DELETE CASCADE
);
CREATE UNIQUE INDEX rule_promotion_jobs_open_key ON rule_promotion_jobs (store_id, promotion_id)
  WHERE status IN ('pending', 'processing', 'cancelling');
CREATE INDEX rule_promotion_jobs_by_created_at ON rule_promotion_jobs (store_id, promotion_id, created_at, id);
CREATE INDEX rule_promotion_jobs_by_id ON rule_promotion_jobs (store_id, promotion_id, id);
CREATE INDEX rule_promotion_jobs_by_job_type ON rule_promotion_jobs (store_id, promotion_id, job_type, created_at, id);
CREATE INDEX rule_promotion_jobs_by_status ON rule_promotion_jobs (store_id, promotion_id, status, created_at, id);
CALL track('rule_promotion_jobs', $$'promotion_job'$$, '{promotion_id}');

-- One row for each code of an order. Rows are only added, and anonymised.
CREATE TABLE rule_promotion_usages (
  store_id uuid NOT NULL,
  promotion_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  -- A code of which each shopper has a number of uses: who used it, and which of these uses it was.
  shopper text COLLATE "C",
  slot integer,
  code text COLLATE "C" GENERATED ALWAYS AS (lower((doc->>'code') COLLATE "default")) STORED NOT NULL,
  -- The list of the usages of one code: a deleted code leaves its usages behind.
  code_list uuid GENERATED ALWAYS AS
    (md5(promotion_id::text || lower((doc->>'code') COLLATE "default"))::uuid) STORED NOT NULL,
  code_id uuid GENERATED ALWAYS AS ((doc->>'code_id')::uuid) STORED NOT NULL,
  order_id uuid GENERATED ALWAYS AS ((doc->>'order_id')::uuid) STORED NOT NULL,
  customer_id uuid GENERATED ALWAYS AS ((doc->>'customer_id')::uuid) STORED,
  account_id uuid GENERATED ALWAYS AS ((doc->>'account_id')::uuid) STORED,
  customer_email text COLLATE "C" GENERATED ALWAYS AS (doc->>'customer_email') STORED,
  used_on timestamptz(3) GENERATED ALWAYS AS (to_timestamp((hidden->>'used_on_ms')::float8 / 1000)) STORED NOT NULL,
  CONSTRAINT rule_promotion_usages_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT rule_promotion_usages_parent_fkey FOREIGN KEY (store_id, promotion_id) REFERENCES rule_promotions ON DELETE CASCADE,
  CONSTRAINT rule_promotion_usages_order_key UNIQUE (store_id, order_id, code_id)
);
CREATE UNIQUE INDEX rule_promotion_usages_slot_key ON rule_promotion_usages (store_id, code_id, shopper, slot) WHERE slot IS NOT NULL;
CREATE INDEX rule_promotion_usages_by_code_and_used_on ON rule_promotion_usages (store_id, code_list, used_on, id);
CREATE INDEX rule_promotion_usages_by_code ON rule_promotion_usages (store_id, promotion_id, code, id);
CREATE INDEX rule_promotion_usages_by_customer_email ON rule_promotion_usages (store_id, promotion_id, customer_email, id);
CREATE INDEX rule_promotion_usages_by_customer_id ON rule_promotion_usages (store_id, promotion_id, customer_id, id);
CREATE INDEX rule_promotion_usages_by_id ON rule_promotion_usages (store_id, promotion_id, id);
CREATE INDEX rule_promotion_usages_by_order_id ON rule_promotion_usages (store_id, promotion_id, order_id, id);
CREATE INDEX rule_promotion_usages_by_updated_at ON rule_promotion_usages (store_id, promotion_id, updated_at, id);
CREATE INDEX rule_promotion_usages_by_used_on ON rule_promotion_usages (store_id, promotion_id, used_on, id);
-- For the erasure of a customer, and the data of an account.
CREATE INDEX rule_promotion_usages_of_customer ON rule_promotion_usages (store_id, customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX rule_promotion_usages_of_account ON rule_promotion_usages (store_id, account_id) WHERE account_id IS NOT NULL;
CALL track('rule_promotion_usages', $$'promotion_usage'$$, '{promotion_id,code_list}', personal => true);
