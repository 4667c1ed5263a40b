CREATE TABLE product_variations (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT product_variations_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX product_variations_by_created_at ON product_variations (store_id, created_at, id);
CREATE INDEX product_variations_by_updated_at ON product_variations (store_id, updated_at, id);
CALL track('product_variations', $$'product-variation'$$);

CREATE TABLE product_variation_options (
  store_id uuid NOT NULL,
  variation_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT product_variation_options_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT product_variation_options_parent_fkey FOREIGN KEY (store_id, variation_id)
    REFERENCES product_variations ON DELETE CASCADE,
  -- What is below an option names its variation too.
  CONSTRAINT product_variation_options_id_key UNIQUE (store_id, variation_id, id)
);
CREATE INDEX product_variation_options_by_created_at
  ON product_variation_options (store_id, variation_id, created_at, id);
CREATE INDEX product_variation_options_by_updated_at
  ON product_variation_options (store_id, variation_id, updated_at, id);
CALL track('product_variation_options', $$'product-variation-option'$$, '{variation_id}');

CREATE TABLE product_variation_modifiers (
  store_id uuid NOT NULL,
  variation_id uuid NOT NULL,
  option_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  type text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'type') STORED NOT NULL,
  CONSTRAINT product_variation_modifiers_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT product_variation_modifiers_parent_fkey FOREIGN KEY (store_id, variation_id, option_id)
    REFERENCES product_variation_options (store_id, variation_id, id) ON DELETE CASCADE,
  CONSTRAINT product_variation_modifiers_type_key UNIQUE (store_id, variation_id, option_id, type)
);
CREATE INDEX product_variation_modifiers_by_created_at
  ON product_variation_modifiers (store_id, variation_id, option_id, created_at, id);
CREATE INDEX product_variation_modifiers_by_id ON product_variation_modifiers (store_id, variation_id, option_id, id);
CREATE INDEX product_variation_modifiers_by_updated_at
  ON product_variation_modifiers (store_id, variation_id, option_id, updated_at, id);
CALL track('product_variation_modifiers', $$'product-variation-modifier'$$, '{option_id}');

-- The variations of a product, as its links say: which products have one is asked where it is changed.
ALTER TABLE products ADD COLUMN variations jsonb
  GENERATED ALWAYS AS ((hidden #> '{relationships,variations,data}')::jsonb) STORED;
CREATE INDEX products_by_variations ON products USING gin (variations jsonb_path_ops) WHERE variations IS NOT NULL;

-- Each product that is deleted is asked for its children, which most have none of. A parent of thousands makes the
-- planner guess that any has as many, so it plans the question anew for each product: that takes longer than to answer.
ALTER TABLE products ALTER parent_id SET (n_distinct = -1);
