-- An edition outlives its release for those who walk its lists. Not where the merchant deleted the release: nobody is
-- shown a withdrawn edition, though its rows stay for as long as other editions need them.
ALTER TABLE catalog_editions ADD COLUMN withdrawn boolean NOT NULL DEFAULT false;
