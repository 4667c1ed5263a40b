-- The tables of the workshop, as a migration would create them.

CREATE TABLE gadgets (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  code text COLLATE "C" GENERATED ALWAYS AS (doc->>'code') STORED NOT NULL,
  CONSTRAINT gadgets_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT gadgets_code_key UNIQUE (store_id, code),
  CONSTRAINT gadgets_code_check CHECK (code ~ '^[A-Z]{3}$')
);
CREATE INDEX gadgets_by_created_at ON gadgets (store_id, created_at, id);
CREATE INDEX gadgets_by_updated_at ON gadgets (store_id, updated_at, id);
CALL track('gadgets', $$'gadget'$$);

CREATE TABLE widgets (
  store_id uuid NOT NULL,
  gadget_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'slug') STORED NOT NULL,
  serial integer GENERATED ALWAYS AS ((doc->'attributes'->>'serial')::integer) STORED NOT NULL,
  CONSTRAINT widgets_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT widgets_parent_fkey FOREIGN KEY (store_id, gadget_id) REFERENCES gadgets ON DELETE CASCADE,
  CONSTRAINT widgets_slug_key UNIQUE (store_id, gadget_id, slug),
  CONSTRAINT widgets_serial_key UNIQUE (store_id, gadget_id, serial),
  CONSTRAINT widgets_serial_check CHECK (serial BETWEEN 1 AND 999999)
);
CREATE INDEX widgets_by_created_at ON widgets (store_id, gadget_id, created_at, id);
CREATE INDEX widgets_by_id ON widgets (store_id, gadget_id, id);
CREATE INDEX widgets_by_updated_at ON widgets (store_id, gadget_id, updated_at, id);
CALL track('widgets', $$'widget'$$, '{gadget_id}');

CREATE TABLE things (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  title text COLLATE "C" GENERATED ALWAYS AS (doc->>'title') STORED NOT NULL,
  contact_email text COLLATE "C" GENERATED ALWAYS AS (doc->'contact'->>'email') STORED,
  CONSTRAINT things_pkey PRIMARY KEY (store_id, id)
);
CREATE INDEX things_by_created_at ON things (store_id, created_at, id);
CREATE INDEX things_by_updated_at ON things (store_id, updated_at, id);
CREATE INDEX things_by_title ON things (store_id, title, id) INCLUDE (created_at);
CREATE INDEX things_by_contact_email ON things (store_id, left(contact_email, 128), created_at, id);
CALL track('things', $$'thing'$$);

CREATE TABLE crates (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  reference text COLLATE "C" GENERATED ALWAYS AS (doc->>'id') STORED NOT NULL,
  CONSTRAINT crates_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT crates_reference_key UNIQUE (store_id, reference)
);
CREATE INDEX crates_by_created_at ON crates (store_id, created_at, id);
CREATE INDEX crates_by_updated_at ON crates (store_id, updated_at, id);
CALL track('crates', $$'crate'$$);

CREATE TABLE crate_things (
  store_id uuid NOT NULL,
  crate_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT crate_things_pkey PRIMARY KEY (store_id, crate_id, id),
  CONSTRAINT crate_things_parent_fkey FOREIGN KEY (store_id, crate_id) REFERENCES crates ON DELETE CASCADE,
  CONSTRAINT crate_things_target_fkey FOREIGN KEY (store_id, id) REFERENCES things ON DELETE CASCADE
);
CREATE INDEX crate_things_by_created_at ON crate_things (store_id, crate_id, created_at, id);

CREATE TABLE paper_carts (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  reference text COLLATE "C" GENERATED ALWAYS AS (doc->>'id') STORED NOT NULL,
  CONSTRAINT paper_carts_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT paper_carts_reference_key UNIQUE (store_id, reference)
);
CREATE INDEX paper_carts_by_created_at ON paper_carts (store_id, created_at, id);
CREATE INDEX paper_carts_by_updated_at ON paper_carts (store_id, updated_at, id);
CALL track('paper_carts', $$'paper-cart'$$);

CREATE TABLE paper_cart_things (
  store_id uuid NOT NULL,
  paper_cart_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT paper_cart_things_pkey PRIMARY KEY (store_id, paper_cart_id, id),
  CONSTRAINT paper_cart_things_parent_fkey FOREIGN KEY (store_id, paper_cart_id) REFERENCES paper_carts ON DELETE CASCADE,
  CONSTRAINT paper_cart_things_target_fkey FOREIGN KEY (store_id, id) REFERENCES things ON DELETE CASCADE
);
CREATE INDEX paper_cart_things_by_created_at ON paper_cart_things (store_id, paper_cart_id, created_at, id);

CREATE TABLE paper_lines (
  store_id uuid NOT NULL,
  paper_cart_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT paper_lines_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT paper_lines_parent_fkey FOREIGN KEY (store_id, paper_cart_id) REFERENCES paper_carts ON DELETE CASCADE
);
CREATE INDEX paper_lines_by_created_at ON paper_lines (store_id, paper_cart_id, created_at, id);
CALL track('paper_lines', $$'paper-line'$$, '{paper_cart_id}', counted => false);
