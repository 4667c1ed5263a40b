-- See 1233-later-price-spans.sql.
CREATE INDEX CONCURRENTLY published_prices_by_later_since ON published_prices (store_id, catalog_id, since)
  WHERE since > 1
