-- Who has paid orders, in part or as a whole, or has had money authorized for them: some codes are for new shoppers
-- only. The first payment of an order adds its rows. See server/promotion-codes/paying-shoppers.ts.
CREATE TABLE paying_shoppers (
  store_id uuid NOT NULL,
  -- A customer, an account or an email address, as codes count their uses by.
  shopper text COLLATE "C" NOT NULL,
  order_id uuid NOT NULL,
  CONSTRAINT paying_shoppers_pkey PRIMARY KEY (store_id, shopper, order_id)
);
-- To forget the email address of an order.
CREATE INDEX paying_shoppers_by_order ON paying_shoppers (store_id, order_id);

INSERT INTO paying_shoppers (store_id, shopper, order_id)
SELECT o.store_id, keys.shopper, o.id FROM orders o, unnest(ARRAY[
    'customer:' || o.customer_id,
    'account:' || o.account_id,
    CASE WHEN o.doc->>'anonymized' IS DISTINCT FROM 'true'
      THEN 'email:' || lower(coalesce(o.email, o.contact_email) COLLATE "default") END
  ]) keys (shopper)
WHERE o.payment <> 'unpaid' AND keys.shopper IS NOT NULL
ON CONFLICT DO NOTHING;
