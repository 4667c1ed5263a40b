-- Payment intents of carts that shoppers have paid, and that no order has: see docs/payments.md.
CREATE TABLE unclaimed_intents (
  store_id uuid NOT NULL,
  -- What the gateway calls the payment.
  reference text COLLATE "C" NOT NULL,
  gateway text NOT NULL,
  cart_id uuid NOT NULL,
  -- The id of the cart that clients use.
  cart text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT unclaimed_intents_pkey PRIMARY KEY (store_id, reference)
);

-- A webhook names the payment intent of a cart.
CREATE INDEX carts_by_payment_intent ON carts (store_id, (doc->>'payment_intent_id'))
  WHERE doc->>'payment_intent_id' IS NOT NULL;
