-- The files of a product; its main image is among its hidden values.
CREATE TABLE product_files (
  store_id uuid NOT NULL,
  product_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT product_files_pkey PRIMARY KEY (store_id, product_id, id),
  CONSTRAINT product_files_parent_fkey FOREIGN KEY (store_id, product_id) REFERENCES products ON DELETE CASCADE,
  CONSTRAINT product_files_id_fkey FOREIGN KEY (store_id, id) REFERENCES files ON DELETE CASCADE
);
CREATE INDEX product_files_by_created_at ON product_files (store_id, product_id, created_at, id);
CREATE INDEX product_files_by_id ON product_files (store_id, id);

-- The templates of a product: flows, whose values it has.
CREATE TABLE product_templates (
  store_id uuid NOT NULL,
  product_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT product_templates_pkey PRIMARY KEY (store_id, product_id, id),
  CONSTRAINT product_templates_parent_fkey FOREIGN KEY (store_id, product_id) REFERENCES products ON DELETE CASCADE,
  CONSTRAINT product_templates_id_fkey FOREIGN KEY (store_id, id) REFERENCES flows ON DELETE CASCADE
);
CREATE INDEX product_templates_by_created_at ON product_templates (store_id, product_id, created_at, id);
CREATE INDEX product_templates_by_id ON product_templates (store_id, id, product_id);

-- A file that is deleted is no product's main image any more. Files know nothing of products.
CREATE FUNCTION forget_main_image() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  at timestamptz(3) :=
    coalesce(nullif(split_part(current_setting('sutler.by', true), ' ', 3), '')::timestamptz, clock_timestamp());
BEGIN
  UPDATE products SET version = version + 1, updated_at = greatest(updated_at, at),
    hidden = (hidden::jsonb #- '{relationships,main_image}')::json
  WHERE store_id = OLD.store_id AND main_image_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_main_image AFTER DELETE ON files FOR EACH ROW EXECUTE FUNCTION forget_main_image();
