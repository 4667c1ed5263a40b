-- The prefixes of all stores. A unique index of the mappings could say it only of the stores of one node.
CREATE TABLE realm_prefixes (
  -- In lower case.
  prefix text COLLATE "C" NOT NULL,
  store_id uuid NOT NULL,
  CONSTRAINT realm_prefixes_pkey PRIMARY KEY (prefix)
);
CREATE UNIQUE INDEX realm_prefixes_by_store ON realm_prefixes (store_id);
COMMENT ON TABLE realm_prefixes IS 'is on every node';
INSERT INTO realm_prefixes SELECT lower(prefix COLLATE "default"), store_id FROM merchant_realm_mappings
WHERE prefix IS NOT NULL;

COMMENT ON TABLE secrets IS 'is on every node';
-- Random: where the index can only be of one store, two stores still do not have the same one.
COMMENT ON CONSTRAINT application_keys_client_id_key ON application_keys IS 'unique in each store is enough';
