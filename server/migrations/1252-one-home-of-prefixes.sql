-- step: contract
-- `realm_prefixes` keeps them apart since 1251. An older process may have written since then.
LOCK TABLE merchant_realm_mappings IN SHARE MODE;
DELETE FROM realm_prefixes;
INSERT INTO realm_prefixes SELECT lower(prefix COLLATE "default"), store_id FROM merchant_realm_mappings
WHERE prefix IS NOT NULL;
DROP INDEX merchant_realm_mappings_prefix_key;
