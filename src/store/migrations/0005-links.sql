-- What a Markdown file names, by the oid of its blob: JSON of this version of the deriver. A cache.
CREATE TABLE blob_links (
  oid TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL,
  facts TEXT NOT NULL CHECK (json_valid(facts))
) STRICT, WITHOUT ROWID;
