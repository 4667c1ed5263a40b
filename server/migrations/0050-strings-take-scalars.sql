-- The string fields that flows add take numbers and booleans as text. Fields say so since they were defined with this
-- version; those that are there already say it from now on.
UPDATE added_fields AS a
SET fields = (
  SELECT json_agg(
    CASE
      WHEN field->'schema'->>'format' IS DISTINCT FROM 'day' AND (field->'schema'->'type')::jsonb ? 'string'
      THEN (field::jsonb || '{"takesScalars": true}')::json
      ELSE field
    END ORDER BY place
  )
  FROM json_array_elements(a.fields::json) WITH ORDINALITY AS each (field, place)
);
