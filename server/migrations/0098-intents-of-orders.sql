-- A webhook names the payment intent that an order has from its cart, until the intent is a transaction.
CREATE INDEX orders_by_payment_intent ON orders (store_id, (doc->>'payment_intent_id'))
  WHERE doc->>'payment_intent_id' IS NOT NULL;
