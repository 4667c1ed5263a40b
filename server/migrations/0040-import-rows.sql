-- `line` is the number of the row, as a spreadsheet counts: a quoted cell with line ends is in one row.
-- What the row names its product by, hashed: no two rows of a file may share one.
ALTER TABLE product_import_rows ADD COLUMN keys text[] COLLATE "C" NOT NULL DEFAULT '{}';
-- The keys that a row before it has, each with the column and the number of that row.
ALTER TABLE product_import_rows ADD COLUMN repeats json;
