-- The payments of orders: see docs/payments.md.
CREATE TABLE order_transactions (
  store_id uuid NOT NULL,
  order_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT order_transactions_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT order_transactions_parent_fkey FOREIGN KEY (store_id, order_id) REFERENCES orders ON DELETE CASCADE,
  -- No refund exceeds its payment.
  CONSTRAINT order_transactions_refund_check CHECK ((doc->>'amount')::bigint >= (doc->>'refunded_amount')::bigint
    AND (doc->>'refunded_amount')::bigint >= 0)
);
CREATE INDEX order_transactions_by_created_at ON order_transactions (store_id, order_id, created_at, id);
CALL track('order_transactions', $$'transaction'$$, '{order_id}', counted => false);
