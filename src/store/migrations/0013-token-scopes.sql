-- What a token may do, as a JSON array such as ["read"] or ["content:write", "organization:read"]. Tokens that exist may
-- do whatever their users may.
ALTER TABLE token ADD COLUMN scopes TEXT NOT NULL DEFAULT '["admin"]' CHECK (json_valid(scopes));

-- The one organization that a token reaches, or the one space (with both, as long as it lies in that organization); both
-- NULL: everything that its user may see. No foreign keys: the token of a space that is purged must not become a token for
-- everything.
ALTER TABLE token ADD COLUMN organization_id TEXT;
ALTER TABLE token ADD COLUMN space_id TEXT;

-- The token that made this one. Its rights, its limit and its expiry bound those of this one.
ALTER TABLE token ADD COLUMN parent_id TEXT REFERENCES token (id);
CREATE INDEX token_by_parent ON token (parent_id) WHERE parent_id IS NOT NULL;

-- The longest lifetime, in milliseconds, among the token and the tokens that it descends from; NULL: one never expires.
ALTER TABLE token ADD COLUMN lifetime_ms INTEGER;
UPDATE token SET lifetime_ms = CAST(round((julianday(expires_at) - julianday(created_at)) * 86400000) AS INTEGER)
  WHERE expires_at IS NOT NULL;

-- How long a token may live to be accepted for the content of the organization; NULL: as long as it likes.
ALTER TABLE organization ADD COLUMN max_token_age_days INTEGER CHECK (max_token_age_days BETWEEN 1 AND 3650);

-- Tokens that an organization does not accept, although their users belong to it.
CREATE TABLE token_refusal (
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  token_id TEXT NOT NULL REFERENCES token (id) ON DELETE CASCADE,
  refused_by TEXT NOT NULL REFERENCES user (id),
  refused_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, token_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX token_refusal_by_token ON token_refusal (token_id);
