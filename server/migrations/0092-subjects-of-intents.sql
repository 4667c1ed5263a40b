-- What a call to another server changes. While one has no outcome, there is no other.
ALTER TABLE intents ADD subject uuid;
CREATE UNIQUE INDEX intents_open_key ON intents (store_id, subject) WHERE ended_at IS NULL;

-- What a gateway calls a payment names one transaction, so a webhook finds it. The manual gateway has no names.
CREATE UNIQUE INDEX order_transactions_reference_key ON order_transactions (store_id, (doc->>'reference'))
  WHERE doc->>'gateway' <> 'manual' AND doc->>'reference' IS NOT NULL;
