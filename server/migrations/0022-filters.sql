-- What a list is filtered by has an index from which both the total and the page are read, without the rows: it ends in
-- what the list is ordered by. Where the same index serves the order by name, the time of creation comes along.
DROP INDEX accounts_by_legal_name;
CREATE INDEX accounts_by_legal_name ON accounts (store_id, legal_name, created_at, id);
DROP INDEX accounts_by_external_ref;
CREATE INDEX accounts_by_external_ref ON accounts (store_id, left(external_ref, 128), created_at, id);
DROP INDEX accounts_by_name;
CREATE INDEX accounts_by_name ON accounts (store_id, name, id) INCLUDE (created_at);

DROP INDEX customers_by_external_ref;
CREATE INDEX customers_by_external_ref ON customers (store_id, left(external_ref, 128), created_at, id);
DROP INDEX customers_by_name;
CREATE INDEX customers_by_name ON customers (store_id, name, id) INCLUDE (created_at);
DROP INDEX customers_by_email;
CREATE INDEX customers_by_email ON customers (store_id, email, id) INCLUDE (created_at);

DROP INDEX user_authentication_infos_by_name;
CREATE INDEX user_authentication_infos_by_name ON user_authentication_infos (store_id, realm_id, name, id)
  INCLUDE (created_at);
DROP INDEX user_authentication_infos_by_email;
CREATE INDEX user_authentication_infos_by_email ON user_authentication_infos (store_id, realm_id, email, id)
  INCLUDE (created_at);
DROP INDEX user_authentication_infos_by_name_caseless;
CREATE INDEX user_authentication_infos_by_name_caseless
  ON user_authentication_infos (store_id, realm_id, lower(name COLLATE "default"), created_at, id);
DROP INDEX user_authentication_infos_by_email_caseless;
CREATE INDEX user_authentication_infos_by_email_caseless
  ON user_authentication_infos (store_id, realm_id, lower(email COLLATE "default"), created_at, id);

DROP INDEX custom_api_role_policies_by_role;
CREATE INDEX custom_api_role_policies_by_role ON custom_api_role_policies (store_id, role_id, created_at, id);
