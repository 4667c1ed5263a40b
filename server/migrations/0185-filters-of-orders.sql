-- Email addresses of orders are compared without case.
DROP INDEX orders_by_email, orders_by_contact_email;
CREATE INDEX orders_by_email ON orders (store_id, (lower(email COLLATE "default") COLLATE "C"), created_at, id)
  WHERE email IS NOT NULL;
CREATE INDEX orders_by_contact_email ON orders
  (store_id, (lower(contact_email COLLATE "default") COLLATE "C"), created_at, id)
  WHERE contact_email IS NOT NULL;

-- Older clients look for orders by the names in their addresses.
ALTER TABLE orders
  ADD COLUMN shipping_name text COLLATE "C" GENERATED ALWAYS AS
    (left((doc#>>'{shipping_address,first_name}') || ' ' || (doc#>>'{shipping_address,last_name}'), 255)) STORED,
  ADD COLUMN billing_name text COLLATE "C" GENERATED ALWAYS AS
    (left((doc#>>'{billing_address,first_name}') || ' ' || (doc#>>'{billing_address,last_name}'), 255)) STORED;
CREATE INDEX orders_by_shipping_name ON orders (store_id, shipping_name, created_at, id)
  WHERE shipping_name IS NOT NULL;
CREATE INDEX orders_by_billing_name ON orders (store_id, billing_name, created_at, id)
  WHERE billing_name IS NOT NULL;
