-- A file that is kept elsewhere has no name of its own: clients that see one replace the file again and again.
ALTER TABLE files ALTER COLUMN file_name DROP NOT NULL;
UPDATE files SET version = version + 1, doc = (doc::jsonb - 'file_name')::json WHERE hidden->>'location' IS NOT NULL;
