-- Which address a one-time password is sent to: it is good while that is the user's, and who uses it has shown that
-- they read what is sent there.
ALTER TABLE one_time_passwords ADD COLUMN email text;
UPDATE one_time_passwords o SET email = u.email
FROM user_authentication_password_profile_infos l
JOIN user_authentication_infos u ON u.store_id = l.store_id AND u.id = l.user_authentication_info_id
WHERE l.store_id = o.store_id AND l.id = o.password_link_id;
ALTER TABLE one_time_passwords ALTER email SET NOT NULL;

-- A customer who came in by a provider that did not verify the address only claims it, as their user does. Who else
-- does is kept from now on.
UPDATE customers c SET hidden = (coalesce(c.hidden::jsonb, '{}') || '{"email_claimed": true}')::json
FROM user_authentication_infos u
WHERE u.store_id = c.store_id AND u.id = c.id AND u.hidden->>'email_claimed' = 'true'
  AND lower(u.email COLLATE "default") = lower(c.email COLLATE "default");
