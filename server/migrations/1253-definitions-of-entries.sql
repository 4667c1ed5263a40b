-- Whether the definition of a custom API is in this state, and stays so until the transaction ends.
CREATE FUNCTION keep_definition(of_store uuid, of_api uuid, of_state text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM custom_apis a
  WHERE a.store_id = of_store AND a.id = of_api AND a.version || '.' || a.definition = of_state FOR KEY SHARE;
  RETURN FOUND;
END $$;

-- The same for a statement that stores an entry: see 1250.
CREATE FUNCTION definition_kept(of_store uuid, of_api uuid, of_state text) RETURNS boolean LANGUAGE plpgsql
  IMMUTABLE AS $$
BEGIN
  RETURN keep_definition(of_store, of_api, of_state);
END $$;
