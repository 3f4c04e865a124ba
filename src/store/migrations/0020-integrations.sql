-- Integrations: manifests that organizations publish or the operator provides. Their scripts are stored, never run.
CREATE TABLE integration (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  name_folded TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  -- 'server' for those in the operator's folder.
  source TEXT NOT NULL DEFAULT 'organization' CHECK (source IN ('organization', 'server')),
  version INTEGER NOT NULL DEFAULT 1,
  title TEXT NOT NULL,
  visibility TEXT NOT NULL DEFAULT 'private' CHECK (visibility IN ('public', 'private', 'unlisted')),
  target TEXT NOT NULL DEFAULT 'all' CHECK (target IN ('all', 'site', 'space', 'organization')),
  -- The other properties that may be shown.
  manifest TEXT NOT NULL CHECK (json_valid(manifest)),
  script TEXT NOT NULL,
  -- The script that browsers load on published sites.
  published_script TEXT,
  secrets_sealed TEXT,
  -- A digest of the manifest in the operator's folder.
  digest TEXT,
  created_by TEXT REFERENCES user (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX integration_by_organization ON integration (organization_id);

-- The images of an integration.
CREATE TABLE integration_asset (
  integration_id TEXT NOT NULL REFERENCES integration (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  digest TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (integration_id, name)
) STRICT;

-- The installation of an integration on an organization. Its tokens act for `user_id`, who installed it.
CREATE TABLE integration_installation (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  integration_id TEXT NOT NULL REFERENCES integration (id) ON DELETE CASCADE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id),
  -- The scopes that were accepted. Later versions of the integration add none.
  scopes TEXT NOT NULL CHECK (json_valid(scopes)),
  configuration_sealed TEXT NOT NULL,
  external_ids TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(external_ids)),
  space_selection TEXT NOT NULL CHECK (space_selection IN ('all', 'selected')),
  site_selection TEXT NOT NULL CHECK (site_selection IN ('all', 'selected')),
  -- The ids of the selected spaces. The selected sites are those of integration_site.
  spaces TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(spaces)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX integration_installation_by_integration ON integration_installation (integration_id, organization_id);
CREATE INDEX integration_installation_by_organization ON integration_installation (organization_id, seq);

CREATE TABLE integration_site (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  installation_id TEXT NOT NULL REFERENCES integration_installation (id) ON DELETE CASCADE,
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  configuration_sealed TEXT NOT NULL,
  external_ids TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(external_ids)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX integration_site_by_installation ON integration_site (installation_id, site_id);
CREATE INDEX integration_site_by_site ON integration_site (site_id);

-- The token of an installation, and the secret with which an integration creates such tokens.
ALTER TABLE token ADD COLUMN installation_id TEXT REFERENCES integration_installation (id) ON DELETE CASCADE;
ALTER TABLE token ADD COLUMN integration_id TEXT REFERENCES integration (id) ON DELETE CASCADE;
CREATE INDEX token_by_installation ON token (installation_id) WHERE installation_id IS NOT NULL;
CREATE INDEX token_by_integration ON token (integration_id) WHERE integration_id IS NOT NULL;
