-- Whether a seller entered the order without a cart: lists are filtered by it.
ALTER TABLE orders ADD COLUMN manual boolean
  GENERATED ALWAYS AS (coalesce((hidden->>'is_manual')::boolean, false)) STORED NOT NULL;
CREATE INDEX orders_by_manual ON orders (store_id, manual, created_at, id);
