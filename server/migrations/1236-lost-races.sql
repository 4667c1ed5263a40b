-- A write that goes with COMMIT fails where it finds no row, as if another transaction had come first: see
-- docs/decisions/0129-statements-in-one-message.md.

CREATE FUNCTION lose_race() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'another write came first' USING ERRCODE = 'serialization_failure';
END $$;
