-- Positions that a store's feed has skipped, because the store was imported: another server may have given them to
-- changes that this one does not have. A reader that says it has read up to one of them has to begin again. See
-- docs/decisions/0067-stores-in-archives.md.
CREATE TABLE feed_gaps (
  store_id uuid NOT NULL,
  after bigint NOT NULL,
  until bigint NOT NULL,
  CONSTRAINT feed_gaps_pkey PRIMARY KEY (store_id, after)
);
