-- Payments that a merchant has to look at.
CREATE INDEX order_transactions_by_concern ON order_transactions (store_id, updated_at, id)
  WHERE hidden->>'concern' IS NOT NULL;
