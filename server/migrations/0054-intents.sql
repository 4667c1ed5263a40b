-- What is to happen at another server, each once: see docs/decisions/0031-outside-calls.md.

CREATE TABLE intents (
  store_id uuid NOT NULL REFERENCES stores ON DELETE CASCADE,
  id uuid NOT NULL,
  -- The outside call that carries it out.
  name text COLLATE "C" NOT NULL,
  values json NOT NULL,
  -- Null until it is recorded.
  outcome json,
  -- Until then one request or job carries it out; afterwards another may.
  leased_until timestamptz NOT NULL,
  created_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  CONSTRAINT intents_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX intents_by_ended_at ON intents (store_id, ended_at) WHERE ended_at IS NOT NULL;

-- A key whose request has begun and has no answer yet.
ALTER TABLE idempotency_keys
  ALTER status DROP NOT NULL,
  ALTER headers DROP NOT NULL,
  ALTER body DROP NOT NULL,
  ADD leased_until timestamptz,
  ADD intent_id uuid;
