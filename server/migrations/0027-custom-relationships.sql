-- Kinds of links between products that a store has made up: what goes with what, what comes in its place.
CREATE TABLE custom_relationships (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'slug') STORED NOT NULL,
  CONSTRAINT custom_relationships_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT custom_relationships_slug_key UNIQUE (store_id, slug)
);
CREATE INDEX custom_relationships_by_created_at ON custom_relationships (store_id, created_at, id);
CREATE INDEX custom_relationships_by_updated_at ON custom_relationships (store_id, updated_at, id);
CREATE INDEX custom_relationships_by_slug ON custom_relationships (store_id, slug, created_at, id);
CALL track('custom_relationships', $$'custom-relationship'$$);

-- Which of them a product has; their slugs are among its hidden values too. One that a product has is not deleted.
CREATE TABLE product_custom_relationships (
  store_id uuid NOT NULL,
  product_id uuid NOT NULL,
  id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT product_custom_relationships_pkey PRIMARY KEY (store_id, product_id, id),
  CONSTRAINT product_custom_relationships_product_fkey FOREIGN KEY (store_id, product_id)
    REFERENCES products ON DELETE CASCADE,
  CONSTRAINT product_custom_relationships_id_fkey FOREIGN KEY (store_id, id) REFERENCES custom_relationships
);
CREATE INDEX product_custom_relationships_by_id ON product_custom_relationships (store_id, id);

-- The products that a product is associated with by one of them; each row goes by the id of such a product.
CREATE TABLE associated_products (
  store_id uuid NOT NULL,
  product_id uuid NOT NULL,
  custom_relationship_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  -- Counts them as they come.
  number bigint NOT NULL,
  -- Those with a sort_order before those without, the lowest first; then in the order they came in. A sort_order is a
  -- whole number within 2^53.
  place numeric GENERATED ALWAYS AS (
    coalesce((doc->'attributes'->>'sort_order')::numeric, 9007199254740992) * 1000000000000 + number
  ) STORED NOT NULL,
  CONSTRAINT associated_products_pkey PRIMARY KEY (store_id, product_id, custom_relationship_id, id),
  CONSTRAINT associated_products_product_fkey FOREIGN KEY (store_id, product_id, custom_relationship_id)
    REFERENCES product_custom_relationships ON DELETE CASCADE,
  CONSTRAINT associated_products_id_fkey FOREIGN KEY (store_id, id) REFERENCES products ON DELETE CASCADE
);
CREATE INDEX associated_products_by_place
  ON associated_products (store_id, product_id, custom_relationship_id, place, id);
CREATE INDEX associated_products_by_id ON associated_products (store_id, id);
