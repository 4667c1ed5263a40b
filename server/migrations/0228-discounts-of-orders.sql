-- What the discounts of an order come to, as metrics count it. Read from `hidden`, it cost a filter by a product as
-- much as the orders themselves, and an update of an order twice.
ALTER TABLE orders ADD COLUMN discount bigint
  GENERATED ALWAYS AS (-coalesce((hidden#>>'{prices,discount}')::bigint, 0)) STORED NOT NULL;

CREATE OR REPLACE FUNCTION sum_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.status <> 'cancelled' THEN
    INSERT INTO order_sum_changes VALUES (OLD.store_id, OLD.currency,
      date_bin('15 minutes', OLD.created_at, '2000-01-01Z'), -1, -OLD.with_tax, -OLD.discount);
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.status <> 'cancelled' THEN
    INSERT INTO order_sum_changes VALUES (NEW.store_id, NEW.currency,
      date_bin('15 minutes', NEW.created_at, '2000-01-01Z'), 1, NEW.with_tax, NEW.discount);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER sum_changed_order AFTER UPDATE ON orders FOR EACH ROW
  WHEN ((OLD.status = 'cancelled', OLD.currency, OLD.created_at, OLD.with_tax, OLD.discount)
    IS DISTINCT FROM (NEW.status = 'cancelled', NEW.currency, NEW.created_at, NEW.with_tax, NEW.discount))
  EXECUTE FUNCTION sum_order();
