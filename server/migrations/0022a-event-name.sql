-- What an event of the feed may be called is the rule of a type, and no longer of the table: a table's rules are read
-- and planned anew by each statement that inserts, and one writes a change of each row that is written.
ALTER TABLE fresh_changes DROP CONSTRAINT fresh_changes_event_check;
CREATE DOMAIN event_name AS text
  CONSTRAINT fresh_changes_event_check CHECK (VALUE IN ('created', 'updated', 'deleted') OR strpos(VALUE, '.') > 0);
ALTER TABLE fresh_changes ALTER event TYPE event_name;
