/** The SQL of a JSON list of objects, with nothing but what the links to them need. */
const idsOf = (list: string): string =>
  `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', one->'id', 'kind', one->'kind') ORDER BY place), '[]')
    FROM jsonb_array_elements(${list}) WITH ORDINALITY listed (one, place))`

/** What a list of carts shows of the hidden values: totals, owners and ids. What is in the carts may be megabytes. */
export const hiddenInLists = (row: string): string =>
  `(SELECT jsonb_build_object(
      'customers', h->'customers', 'accounts', h->'accounts', 'expiry_days', h->'expiry_days',
      'priced', (h->'priced') - '{lines,promotions,messages,shippingGroups}'::text[],
      'contents', jsonb_build_object(
        'lines', ${idsOf("h#>'{contents,lines}'")},
        'customDiscounts', ${idsOf("h#>'{contents,customDiscounts}'")},
        'shippingGroups', ${idsOf("h#>'{contents,shippingGroups}'")}))
    FROM (SELECT ${row}hidden::jsonb AS h OFFSET 0) whole)::text`
