-- step: contract
-- Their successors have no rows of first editions: see 1233-later-price-spans.sql.
DROP INDEX published_price_spans_by_since;
DROP INDEX published_prices_by_since;
