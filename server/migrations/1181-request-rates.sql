-- The own rates of a store, as SUTLER_RATE writes them; null where it has those of the server. See decision 117.
ALTER TABLE stores ADD COLUMN request_rates text;
