-- A password is only checked, and what is stored of it is named for what it is. Bookkeeping: no link changes by it.
UPDATE user_authentication_password_profile_infos
SET hidden = (hidden::jsonb - 'password' || jsonb_build_object('password_hash', hidden->'password'))::json
WHERE hidden->'password' IS NOT NULL;
