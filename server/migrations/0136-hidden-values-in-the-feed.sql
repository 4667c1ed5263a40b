-- Events show objects as their responses do, also where these are made of hidden values. Here are those, by table: what
-- `hidden` of each resource's responses needs, and no secret. See docs/decisions/0060-events.md.

-- A cart has a summary of these, since its contents may be megabytes. A column has it, too: the trigger that fills the
-- columns parses the hidden values already.
ALTER TABLE carts ADD COLUMN summary json;
CREATE OR REPLACE FUNCTION fill_cart_columns() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  days integer;
BEGIN
  SELECT h.customers, h.accounts, h.expiry_days, h.summary INTO NEW.customers, NEW.accounts, days, NEW.summary
    FROM json_to_record(NEW.hidden) AS h (customers jsonb, accounts jsonb, expiry_days integer, summary json);
  NEW.customer_id := (NEW.customers->>0)::uuid;
  -- In UTC: a time zone would make the sum depend on the session.
  NEW.expires_at := (NEW.updated_at AT TIME ZONE 'UTC') + days * interval '24 hours';
  RETURN NEW;
END $$;

-- Carts of before get theirs here. This is no change of them: they keep their versions.
UPDATE carts SET hidden = jsonb_set(hidden::jsonb, '{summary}', (
  SELECT jsonb_build_object('expiry_days', h->'expiry_days',
    'priced', (h->'priced') - '{lines,promotions,messages,shippingGroups}'::text[],
    'contents', jsonb_build_object(
      'lines', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', one->'id', 'kind', one->'kind') ORDER BY place), '[]')
        FROM jsonb_array_elements(h#>'{contents,lines}') WITH ORDINALITY listed (one, place)),
      'customDiscounts', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', one->'id') ORDER BY place), '[]')
        FROM jsonb_array_elements(h#>'{contents,customDiscounts}') WITH ORDINALITY listed (one, place)),
      'shippingGroups', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', one->'id') ORDER BY place), '[]')
        FROM jsonb_array_elements(h#>'{contents,shippingGroups}') WITH ORDINALITY listed (one, place))))
  FROM (SELECT hidden::jsonb AS h OFFSET 0) whole))::json
WHERE hidden IS NOT NULL;
CALL track('carts', $$'cart'$$, personal => true, hidden => $$json_build_object('customers', r.customers,
  'accounts', r.accounts, 'expiry_days', r.summary->'expiry_days', 'priced', r.summary->'priced',
  'contents', r.summary->'contents')$$);
CALL track('orders', $$'order'$$, personal => true, hidden => $$(
  SELECT json_strip_nulls(row_to_json(h)) FROM json_to_record(r.hidden) h (currency json, prices json, payments json,
    fully_paid_at json, is_manual json, customer_id json, account_id json, account_member_id json, item_ids json,
    custom_discount_ids json, promotion_ids json))$$);
CALL track('order_transactions', $$'transaction'$$, '{order_id}', counted => false, hidden =>
  $$json_build_object('notation', r.hidden->'notation')$$);
CALL track('gateways', $$'gateway'$$, counted => false, hidden =>
  $$json_build_object('secret_names', r.hidden->'secret_names')$$);
CALL track('integrations', $$'integration'$$, counted => false, hidden =>
  $$json_build_object('open_settings', r.hidden->'open_settings')$$);
CALL track('files', $$'file'$$, hidden => $$json_strip_nulls(json_build_object('location', r.hidden->'location',
  'width', r.hidden->'width', 'height', r.hidden->'height'))$$);
CALL track('catalog_releases', $$'catalog-release'$$, '{catalog_id}', hidden => 'r.hidden');
CALL track('catalog_rules', $$'catalog_rule'$$, hidden => $$CASE WHEN r.hidden#>'{pending,waits_for}' IS NOT NULL THEN
  json_build_object('pending', json_build_object('waits_for', r.hidden#>'{pending,waits_for}')) END$$);
CALL track('entries',
  $$coalesce((SELECT a.api_type FROM custom_apis a WHERE a.store_id = r.store_id AND a.id = r.custom_api_id), 'custom_entry')$$,
  '{custom_api_id}', hidden =>
  $$json_build_object('meta', json_build_object('data_size', r.hidden#>'{meta,data_size}'))$$);
