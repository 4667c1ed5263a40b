-- The servers of this database: see decision 119.

-- Each process of a server, with its heartbeat. The times are the database's, since machines differ.
CREATE TABLE processes (
  name text NOT NULL,
  version text NOT NULL,
  -- The last migration that its version has.
  last_migration text NOT NULL,
  seen_at timestamptz NOT NULL,
  has_ended boolean NOT NULL DEFAULT false,
  CONSTRAINT processes_pkey PRIMARY KEY (name)
) WITH (fillfactor = 50);

-- How far each backfill is.
CREATE TABLE backfills (
  name text NOT NULL,
  -- The primary key of the last row that is done.
  position text[],
  rows_done bigint NOT NULL DEFAULT 0,
  is_paused boolean NOT NULL DEFAULT false,
  CONSTRAINT backfills_pkey PRIMARY KEY (name)
);
