-- A movement of stock that cannot be made fails its statement, so that what follows it can be sent with it. `refused`
-- are places in the list of movements. See decision 128.

CREATE FUNCTION refuse_movements(refused integer[], is_deleted boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF is_deleted THEN
    RAISE EXCEPTION 'the stock was deleted meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  RAISE EXCEPTION 'the stock cannot be moved' USING ERRCODE = 'check_violation',
    CONSTRAINT = 'stock_movements', DETAIL = array_to_json(refused)::text;
END $$;
