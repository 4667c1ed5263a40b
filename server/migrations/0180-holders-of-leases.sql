-- The process that has a lease, by the name under which its session holds an advisory lock. Another process takes the
-- lease over once that session is gone. Null in leases of the previous version: those end by time alone.
ALTER TABLE intents ADD leased_by text COLLATE "C";
ALTER TABLE idempotency_keys ADD leased_by text COLLATE "C";

-- Whether a session of this database holds the lock of this name.
CREATE FUNCTION session_lives(name text) RETURNS boolean STABLE LANGUAGE sql AS $$
  SELECT EXISTS (
    SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(name, 0))
$$;

-- Whether a lease still keeps others away. A start of PostgreSQL ends the sessions of processes that live, and these
-- have new ones within seconds. Until then, a missing session says nothing.
CREATE FUNCTION lease_holds(until timestamptz, holder text) RETURNS boolean LANGUAGE sql AS $$
  SELECT coalesce(until > clock_timestamp(), false) AND (
    holder IS NULL OR clock_timestamp() < pg_postmaster_start_time() + interval '5 seconds' OR session_lives(holder))
$$;
