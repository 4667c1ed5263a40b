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
  CONSTRAINT transaction_events_transaction_fkey
    FOREIGN KEY (store_id, transaction_id) REFERENCES order_transactions ON DELETE CASCADE,
  CONSTRAINT transaction_events_answer_check CHECK ((answer IS NULL) = (place IS NULL))
);
CREATE INDEX transaction_events_unanswered ON transaction_events (store_id, asked_at, id) WHERE answer IS NULL;

-- A payment of before begins as it stands.
INSERT INTO transaction_events (store_id, transaction_id, id, verb, asked_at, answer, place)
SELECT store_id, id, gen_random_uuid(), 'begin', updated_at, json_strip_nulls(json_build_object(
    'transaction', json_build_object('type', doc->'transaction_type', 'status', doc->'status',
      'amount', doc->'amount', 'refundedAmount', doc->'refunded_amount',
      'failedRefundAmount', doc->'failed_refund_amount', 'receivedAs', hidden->'received_as'),
    'reference', doc->'reference',
    'detailedStatus', doc#>'{payment_details,detailed_status}',
    'failure', coalesce((hidden->'merchant_failure')::jsonb || '{"isForMerchant": true}',
      (doc->'failure_details')::jsonb),
    'excess', hidden->'excess')), 0
FROM order_transactions;

INSERT INTO transaction_events (store_id, transaction_id, id, verb, asked_at)
SELECT i.store_id, t.id, i.id, i.values#>>'{question,verb}', i.created_at
FROM intents i JOIN order_transactions t ON t.store_id = i.store_id AND t.id = (i.values->>'transactionId')::uuid
WHERE i.name = 'transactions:gateway' AND i.ended_at IS NULL;
UPDATE intents SET values = jsonb_set(values::jsonb, '{eventId}', to_jsonb(id))::json
WHERE name = 'transactions:gateway' AND ended_at IS NULL;
