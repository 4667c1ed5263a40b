-- step: contract
-- Successors of these do the same for the stores of one node, since 1260.
DROP PROCEDURE sequence_changes(uuid[], integer, bigint, xid8, uuid[]);
DROP FUNCTION merge_list_deltas(integer, integer, integer);
DROP FUNCTION list_points(text, uuid, uuid, text);
DROP FUNCTION claim_deliveries(uuid[], uuid[], integer[], timestamptz, timestamptz);
DROP FUNCTION record_personal_data_reads(json);
