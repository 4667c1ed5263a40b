-- Which chapters have given a store what every store has from its first day. A chapter that comes later gives it to the
-- stores that are there already.
CREATE TABLE first_days (
  store_id uuid NOT NULL REFERENCES stores ON DELETE CASCADE,
  chapter text NOT NULL,
  given_at timestamptz(3) NOT NULL,
  CONSTRAINT first_days_pkey PRIMARY KEY (store_id, chapter)
);

-- Stores of before this version have their realms.
INSERT INTO first_days SELECT id, 'identity', created_at FROM stores;
