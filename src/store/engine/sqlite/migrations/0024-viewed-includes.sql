-- A page is viewed with the reusable content that it shows: a digest of it, '' if it shows none.
ALTER TABLE viewed_mark ADD COLUMN includes TEXT NOT NULL DEFAULT '';
