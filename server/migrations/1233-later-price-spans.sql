-- What editions after the first have brought. The first brings all rows of a catalog, and needs no index to find them.
CREATE INDEX CONCURRENTLY published_price_spans_by_later_since ON published_price_spans (store_id, catalog_id, since)
  WHERE since > 1
