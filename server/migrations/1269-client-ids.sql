-- The client ids of all stores. A unique index of the keys could say it only of the stores of one node.
CREATE TABLE client_ids (
  client_id text COLLATE "C" NOT NULL,
  store_id uuid NOT NULL,
  CONSTRAINT client_ids_pkey PRIMARY KEY (client_id)
);
COMMENT ON TABLE client_ids IS 'is on every node';
DO $$
DECLARE
  ids text[];
  stores uuid[];
BEGIN
  -- In Citus one statement cannot read all nodes and write what each of them has.
  SELECT array_agg(client_id), array_agg(store_id) INTO ids, stores FROM application_keys WHERE client_id IS NOT NULL;
  INSERT INTO client_ids SELECT * FROM unnest(ids, stores) ON CONFLICT DO NOTHING;
END $$;
