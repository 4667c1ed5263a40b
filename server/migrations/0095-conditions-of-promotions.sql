-- How much work a promotion is for each change of a cart: see docs/decisions/0052-conditions.md. Names of members are
-- counted in the text: a text inside it that has such a name has a backslash before its quotation marks.
CREATE FUNCTION count_of(part text, whole text) RETURNS integer LANGUAGE sql IMMUTABLE
  RETURN (length(whole) - length(replace(whole, part, ''))) / length(part);

-- Its conditions and actions.
ALTER TABLE rule_promotions ADD COLUMN conditions integer NOT NULL
  GENERATED ALWAYS AS (count_of('"strategy":', doc->>'rule_set')) STORED;

-- One for itself, and its target attributes, target conditions, requirements and gifts.
ALTER TABLE promotions ADD COLUMN conditions integer NOT NULL
  GENERATED ALWAYS AS (1 + count_of('"template":', doc->>'schema') + count_of('"node":', doc->>'schema')
    + count_of('"quantity":', doc->>'schema') + coalesce(json_array_length(doc#>'{schema,gifts}'), 0)) STORED;
