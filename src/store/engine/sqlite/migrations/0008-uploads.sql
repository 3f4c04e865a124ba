-- Files on their way into a space. The blob is the id that Git gives the bytes: null until they have
-- arrived at the address that was given out.
CREATE TABLE upload (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  token_id TEXT NOT NULL,
  name TEXT NOT NULL,
  size INTEGER NOT NULL CHECK (size > 0),
  blob TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX upload_by_organization ON upload (organization_id, user_id);
CREATE INDEX upload_by_user ON upload (user_id);
CREATE INDEX upload_by_expiry ON upload (expires_at);
