-- Only for looking up what is below a parent. Without this condition, a new week could be searched for an object
-- through it, as long as the planner knows nothing of its contents.
DROP INDEX changes_of_personal_data_by_scope;
CREATE INDEX changes_of_personal_data_by_scope ON changes (store_id, scope) WHERE personal AND scope IS NOT NULL;
