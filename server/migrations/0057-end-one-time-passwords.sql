-- A user who is signed out has no one-time password any more. Module identity ends tokens and does not know passwords.
CREATE FUNCTION forget_one_time_passwords() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM one_time_passwords o
  USING user_authentication_infos u JOIN user_authentication_password_profile_infos l
    ON l.store_id = u.store_id AND l.realm_id = u.realm_id AND l.user_authentication_info_id = u.id
  WHERE u.store_id = NEW.store_id AND u.id = NEW.user_id AND o.store_id = l.store_id AND o.password_link_id = l.id;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_one_time_passwords AFTER INSERT OR UPDATE ON user_token_epochs FOR EACH ROW
  EXECUTE FUNCTION forget_one_time_passwords();
