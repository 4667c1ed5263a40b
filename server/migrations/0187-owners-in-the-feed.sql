-- An erasure forgets what the feed says of the carts and orders of a person or an account, also of those that were
-- deleted: they are below no parent that would lead to them.
CREATE INDEX changes_of_owned ON changes (store_id,
    (coalesce(hidden->'customers'->>0, hidden->'accounts'->>0, hidden->>'customer_id', hidden->>'account_id')))
  WHERE source IN ('carts', 'orders')
    AND coalesce(hidden->'customers'->>0, hidden->'accounts'->>0, hidden->>'customer_id', hidden->>'account_id') IS NOT NULL;
