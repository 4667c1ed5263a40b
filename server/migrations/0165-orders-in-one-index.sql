-- A filter of several terms that most orders meet, such as eq(status,complete):gt(with_tax,100), read all orders: no
-- index had all that it compares. Each change of an order writes this entry anyway, because it changes updated_at.
DROP INDEX orders_by_updated_at;
CREATE INDEX orders_by_updated_at ON orders (store_id, updated_at, id)
  INCLUDE (created_at, payment, shipping, status, currency, manual, with_tax, without_tax);
