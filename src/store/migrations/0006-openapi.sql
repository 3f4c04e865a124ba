-- Descriptions of APIs (OpenAPI). Their versions are commits in the organization's repository of descriptions.
CREATE TABLE openapi_spec (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  slug TEXT NOT NULL,
  -- NULL: it was sent as text.
  source_url TEXT,
  visibility TEXT NOT NULL DEFAULT 'private' CHECK (visibility IN ('private', 'public')),
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'progress', 'complete')),
  last_version TEXT,
  last_processed_at TEXT,
  error_code TEXT CHECK (error_code IN ('FETCH_TIMEOUT', 'FETCH_ERROR', 'PARSE_ERROR')),
  -- [{"message", "code"}], of the last time.
  errors TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(errors)),
  created_by TEXT REFERENCES user (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX openapi_spec_by_slug ON openapi_spec (organization_id, slug COLLATE NOCASE);
CREATE INDEX openapi_spec_by_organization ON openapi_spec (organization_id, seq);

-- What is still to be read, oldest first: an address, or a text (gzip).
CREATE TABLE openapi_source (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  spec_id TEXT NOT NULL REFERENCES openapi_spec (id) ON DELETE CASCADE,
  url TEXT,
  packed BLOB,
  -- How often it could not be fetched.
  attempts INTEGER NOT NULL DEFAULT 0,
  created_by TEXT REFERENCES user (id),
  created_at TEXT NOT NULL,
  CHECK ((url IS NULL) <> (packed IS NULL))
) STRICT;
CREATE INDEX openapi_source_by_spec ON openapi_source (spec_id, seq);

-- The commits of a description's branch: `id` is the oid, `entry` the path of the file that it begins with.
CREATE TABLE openapi_version (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  spec_id TEXT NOT NULL REFERENCES openapi_spec (id) ON DELETE CASCADE,
  entry TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX openapi_version_by_spec ON openapi_version (spec_id, seq);

-- Derived from a version by the describer of that number: forgotten and made again at will. NULL: it could not be.
CREATE TABLE openapi_outline (
  version_id TEXT NOT NULL PRIMARY KEY,
  spec_id TEXT NOT NULL,
  describer INTEGER NOT NULL,
  outline TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX openapi_outline_by_spec ON openapi_outline (spec_id);

CREATE TABLE openapi_piece (
  version_id TEXT NOT NULL,
  key TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (version_id, key)
) STRICT;
