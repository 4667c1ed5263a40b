-- What orders come to in each quarter of an hour, and, so that few rows are read, in each hour and each day of UTC.
-- Hours, days and weeks of every time zone consist of quarters, and most of hours.
CREATE TABLE order_sums (
  store_id uuid NOT NULL,
  currency text COLLATE "C" NOT NULL,
  grain text COLLATE "C" NOT NULL,
  at timestamptz(3) NOT NULL,
  orders bigint NOT NULL,
  value numeric NOT NULL,
  discount numeric NOT NULL,
  CONSTRAINT order_sums_pkey PRIMARY KEY (store_id, currency, grain, at) INCLUDE (orders, value, discount),
  CONSTRAINT order_sums_grain_check CHECK (grain IN ('quarter', 'hour', 'day'))
);

-- What is not yet added to the sums, by the quarter of an hour. Each write of an order appends to it, so that checkouts
-- never wait for each other; a chore adds it to the sums.
CREATE TABLE order_sum_changes (
  store_id uuid NOT NULL,
  currency text COLLATE "C" NOT NULL,
  at timestamptz(3) NOT NULL,
  orders bigint NOT NULL,
  value numeric NOT NULL,
  discount numeric NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX order_sum_changes_by_at ON order_sum_changes (store_id, currency, at);

-- Cancelled orders do not count. Discounts are stored as negative numbers, and counted as positive ones.
CREATE FUNCTION sum_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.status <> 'cancelled' THEN
    INSERT INTO order_sum_changes VALUES (OLD.store_id, OLD.currency,
      date_bin('15 minutes', OLD.created_at, '2000-01-01Z'), -1, -OLD.with_tax,
      coalesce((OLD.hidden#>>'{prices,discount}')::bigint, 0));
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.status <> 'cancelled' THEN
    INSERT INTO order_sum_changes VALUES (NEW.store_id, NEW.currency,
      date_bin('15 minutes', NEW.created_at, '2000-01-01Z'), 1, NEW.with_tax,
      -coalesce((NEW.hidden#>>'{prices,discount}')::bigint, 0));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER sum_order AFTER INSERT OR DELETE ON orders FOR EACH ROW EXECUTE FUNCTION sum_order();
CREATE TRIGGER sum_changed_order AFTER UPDATE ON orders FOR EACH ROW
  WHEN ((OLD.status = 'cancelled', OLD.currency, OLD.created_at, OLD.with_tax, OLD.hidden#>>'{prices,discount}')
    IS DISTINCT FROM (NEW.status = 'cancelled', NEW.currency, NEW.created_at, NEW.with_tax, NEW.hidden#>>'{prices,discount}'))
  EXECUTE FUNCTION sum_order();

-- The triggers keep others from writing orders until this is committed.
INSERT INTO order_sums
SELECT store_id, currency, 'quarter', date_bin('15 minutes', created_at, '2000-01-01Z'), count(*), sum(with_tax),
  -sum(coalesce((hidden#>>'{prices,discount}')::bigint, 0))
FROM orders WHERE status <> 'cancelled' GROUP BY 1, 2, 4;
INSERT INTO order_sums
SELECT store_id, currency, g.grain, date_bin(g.length, at, '2000-01-01Z'), sum(orders), sum(value), sum(discount)
FROM order_sums, (VALUES ('hour', interval '1 hour'), ('day', interval '24 hours')) g (grain, length)
GROUP BY 1, 2, 3, 4;

-- Sums of the orders with a promotion, or with a code.
CREATE INDEX orders_by_promotion_ids ON orders USING gin (((hidden->'promotion_ids')::jsonb) jsonb_path_ops);
CREATE INDEX standard_promotion_usages_by_code_of_store ON standard_promotion_usages (store_id, code, order_id);
CREATE INDEX rule_promotion_usages_by_code_of_store ON rule_promotion_usages (store_id, code, order_id);
