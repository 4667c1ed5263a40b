-- step: contract
-- An older process may have written keys since 1269.
DO $$
DECLARE
  ids text[];
  stores uuid[];
BEGIN
  SELECT array_agg(client_id), array_agg(store_id) INTO ids, stores FROM application_keys WHERE client_id IS NOT NULL;
  INSERT INTO client_ids SELECT * FROM unnest(ids, stores) ON CONFLICT DO NOTHING;
END $$;
