-- Addresses that open a change request on a site to everyone who has them, until they expire.
CREATE TABLE preview_link (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  change_request_id TEXT NOT NULL REFERENCES change_request (id) ON DELETE CASCADE,
  key_hash TEXT NOT NULL UNIQUE,
  access_version INTEGER NOT NULL,
  created_by TEXT NOT NULL REFERENCES user (id),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX preview_link_by_change_request ON preview_link (change_request_id, seq);
CREATE INDEX preview_link_by_site ON preview_link (site_id);
CREATE INDEX preview_link_by_space ON preview_link (space_id);
