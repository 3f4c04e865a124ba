-- The organization that each rule of STEMMA_SITE_HOSTS named when the server first started with it. A later change of a
-- hostname does not move the rule.
CREATE TABLE site_host_rule (
  -- A host, or "*." and a host for all hosts below it.
  pattern TEXT NOT NULL,
  -- The id or hostname in the rule.
  named TEXT NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  resolved_at TEXT NOT NULL,
  PRIMARY KEY (pattern, named)
) STRICT, WITHOUT ROWID;
CREATE INDEX site_host_rule_by_organization ON site_host_rule (organization_id);

-- What the site had until the operator's rules no longer allowed it. It comes back with the rule.
ALTER TABLE site ADD COLUMN withdrawn_hostname TEXT;
ALTER TABLE site ADD COLUMN withdrawn_proxy_origin TEXT;
