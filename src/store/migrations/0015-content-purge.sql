-- A purge of content that is under way: what it began is finished by the next start.
CREATE TABLE content_purge (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id TEXT NOT NULL UNIQUE REFERENCES space (id) ON DELETE CASCADE,
  -- The blobs that go, as JSON array of oids.
  blobs TEXT NOT NULL CHECK (json_valid(blobs)),
  -- [{ref, from, to}], all that move.
  moves TEXT NOT NULL CHECK (json_valid(moves)),
  -- begun: objects are written; moved: refs and rows are changed.
  state TEXT NOT NULL DEFAULT 'begun' CHECK (state IN ('begun', 'moved')),
  created_at TEXT NOT NULL
) STRICT;

-- Commits that were rewritten when content was purged, and what they are now.
CREATE TABLE rewritten_commit (
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  old_oid TEXT NOT NULL,
  new_oid TEXT NOT NULL,
  PRIMARY KEY (space_id, old_oid)
) STRICT, WITHOUT ROWID;
CREATE INDEX rewritten_commit_by_new ON rewritten_commit (space_id, new_oid);
