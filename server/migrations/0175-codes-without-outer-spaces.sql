-- Codes are compared without white space at their ends, so those that were stored with some lose it. Where a promotion
-- has the same code without it, or another promotion holds that, the code stays as it is.
CREATE FUNCTION pg_temp.bare_code(code text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT regexp_replace(code, '^[\s\u00a0\ufeff]+|[\s\u00a0\ufeff]+$', '', 'g')
$$;

WITH spaced AS MATERIALIZED (
  SELECT store_id, promotion_id, id, lower(pg_temp.bare_code(doc->>'code') COLLATE "default") COLLATE "C" AS code
  FROM rule_promotion_codes WHERE doc->>'code' <> pg_temp.bare_code(doc->>'code')
), first AS (
  SELECT s.*, row_number() OVER (PARTITION BY store_id, promotion_id, code ORDER BY id) AS place
  FROM spaced s
)
UPDATE rule_promotion_codes c
SET doc = jsonb_set(c.doc::jsonb, '{code}', to_jsonb(pg_temp.bare_code(c.doc->>'code')))::json, version = c.version + 1,
  updated_at = greatest(c.updated_at, fenced(clock_timestamp()))
FROM first f
WHERE c.store_id = f.store_id AND c.id = f.id AND f.place = 1
  AND NOT EXISTS (SELECT FROM rule_promotion_codes other WHERE other.store_id = f.store_id AND other.code = f.code
    AND other.promotion_id = f.promotion_id);

WITH spaced AS MATERIALIZED (
  SELECT store_id, promotion_id, id, is_held, lower(pg_temp.bare_code(doc->>'code') COLLATE "default") COLLATE "C" AS code
  FROM standard_promotion_codes WHERE doc->>'code' <> pg_temp.bare_code(doc->>'code')
), first AS (
  SELECT s.*, row_number() OVER (PARTITION BY store_id, promotion_id, code ORDER BY id) AS place,
    row_number() OVER (PARTITION BY store_id, is_held, code ORDER BY id) AS place_of_held
  FROM spaced s
)
UPDATE standard_promotion_codes c
SET doc = jsonb_set(c.doc::jsonb, '{code}', to_jsonb(pg_temp.bare_code(c.doc->>'code')))::json, version = c.version + 1,
  updated_at = greatest(c.updated_at, fenced(clock_timestamp()))
FROM first f
WHERE c.store_id = f.store_id AND c.id = f.id AND f.place = 1 AND (f.place_of_held = 1 OR NOT f.is_held)
  AND NOT EXISTS (SELECT FROM standard_promotion_codes other WHERE other.store_id = f.store_id AND other.code = f.code
    AND (other.promotion_id = f.promotion_id OR other.is_held AND f.is_held));

DROP FUNCTION pg_temp.bare_code;
