-- Rows of CSV files, from when they were sent until their job has gone through them. See server/product-csv/.
CREATE TABLE product_import_rows (
  store_id uuid NOT NULL,
  import_id uuid NOT NULL,
  -- Of the file, where the row begins.
  line integer NOT NULL,
  received_at timestamptz(3) NOT NULL,
  cells json NOT NULL,
  CONSTRAINT product_import_rows_pkey PRIMARY KEY (store_id, import_id, line)
);
