-- Sign-ins on their way are forgotten when the database crashes, and begun again. In return no browser waits for the
-- disk, and what was used before a crash is not good once more after it.

-- Without its profile a request is of no use to anyone, and gone within the hour. A key to the profile would make every
-- write wait for the disk, as it locks the profile's row.
ALTER TABLE sign_in_requests DROP CONSTRAINT sign_in_requests_parent_fkey;
DROP INDEX sign_in_requests_by_profile;
ALTER TABLE sign_in_requests SET UNLOGGED;

-- A code is good for as long as its user's tokens would be: see user_token_epochs. One that was used is kept until it
-- expires: `granted` is whether it was good. Whoever brings a good one again may have stolen it, or been stolen from.
-- Whether the user is still there is asked when it is used.
DELETE FROM sign_in_codes;
ALTER TABLE sign_in_codes DROP CONSTRAINT sign_in_codes_parent_fkey;
DROP INDEX sign_in_codes_by_user;
ALTER TABLE sign_in_codes ADD COLUMN epoch integer NOT NULL, ADD COLUMN granted boolean;
ALTER TABLE sign_in_codes SET UNLOGGED;
