-- Payments that began with a cart, until an order records them as transactions. They were in carts, orders, jobs and a
-- table of what no order had: see docs/payments.md.
CREATE TABLE cart_payments (
  store_id uuid NOT NULL,
  -- What the gateway calls the payment.
  reference text COLLATE "C" NOT NULL,
  gateway text NOT NULL,
  method text,
  cart_id uuid NOT NULL,
  -- The id of the cart that clients use.
  cart text NOT NULL,
  order_id uuid,
  amount bigint NOT NULL,
  currency text NOT NULL,
  priced_at timestamptz(3) NOT NULL,
  -- What the gateway has received or holds, while no order has it.
  held bigint,
  held_since timestamptz(3),
  CONSTRAINT cart_payments_pkey PRIMARY KEY (store_id, reference),
  CONSTRAINT cart_payments_order_fkey FOREIGN KEY (store_id, order_id) REFERENCES orders ON DELETE CASCADE
);
CREATE INDEX cart_payments_by_order ON cart_payments (store_id, order_id) WHERE order_id IS NOT NULL;
CREATE INDEX cart_payments_by_held_since ON cart_payments (store_id, held_since) WHERE held_since IS NOT NULL;

INSERT INTO cart_payments
SELECT store_id, doc->>'payment_intent_id', hidden->>'payment_gateway', NULL, coalesce(cart_id, id), coalesce(cart_id, id),
  id, with_tax, currency, created_at
FROM orders WHERE doc->>'payment_intent_id' IS NOT NULL AND hidden->>'payment_gateway' IS NOT NULL
ON CONFLICT DO NOTHING;
INSERT INTO cart_payments
SELECT store_id, doc->>'payment_intent_id', hidden->>'payment_gateway', hidden->>'payment_method', id, reference, NULL,
  coalesce((hidden#>>'{priced,prices,with_tax}')::bigint, 0), coalesce(hidden#>>'{priced,currency,code}', ''), updated_at
FROM carts WHERE doc->>'payment_intent_id' IS NOT NULL AND hidden->>'payment_gateway' IS NOT NULL
ON CONFLICT DO NOTHING;
INSERT INTO cart_payments
SELECT store_id, reference, gateway, NULL, cart_id, cart, NULL, amount, currency, created_at, amount, created_at
FROM unclaimed_intents u
WHERE NOT EXISTS (SELECT FROM order_transactions t WHERE t.store_id = u.store_id
  AND t.doc->>'reference' = u.reference AND t.doc->>'gateway' <> 'manual')
ON CONFLICT (store_id, reference) DO UPDATE SET held = excluded.held, held_since = excluded.held_since;

-- Where there is no queue yet there is nothing more to do.
DO $$ BEGIN
  IF to_regclass('graphile_worker._private_jobs') IS NULL THEN RETURN; END IF;
  CREATE TEMP TABLE followed ON COMMIT DROP AS
    SELECT (j.payload->>'store')::uuid AS store_id, j.payload->>'by' AS author, j.payload->'payload' AS payload, j.run_at
    FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
    WHERE t.identifier IN ('transactions:follow-cart-intent', 'cart-payments:follow-intent');
  DELETE FROM graphile_worker._private_jobs j USING graphile_worker._private_tasks t
  WHERE t.id = j.task_id AND t.identifier IN ('transactions:follow-cart-intent', 'cart-payments:follow-intent');
  -- A cart may have lost its payment, which a shopper can still pay.
  INSERT INTO cart_payments
  SELECT store_id, payload->>'reference', payload->>'gateway', NULL, (payload->>'cartId')::uuid, payload->>'cart', NULL,
    (payload->>'amount')::bigint, payload->>'currency', (payload->>'since')::timestamptz
  FROM followed f
  WHERE payload->>'reference' IS NOT NULL AND NOT EXISTS (SELECT FROM order_transactions t
    WHERE t.store_id = f.store_id AND t.doc->>'reference' = payload->>'reference' AND t.doc->>'gateway' <> 'manual')
  ON CONFLICT DO NOTHING;
  PERFORM graphile_worker.add_job('payments:follow-cart-payment',
    json_build_object('store', p.store_id, 'by', f.author, 'payload', json_strip_nulls(json_build_object(
      'reference', p.reference, 'gateway', p.gateway, 'orderId', p.order_id))),
    max_attempts => 25, run_at => f.run_at, job_key => p.store_id || ' payment ' || p.reference ||
      CASE WHEN p.order_id IS NULL THEN ' of a cart' ELSE ' of order ' || p.order_id END)
  FROM followed f JOIN cart_payments p ON p.store_id = f.store_id
    AND (p.reference = f.payload->>'reference' OR p.order_id = (f.payload->>'orderId')::uuid);
END $$;

DROP TABLE unclaimed_intents;
-- A payment is found by its reference.
DROP INDEX carts_by_payment_intent, orders_by_payment_intent;
