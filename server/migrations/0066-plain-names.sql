-- Columns and stored members that were named by participles get the names of the field.
ALTER TABLE idempotency_keys RENAME COLUMN asked TO fingerprint;
ALTER TABLE price_import_lines RENAME COLUMN said TO content;

UPDATE pim_jobs
SET hidden = ((hidden::jsonb - 'told') || jsonb_build_object('details', hidden::jsonb->'told'))::json
WHERE hidden::jsonb ? 'told';

UPDATE long_jobs
SET payload = jsonb_set(payload::jsonb #- '{payload,wanted}', '{payload,columns}', payload::jsonb#>'{payload,wanted}')::json
WHERE name = 'pim-jobs:product-export';
