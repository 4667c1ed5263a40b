-- A topmost node has no `parent` among its relationships: its hierarchy is above it. The column is dropped with all
-- that is made of it and added again, as PostgreSQL 15 and 16 cannot change the expression of a generated column.
DROP TRIGGER count_moved_node ON nodes;
DROP TRIGGER keep_has_children ON nodes;
DROP TRIGGER keep_has_children_when_moved ON nodes;
DROP TRIGGER keep_has_children_when_deleted ON nodes;
DROP TRIGGER leave_catalogs ON nodes;
ALTER TABLE nodes DROP COLUMN parent_id;
ALTER TABLE nodes
  ADD COLUMN parent_id uuid GENERATED ALWAYS AS (
    coalesce(
      (doc->'relationships'->'parent'->'data'->>'id')::uuid,
      CASE WHEN hierarchy_id <> store_id THEN hierarchy_id END
    )
  ) STORED,
  ADD CONSTRAINT nodes_parent_fkey FOREIGN KEY (store_id, parent_id) REFERENCES nodes ON DELETE CASCADE,
  ADD CONSTRAINT nodes_root_check CHECK ((parent_id IS NULL) = (hierarchy_id = store_id));
ALTER TABLE nodes ALTER parent_id SET (n_distinct = -1);
CREATE UNIQUE INDEX nodes_name_key ON nodes (store_id, parent_id, md5(name));
CREATE UNIQUE INDEX nodes_slug_key ON nodes (store_id, parent_id, md5(slug));
CREATE INDEX nodes_by_place ON nodes (store_id, parent_id, place, id);
CREATE TRIGGER count_moved_node AFTER UPDATE ON nodes FOR EACH ROW
  WHEN (NEW.parent_id <> OLD.parent_id) EXECUTE FUNCTION count_moved_node();
CREATE TRIGGER keep_has_children AFTER INSERT ON nodes FOR EACH ROW WHEN (NEW.parent_id IS NOT NULL)
  EXECUTE FUNCTION keep_has_children();
CREATE TRIGGER keep_has_children_when_moved AFTER UPDATE ON nodes FOR EACH ROW
  WHEN (NEW.parent_id <> OLD.parent_id) EXECUTE FUNCTION keep_has_children();
CREATE CONSTRAINT TRIGGER keep_has_children_when_deleted AFTER DELETE ON nodes DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.parent_id IS NOT NULL) EXECUTE FUNCTION keep_has_children();
CREATE TRIGGER leave_catalogs AFTER DELETE ON nodes FOR EACH ROW WHEN (OLD.parent_id IS NULL)
  EXECUTE FUNCTION leave_catalogs();

-- What is shown of them is another: a new version, and so another entity tag.
UPDATE nodes SET version = version + 1, doc = (doc::jsonb #- '{relationships,parent}')::json
WHERE parent_id = hierarchy_id AND doc->'relationships'->'parent' IS NOT NULL;
