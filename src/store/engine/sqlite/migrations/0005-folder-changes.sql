-- When the files of a published folder last changed in the Git history that the folder has elsewhere, and who changed
-- them. A row is about one content of a file: other contents at the path have rows of their own, or none.
CREATE TABLE folder_change (
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  blob TEXT NOT NULL,
  -- In seconds since 1970; NULL: the folder came without the part of the history that has the change.
  changed_at INTEGER,
  author_name TEXT CHECK (author_name IS NULL OR changed_at IS NOT NULL),
  PRIMARY KEY (space_id, path, blob)
) STRICT, WITHOUT ROWID;
