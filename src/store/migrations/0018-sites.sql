-- Sites publish spaces to readers.
CREATE TABLE site (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  type TEXT NOT NULL DEFAULT 'basic',
  title TEXT NOT NULL,
  visibility TEXT NOT NULL DEFAULT 'public' CHECK (visibility IN ('public', 'unlisted', 'share-link', 'visitor-auth')),
  published INTEGER NOT NULL DEFAULT 0 CHECK (published IN (0, 1)),
  published_at TEXT,
  basename TEXT NOT NULL,
  hostname TEXT UNIQUE,
  proxy_origin TEXT UNIQUE,
  adaptive INTEGER NOT NULL DEFAULT 0 CHECK (adaptive IN (0, 1)),
  agents_context TEXT NOT NULL DEFAULT 'included' CHECK (agents_context IN ('included', 'excluded')),
  default_level TEXT NOT NULL DEFAULT 'inherit',
  -- The stored defaults. While one is not live, the first live sibling acts as the default.
  default_section_id TEXT,
  default_site_space_id TEXT,
  -- The settings that differ from the defaults; NULL: none.
  customization TEXT CHECK (customization IS NULL OR json_valid(customization)),
  -- Reading tokens carry it: raising it ends all earlier ones.
  access_version INTEGER NOT NULL DEFAULT 1,
  created_by TEXT REFERENCES user (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX site_by_basename ON site (organization_id, basename);
CREATE INDEX site_by_organization ON site (organization_id, seq);

-- A section lies at the root of its site or in a group. `position` orders the sections and groups of one parent.
CREATE TABLE site_section_group (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  parent_id TEXT REFERENCES site_section_group (id),
  title TEXT NOT NULL,
  icon TEXT,
  position INTEGER NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX site_section_group_by_site ON site_section_group (site_id, position);
CREATE INDEX site_section_group_by_parent ON site_section_group (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE site_section (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  group_id TEXT REFERENCES site_section_group (id),
  title TEXT NOT NULL,
  description TEXT,
  path TEXT NOT NULL,
  condition TEXT,
  icon TEXT,
  position INTEGER NOT NULL,
  default_site_space_id TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX site_section_by_path ON site_section (site_id, path);
CREATE INDEX site_section_by_group ON site_section (group_id) WHERE group_id IS NOT NULL;

-- A space on a site: in a section, or (section_id NULL) at the root of a site without sections.
CREATE TABLE site_space (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  section_id TEXT REFERENCES site_section (id) ON DELETE CASCADE,
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  condition TEXT,
  position INTEGER NOT NULL,
  -- Settings that differ from those of the site; NULL: none.
  override TEXT CHECK (override IS NULL OR json_valid(override)),
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX site_space_by_path ON site_space (site_id, coalesce(section_id, ''), path);
CREATE UNIQUE INDEX site_space_by_site_and_space ON site_space (site_id, space_id);
CREATE INDEX site_space_by_space ON site_space (space_id);
CREATE INDEX site_space_by_section ON site_space (section_id) WHERE section_id IS NOT NULL;

-- Former paths, which redirect. `scope` is 'organization' for basenames (site_id NULL), '' for the root of a site,
-- else the id of the section that the path was in.
CREATE TABLE site_alias (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  site_id TEXT REFERENCES site (id) ON DELETE CASCADE,
  scope TEXT NOT NULL,
  path TEXT NOT NULL,
  target_kind TEXT NOT NULL CHECK (target_kind IN ('site', 'site-section', 'site-space')),
  target_id TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX site_alias_by_path ON site_alias (organization_id, coalesce(site_id, ''), scope, path);
CREATE INDEX site_alias_by_target ON site_alias (target_id, seq);
CREATE INDEX site_alias_by_site ON site_alias (site_id) WHERE site_id IS NOT NULL;

CREATE TABLE share_link (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  key_hash TEXT NOT NULL UNIQUE,
  key_sealed TEXT NOT NULL,
  created_by TEXT REFERENCES user (id),
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX share_link_by_site ON share_link (site_id, seq);

-- How visitors sign in, and the key of their tokens.
CREATE TABLE site_visitor_auth (
  site_id TEXT NOT NULL PRIMARY KEY REFERENCES site (id) ON DELETE CASCADE,
  backend TEXT NOT NULL DEFAULT 'custom' CHECK (backend IN ('custom', 'integration')),
  integration TEXT,
  fallback_url TEXT,
  key_sealed TEXT NOT NULL,
  key_version INTEGER NOT NULL DEFAULT 1,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The adaptive schema: the claims that visitors may have.
CREATE TABLE site_schema (
  site_id TEXT NOT NULL PRIMARY KEY REFERENCES site (id) ON DELETE CASCADE,
  json_schema TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE site_redirect (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  source TEXT NOT NULL,
  source_folded TEXT NOT NULL,
  destination TEXT NOT NULL CHECK (json_valid(destination)),
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX site_redirect_by_source ON site_redirect (site_id, source_folded);
CREATE INDEX site_redirect_by_site ON site_redirect (site_id, seq);

-- A section or site space takes along the redirects and former paths that lead to it.
CREATE TRIGGER site_space_removed AFTER DELETE ON site_space BEGIN
  DELETE FROM site_redirect WHERE site_id = old.site_id AND destination ->> '$.siteSpaceId' = old.id;
  DELETE FROM site_alias WHERE target_id = old.id;
END;
CREATE TRIGGER site_section_removed AFTER DELETE ON site_section BEGIN
  DELETE FROM site_redirect WHERE site_id = old.site_id AND destination ->> '$.siteSectionId' = old.id;
  DELETE FROM site_alias WHERE site_id = old.site_id AND (target_id = old.id OR scope = old.id);
END;

CREATE TABLE site_permission (
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  subject_kind TEXT NOT NULL CHECK (subject_kind IN ('user', 'team')),
  subject_id TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  created_at TEXT NOT NULL,
  PRIMARY KEY (site_id, subject_kind, subject_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX site_permission_by_subject ON site_permission (subject_kind, subject_id);
