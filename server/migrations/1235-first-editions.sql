-- Their successors have no rows of first editions: see 1233-later-price-spans.sql. The previous version finds what a
-- later edition has brought without them too, by going through the catalog.
DROP INDEX published_price_spans_by_since;
DROP INDEX published_prices_by_since;
