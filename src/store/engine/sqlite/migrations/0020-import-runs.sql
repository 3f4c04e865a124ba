-- Files that become pages of a space: who asked for it, how far it is, and what came of it.
CREATE TABLE import_run (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  -- The change request whose branch takes the pages, and the page below which they go.
  change_request_id TEXT REFERENCES change_request (id) ON DELETE CASCADE,
  page_id TEXT,
  site_id TEXT,
  created_by TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  -- The keys of the uploads.
  files TEXT NOT NULL CHECK (json_valid(files)),
  status TEXT NOT NULL CHECK (status IN ('pending', 'in-progress', 'completed', 'failed', 'cancelled')),
  reason TEXT,
  pages TEXT NOT NULL CHECK (json_valid(pages)),
  findings TEXT NOT NULL CHECK (json_valid(findings)),
  revision TEXT,
  created_at TEXT NOT NULL,
  started_at TEXT,
  updated_at TEXT NOT NULL,
  completed_at TEXT
) STRICT;
CREATE INDEX import_run_by_organization ON import_run (organization_id, seq);
CREATE INDEX import_run_by_space ON import_run (space_id, seq);
CREATE INDEX import_run_by_change_request ON import_run (change_request_id);
CREATE INDEX import_run_by_time ON import_run (created_at);
CREATE INDEX import_run_waiting ON import_run (created_by) WHERE status IN ('pending', 'in-progress');
