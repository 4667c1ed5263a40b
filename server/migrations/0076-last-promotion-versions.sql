-- Of each standard promotion, the latest 100 versions are kept. Their numbers have no gaps: each write adds one.
CREATE OR REPLACE FUNCTION record_promotion_version() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO promotion_versions (store_id, promotion_id, id, created_at, updated_at, doc, hidden)
  VALUES (NEW.store_id, NEW.id, gen_random_uuid(), NEW.updated_at, NEW.updated_at, NEW.doc,
    json_build_object('number', NEW.version));
  DELETE FROM promotion_versions
  WHERE store_id = NEW.store_id AND promotion_id = NEW.id AND number <= NEW.version - 100;
  RETURN NULL;
END $$;
DELETE FROM promotion_versions v USING promotions p
WHERE p.store_id = v.store_id AND p.id = v.promotion_id AND v.number <= p.version - 100;
