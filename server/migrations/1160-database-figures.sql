-- Figures of the whole database, which one process computes for all: the one that holds the lease.
CREATE TABLE database_figures (
  is_only boolean PRIMARY KEY CHECK (is_only),
  leased_by text COLLATE "C" NOT NULL,
  leased_until timestamptz NOT NULL,
  sampled_at timestamptz,
  figures json
);
