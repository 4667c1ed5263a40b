-- The words of values: a filter by a word is an index look-up. What stands for a word of a field's values is worked out
-- from both, as for a value (see server/publishing/value-id.ts). Rows that are there are written anew by a job.
ALTER TABLE published_texts ADD COLUMN word_ids bigint[] NOT NULL DEFAULT '{}';
DROP INDEX published_texts_by_words_and_values;
CREATE INDEX published_texts_by_words_and_values
  ON published_texts USING gin (catalog_id, words, value_ids, word_ids);

-- Products that have any of many values, or of many words, or all words of any of many lists. Each is looked up in the
-- index; where values and words find much, those of all products are gone through once instead. A plan that compares
-- all of them with each product takes as long as both multiplied.
CREATE FUNCTION published_with_any(store uuid, catalog uuid, edition integer, ids bigint[], words bigint[], lists text[])
RETURNS SETOF uuid LANGUAGE sql STABLE AS $$
  WITH found AS MATERIALIZED (
    SELECT f.id FROM (
      SELECT l.id FROM unnest(ids) w (id) CROSS JOIN LATERAL (
        SELECT t.id FROM published_texts t
        WHERE t.store_id = store AND t.catalog_id = catalog AND t.since <= edition AND t.until > edition
          AND t.value_ids @> ARRAY[w.id]
      ) l
      UNION ALL
      SELECT l.id FROM unnest(words) w (id) CROSS JOIN LATERAL (
        SELECT t.id FROM published_texts t
        WHERE t.store_id = store AND t.catalog_id = catalog AND t.since <= edition AND t.until > edition
          AND t.word_ids @> ARRAY[w.id]
      ) l
    ) f LIMIT 2000
  )
  SELECT f.id FROM found f WHERE (SELECT count(*) FROM found) < 2000
  UNION ALL
  SELECT u.id FROM (
    SELECT t.id, unnest(t.value_ids) AS part FROM published_texts t
    WHERE t.store_id = store AND t.catalog_id = catalog AND t.since <= edition AND t.until > edition
      AND (SELECT count(*) FROM found) = 2000
  ) u WHERE u.part IN (SELECT unnest(ids))
  UNION ALL
  SELECT u.id FROM (
    SELECT t.id, unnest(t.word_ids) AS part FROM published_texts t
    WHERE t.store_id = store AND t.catalog_id = catalog AND t.since <= edition AND t.until > edition
      AND (SELECT count(*) FROM found) = 2000
  ) u WHERE u.part IN (SELECT unnest(words))
  UNION ALL
  SELECT l.id FROM unnest(lists) w (list) CROSS JOIN LATERAL (
        SELECT t.id FROM published_texts t
        WHERE t.store_id = store AND t.catalog_id = catalog AND t.since <= edition AND t.until > edition
          AND t.word_ids @> w.list::bigint[]
      ) l
$$;

-- By these the values of a facet are looked up as they are typed.
ALTER TABLE published_values ADD COLUMN words tsvector NOT NULL DEFAULT '';

-- How the rows for searches of an edition are written: see `searchForm` in server/publishing/searchable.ts.
ALTER TABLE catalog_editions ADD COLUMN search_form smallint NOT NULL DEFAULT 1;
