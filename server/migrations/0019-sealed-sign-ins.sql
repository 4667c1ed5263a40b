-- What only the server may know of a sign-in is sealed: who reads the database could otherwise finish one that they see
-- on its way. Those that are under way are begun again.
DELETE FROM sign_in_requests;
ALTER TABLE sign_in_requests RENAME COLUMN nonce TO sealed_nonce;
ALTER TABLE sign_in_requests RENAME COLUMN code_verifier TO sealed_code_verifier;
