-- A guest's order has no account and seldom a number, and an order has a customer or a contact. What an order does not
-- have needs no entry, and each change of an order writes one in every index. No filter finds what is absent.
DROP INDEX orders_by_customer_id, orders_by_account_id, orders_by_account_member_id, orders_by_name, orders_by_email,
  orders_by_contact_name, orders_by_contact_email, orders_by_order_number, orders_by_external_ref;
CREATE INDEX orders_by_customer_id ON orders (store_id, customer_id, created_at, id) WHERE customer_id IS NOT NULL;
CREATE INDEX orders_by_account_id ON orders (store_id, account_id, created_at, id) WHERE account_id IS NOT NULL;
CREATE INDEX orders_by_account_member_id ON orders (store_id, account_member_id, created_at, id)
  WHERE account_member_id IS NOT NULL;
CREATE INDEX orders_by_name ON orders (store_id, name, created_at, id) WHERE name IS NOT NULL;
CREATE INDEX orders_by_email ON orders (store_id, email, created_at, id) WHERE email IS NOT NULL;
CREATE INDEX orders_by_contact_name ON orders (store_id, contact_name, created_at, id) WHERE contact_name IS NOT NULL;
CREATE INDEX orders_by_contact_email ON orders (store_id, contact_email, created_at, id)
  WHERE contact_email IS NOT NULL;
CREATE INDEX orders_by_order_number ON orders (store_id, order_number, created_at, id) WHERE order_number IS NOT NULL;
CREATE INDEX orders_by_external_ref ON orders (store_id, external_ref, created_at, id) WHERE external_ref IS NOT NULL;
