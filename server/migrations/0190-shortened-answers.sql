-- Whether a stored response has only the types and ids of its objects: a repeated request reads them again.
ALTER TABLE idempotency_keys ADD COLUMN is_shortened boolean NOT NULL DEFAULT false;
