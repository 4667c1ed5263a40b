-- Each write of a standard promotion leaves a version of it behind.
CREATE FUNCTION record_promotion_version() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO promotion_versions (store_id, promotion_id, id, created_at, updated_at, doc, hidden)
  VALUES (NEW.store_id, NEW.id, gen_random_uuid(), NEW.updated_at, NEW.updated_at, NEW.doc,
    json_build_object('number', NEW.version));
  RETURN NULL;
END $$;
CREATE TRIGGER record_promotion_version AFTER INSERT ON promotions FOR EACH ROW
  EXECUTE FUNCTION record_promotion_version();
CREATE TRIGGER record_changed_promotion_version AFTER UPDATE ON promotions FOR EACH ROW
  WHEN (OLD.version <> NEW.version) EXECUTE FUNCTION record_promotion_version();
-- Promotions that are there already begin with what they are.
INSERT INTO promotion_versions (store_id, promotion_id, id, created_at, updated_at, doc, hidden)
SELECT store_id, id, gen_random_uuid(), updated_at, updated_at, doc, json_build_object('number', version) FROM promotions;
