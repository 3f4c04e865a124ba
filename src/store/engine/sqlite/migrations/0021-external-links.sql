-- A link to an address elsewhere among the sections of a site, or in a group of them (group_id).
CREATE TABLE site_external_link (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  group_id TEXT REFERENCES site_section_group (id),
  title TEXT NOT NULL,
  description TEXT,
  icon TEXT,
  url TEXT NOT NULL,
  condition TEXT,
  draft INTEGER NOT NULL DEFAULT 0 CHECK (draft IN (0, 1)),
  position INTEGER NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX site_external_link_by_site ON site_external_link (site_id, position);
CREATE INDEX site_external_link_by_group ON site_external_link (group_id) WHERE group_id IS NOT NULL;
