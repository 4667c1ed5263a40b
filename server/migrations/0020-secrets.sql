-- Which secrets something in the database may still be made with, by their fingerprints. The one that is in use is the
-- one that came into use last.
CREATE TABLE secrets (
  fingerprint text NOT NULL,
  in_use_from timestamptz(3) NOT NULL,
  CONSTRAINT secrets_pkey PRIMARY KEY (fingerprint)
);

-- The name of what is carried out once begins with the kind of its caller. Before this version it did not: one of the
-- key itself is taken for an administrator's, who may be shown any answer.
UPDATE idempotency_keys k SET key =
  CASE
    WHEN split_part(k.key, ' ', 1) = split_part(k.key, ' ', 2) THEN 'client_credentials'
    WHEN EXISTS (SELECT FROM customers c WHERE c.store_id = k.store_id AND c.id::text = split_part(k.key, ' ', 2))
      THEN 'customer'
    ELSE 'account-member' END || ' ' || k.key;
