-- An issuer is the same with and without slashes at its end, so a person at a provider is linked to one user, however
-- the issuer is written. Links that were stored before may be of one person in two spellings. They stay as they are,
-- each with a spelling of its own, until their identity changes: `doubled` is the identity that is in other links, too.
ALTER TABLE user_authentication_oidc_profile_infos
  DROP CONSTRAINT user_authentication_oidc_profile_infos_identity_key,
  ADD COLUMN doubled text COLLATE "C";

ALTER TABLE user_authentication_oidc_profile_infos DISABLE TRIGGER USER;
UPDATE user_authentication_oidc_profile_infos link SET doubled = issuer || ' ' || subject
FROM (
  SELECT store_id, id, row_number() OVER (
    PARTITION BY store_id, realm_id, oidc_profile_id, subject, rtrim(issuer, '/') ORDER BY length(issuer)) AS place
  FROM user_authentication_oidc_profile_infos WHERE subject IS NOT NULL) spelling
WHERE link.store_id = spelling.store_id AND link.id = spelling.id AND place > 1;
ALTER TABLE user_authentication_oidc_profile_infos ENABLE TRIGGER USER;

-- The shortest spelling has the key without slashes, so that no other one has the same key.
CREATE UNIQUE INDEX user_authentication_oidc_profile_infos_identity_key
  ON user_authentication_oidc_profile_infos (store_id, realm_id, oidc_profile_id, subject,
    (CASE WHEN doubled = issuer || ' ' || subject THEN issuer ELSE rtrim(issuer, '/') END));
