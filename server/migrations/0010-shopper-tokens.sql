-- How often the tokens of a user were ended. A token names the number it was issued under, and is good for no other:
-- unlike a time, it tells a token issued just before from one issued just after. No row: never.
CREATE TABLE user_token_epochs (
  store_id uuid NOT NULL,
  user_id uuid NOT NULL,
  epoch integer NOT NULL,
  CONSTRAINT user_token_epochs_pkey PRIMARY KEY (store_id, user_id),
  CONSTRAINT user_token_epochs_parent_fkey FOREIGN KEY (store_id, user_id) REFERENCES user_authentication_infos
    ON DELETE CASCADE
);

-- The newest one-time password of a username: a newer one takes its place, a sign-in takes it away.
CREATE TABLE one_time_passwords (
  store_id uuid NOT NULL,
  password_link_id uuid NOT NULL,
  hash text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT one_time_passwords_pkey PRIMARY KEY (store_id, password_link_id),
  CONSTRAINT one_time_passwords_parent_fkey FOREIGN KEY (store_id, password_link_id)
    REFERENCES user_authentication_password_profile_infos ON DELETE CASCADE
);
CREATE INDEX one_time_passwords_by_expires_at ON one_time_passwords (expires_at);

-- What is counted to slow down whoever guesses, until it is forgotten. The subject is a hash: this is no list of names
-- and addresses.
CREATE TABLE attempts (
  store_id uuid NOT NULL,
  subject text COLLATE "C" NOT NULL,
  n integer NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  CONSTRAINT attempts_pkey PRIMARY KEY (store_id, subject)
);
CREATE INDEX attempts_by_ends_at ON attempts (ends_at);
