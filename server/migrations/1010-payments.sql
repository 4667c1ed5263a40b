-- The tables and routines of payments/ at the baseline: see docs/decisions/0094-baseline.md.

-- A routine may use what comes after it.
SET LOCAL check_function_bodies = off;

-- == payments/gateways ==

-- The payment gateways of a store. Every store has one row for each gateway that Sutler knows.
CREATE TABLE gateways (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  slug text COLLATE "C" GENERATED ALWAYS AS (doc->>'slug') STORED NOT NULL,
  CONSTRAINT gateways_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT gateways_slug_key UNIQUE (store_id, slug)
);
CREATE INDEX gateways_by_slug ON gateways (store_id, slug, id);
CALL track('gateways', $$'gateway'$$, counted => false, hidden =>
  $$json_build_object('secret_names', r.hidden->'secret_names')$$);

-- == payments/transactions ==

-- The payments of orders: see docs/payments.md.
CREATE TABLE order_transactions (
  store_id uuid NOT NULL,
  order_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  doc json NOT NULL,
  hidden json,
  CONSTRAINT order_transactions_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT order_transactions_parent_fkey FOREIGN KEY (store_id, order_id)
    REFERENCES orders (store_id, id) ON DELETE CASCADE,
  -- No refund exceeds its payment.
  CONSTRAINT order_transactions_refund_check CHECK ((doc->>'amount')::bigint >= (doc->>'refunded_amount')::bigint
    AND (doc->>'refunded_amount')::bigint >= 0)
);
-- Payments that a merchant has to look at.
CREATE INDEX order_transactions_by_concern ON order_transactions (store_id, updated_at, id)
  WHERE hidden->>'concern' IS NOT NULL;
CREATE INDEX order_transactions_by_created_at ON order_transactions (store_id, order_id, created_at, id);
-- What a gateway calls a payment names one transaction, so a webhook finds it. The manual gateway has no names.
CREATE UNIQUE INDEX order_transactions_reference_key ON order_transactions (store_id, (doc->>'reference'))
  WHERE doc->>'gateway' <> 'manual' AND doc->>'reference' IS NOT NULL;
CALL track('order_transactions', $$'transaction'$$, '{order_id}', counted => false, hidden =>
  $$json_build_object('notation', r.hidden->'notation')$$);

-- What each payment of an order has been through: what its gateway was asked, and what it said. The transaction is what
-- these come to: see docs/decisions/0092-payment-events.md.
CREATE TABLE transaction_events (
  store_id uuid NOT NULL,
  transaction_id uuid NOT NULL,
  id uuid NOT NULL,
  verb text COLLATE "C" NOT NULL,
  asked_at timestamptz(3) NOT NULL,
  -- Null while it is unknown what the gateway has done. Of `begin`, it is the payment as it began.
  answer json,
  -- The order of the answers.
  place integer,
  CONSTRAINT transaction_events_pkey PRIMARY KEY (store_id, id),
  CONSTRAINT transaction_events_place_key UNIQUE (store_id, transaction_id, place),
  CONSTRAINT transaction_events_transaction_fkey FOREIGN KEY (store_id, transaction_id)
    REFERENCES order_transactions (store_id, id) ON DELETE CASCADE,
  CONSTRAINT transaction_events_answer_check CHECK ((answer IS NULL) = (place IS NULL))
);
CREATE INDEX transaction_events_unanswered ON transaction_events (store_id, asked_at, id) WHERE answer IS NULL;

-- == payments/payment-calls ==

-- Payments that began with a cart, until an order records them as transactions: see docs/payments.md.
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
  CONSTRAINT cart_payments_order_fkey FOREIGN KEY (store_id, order_id)
    REFERENCES orders (store_id, id) ON DELETE CASCADE
);
CREATE INDEX cart_payments_by_held_since ON cart_payments (store_id, held_since) WHERE held_since IS NOT NULL;
CREATE INDEX cart_payments_by_order ON cart_payments (store_id, order_id) WHERE order_id IS NOT NULL;
