-- How large the repository of a space was when it was last measured: what an organization holds is the sum of these.
CREATE TABLE space_size (
  space_id TEXT NOT NULL PRIMARY KEY REFERENCES space (id) ON DELETE CASCADE,
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  measured_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How many spaces somebody has created within a day.
CREATE INDEX space_by_creator ON space (created_by, created_at);
