-- Counts a row that has moved from one list to another: the update that moves it is not counted by `track`. Called by a
-- trigger of the table; `list` is its name and the column of the parent.
CREATE PROCEDURE count_moved(
  list text, of_store uuid, moved uuid, created_at timestamptz, updated_at timestamptz, from_parent uuid, to_parent uuid
) LANGUAGE sql AS $$
  INSERT INTO list_deltas VALUES
    (list, of_store, from_parent, created_at, moved, -1, updated_at),
    (list, of_store, to_parent, created_at, moved, 1, updated_at)
$$;

CREATE OR REPLACE FUNCTION count_moved_node() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  CALL count_moved('nodes.parent_id', OLD.store_id, OLD.id, OLD.created_at, OLD.updated_at, OLD.parent_id, NEW.parent_id);
  RETURN NULL;
END $$;
