-- The columns of tables that requests write often: see docs/decisions/0109-filled-columns.md.

CREATE FUNCTION fill_account_columns() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  doc jsonb := NEW.doc;
BEGIN
  NEW.name := doc->>'name';
  NEW.legal_name := doc->>'legal_name';
  NEW.registration_id := doc->>'registration_id';
  NEW.external_ref := doc->>'external_ref';
  NEW.parent_id := doc->>'parent_id';
  NEW.account_tags := doc #> '{relationships,account_tags,data}';
  RETURN NEW;
END $$;

ALTER TABLE accounts
  ALTER name DROP EXPRESSION, ALTER legal_name DROP EXPRESSION, ALTER registration_id DROP EXPRESSION,
  ALTER external_ref DROP EXPRESSION, ALTER parent_id DROP EXPRESSION, ALTER account_tags DROP EXPRESSION;
CREATE TRIGGER fill_account_columns BEFORE INSERT OR UPDATE OF doc ON accounts
  FOR EACH ROW EXECUTE FUNCTION fill_account_columns();
ALTER TABLE accounts ENABLE ALWAYS TRIGGER fill_account_columns;

CREATE FUNCTION fill_product_columns() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  attributes jsonb := NEW.doc->'attributes';
  hidden jsonb := NEW.hidden;
BEGIN
  NEW.name := attributes->>'name';
  NEW.sku := attributes->>'sku';
  NEW.slug := attributes->>'slug';
  NEW.upc_ean := attributes->>'upc_ean';
  NEW.mpn := attributes->>'mpn';
  NEW.external_ref := attributes->>'external_ref';
  NEW.description := attributes->>'description';
  NEW.status := attributes->>'status';
  NEW.commodity_type := attributes->>'commodity_type';
  NEW.product_type := hidden->>'product_type';
  NEW.parent_id := hidden->>'parent_id';
  NEW.main_image_id := hidden #>> '{relationships,main_image,data,id}';
  NEW.variations := hidden #> '{relationships,variations,data}';
  RETURN NEW;
END $$;

ALTER TABLE products
  ALTER name DROP EXPRESSION, ALTER sku DROP EXPRESSION, ALTER slug DROP EXPRESSION, ALTER upc_ean DROP EXPRESSION,
  ALTER mpn DROP EXPRESSION, ALTER external_ref DROP EXPRESSION, ALTER description DROP EXPRESSION,
  ALTER status DROP EXPRESSION, ALTER commodity_type DROP EXPRESSION, ALTER product_type DROP EXPRESSION,
  ALTER parent_id DROP EXPRESSION, ALTER main_image_id DROP EXPRESSION, ALTER variations DROP EXPRESSION;
CREATE TRIGGER fill_product_columns BEFORE INSERT OR UPDATE OF doc, hidden ON products
  FOR EACH ROW EXECUTE FUNCTION fill_product_columns();
ALTER TABLE products ENABLE ALWAYS TRIGGER fill_product_columns;

CREATE OR REPLACE FUNCTION fill_cart_columns() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  doc jsonb := NEW.doc;
  hidden jsonb := NEW.hidden;
BEGIN
  NEW.reference := doc->>'id';
  NEW.name := doc->>'name';
  NEW.customers := hidden->'customers';
  NEW.customer_id := hidden #>> '{customers,0}';
  NEW.accounts := hidden->'accounts';
  -- In UTC: a time zone would make the sum depend on the session.
  NEW.expires_at := (NEW.updated_at AT TIME ZONE 'UTC') + (hidden->>'expiry_days')::integer * interval '24 hours';
  RETURN NEW;
END $$;

ALTER TABLE carts ALTER reference DROP EXPRESSION, ALTER name DROP EXPRESSION;

CREATE FUNCTION fill_order_columns() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  doc jsonb := NEW.doc;
  hidden jsonb := NEW.hidden;
BEGIN
  NEW.status := doc->>'status';
  NEW.payment := doc->>'payment';
  NEW.shipping := doc->>'shipping';
  NEW.order_number := doc->>'order_number';
  NEW.external_ref := doc->>'external_ref';
  NEW.name := doc #>> '{customer,name}';
  NEW.email := doc #>> '{customer,email}';
  NEW.contact_name := doc #>> '{contact,name}';
  NEW.contact_email := doc #>> '{contact,email}';
  NEW.shipping_postcode := left(doc #>> '{shipping_address,postcode}', 255);
  NEW.billing_postcode := left(doc #>> '{billing_address,postcode}', 255);
  NEW.shipping_name := left((doc #>> '{shipping_address,first_name}') || ' ' ||
    (doc #>> '{shipping_address,last_name}'), 255);
  NEW.billing_name := left((doc #>> '{billing_address,first_name}') || ' ' ||
    (doc #>> '{billing_address,last_name}'), 255);
  NEW.customer_id := hidden->>'customer_id';
  NEW.account_id := hidden->>'account_id';
  NEW.account_member_id := hidden->>'account_member_id';
  NEW.currency := hidden #>> '{currency,code}';
  NEW.with_tax := hidden #>> '{prices,with_tax}';
  NEW.without_tax := hidden #>> '{prices,without_tax}';
  NEW.discount := -coalesce((hidden #>> '{prices,discount}')::bigint, 0);
  NEW.paid := hidden #>> '{payments,paid}';
  NEW.authorized := hidden #>> '{payments,authorized}';
  NEW.pending := hidden #>> '{payments,pending}';
  NEW.product_ids := hidden->'product_ids';
  NEW.product_skus := hidden->'product_skus';
  NEW.cart_id := hidden #>> '{cart,id}';
  NEW.cart_version := hidden #>> '{cart,version}';
  NEW.manual := coalesce((hidden->>'is_manual')::boolean, false);
  RETURN NEW;
END $$;

ALTER TABLE orders
  ALTER status DROP EXPRESSION, ALTER payment DROP EXPRESSION, ALTER shipping DROP EXPRESSION,
  ALTER order_number DROP EXPRESSION, ALTER external_ref DROP EXPRESSION, ALTER name DROP EXPRESSION,
  ALTER email DROP EXPRESSION, ALTER contact_name DROP EXPRESSION, ALTER contact_email DROP EXPRESSION,
  ALTER shipping_postcode DROP EXPRESSION, ALTER billing_postcode DROP EXPRESSION,
  ALTER shipping_name DROP EXPRESSION, ALTER billing_name DROP EXPRESSION, ALTER customer_id DROP EXPRESSION,
  ALTER account_id DROP EXPRESSION, ALTER account_member_id DROP EXPRESSION, ALTER currency DROP EXPRESSION,
  ALTER with_tax DROP EXPRESSION, ALTER without_tax DROP EXPRESSION, ALTER discount DROP EXPRESSION,
  ALTER paid DROP EXPRESSION, ALTER authorized DROP EXPRESSION, ALTER pending DROP EXPRESSION,
  ALTER product_ids DROP EXPRESSION, ALTER product_skus DROP EXPRESSION, ALTER cart_id DROP EXPRESSION,
  ALTER cart_version DROP EXPRESSION, ALTER manual DROP EXPRESSION;
CREATE TRIGGER fill_order_columns BEFORE INSERT OR UPDATE OF doc, hidden ON orders
  FOR EACH ROW EXECUTE FUNCTION fill_order_columns();
ALTER TABLE orders ENABLE ALWAYS TRIGGER fill_order_columns;
