-- Identity providers, through which the members of an organization sign in.
CREATE TABLE sso_provider (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('saml', 'oidc')),
  label TEXT NOT NULL,
  -- Whether it has all that a sign-in needs.
  active INTEGER NOT NULL DEFAULT 0 CHECK (active IN (0, 1)),
  -- What a member who signs in for the first time gets; default_role NULL: a guest.
  default_team_id TEXT REFERENCES team (id) ON DELETE SET NULL,
  default_role TEXT CHECK (default_role IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  -- How the provider calls itself: a SAML entity ID, or the issuer of OpenID Connect.
  issuer TEXT NOT NULL DEFAULT '',
  -- SAML: where sign-ins begin, and the certificates of signatures.
  sso_url TEXT NOT NULL DEFAULT '',
  certificate TEXT NOT NULL DEFAULT '',
  -- OpenID Connect: the registered client. `trusts_email`: addresses count without `email_verified`.
  client_id TEXT NOT NULL DEFAULT '',
  secret_sealed TEXT,
  scopes TEXT NOT NULL DEFAULT '',
  trusts_email INTEGER NOT NULL DEFAULT 0 CHECK (trusts_email IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX sso_provider_by_organization ON sso_provider (organization_id, kind, seq);
CREATE INDEX sso_provider_by_team ON sso_provider (default_team_id) WHERE default_team_id IS NOT NULL;

-- The user that a subject of a provider is. `display_name` is the name that the provider last gave to a user whom it
-- created; NULL: it did not create the user.
CREATE TABLE sso_identity (
  provider_id TEXT NOT NULL REFERENCES sso_provider (id) ON DELETE CASCADE,
  subject TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  display_name TEXT,
  created_at TEXT NOT NULL,
  last_login_at TEXT NOT NULL,
  PRIMARY KEY (provider_id, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX sso_identity_by_user ON sso_identity (user_id);

-- A member who comes back is marked for single sign-on again, or does not sign in with it.
CREATE TRIGGER member_identities_removed AFTER DELETE ON member BEGIN
  DELETE FROM sso_identity WHERE user_id = old.user_id
    AND provider_id IN (SELECT id FROM sso_provider WHERE organization_id = old.organization_id);
END;

-- Sign-ins that have begun. The id is the id of the SAML request, or the state of OpenID Connect.
CREATE TABLE sso_request (
  id TEXT NOT NULL PRIMARY KEY,
  provider_id TEXT NOT NULL REFERENCES sso_provider (id) ON DELETE CASCADE,
  -- What the sign-in ends with: a one-time code (at redirect_uri, or on a page), or a browser session.
  delivery TEXT NOT NULL DEFAULT 'code' CHECK (delivery IN ('code', 'session')),
  redirect_uri TEXT,
  code_challenge TEXT,
  state TEXT,
  -- SHA-256 of the secret in the cookie of the browser.
  browser_hash TEXT NOT NULL,
  -- OpenID Connect: the nonce, and the verifier of the code, sealed.
  nonce TEXT,
  verifier_sealed TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sso_request_by_expiry ON sso_request (expires_at);
CREATE INDEX sso_request_by_provider ON sso_request (provider_id);

-- One-time codes, by SHA-256. A used one stays until it expires, because a second use ends the token of the first.
CREATE TABLE sso_code (
  hash TEXT NOT NULL PRIMARY KEY,
  provider_id TEXT NOT NULL REFERENCES sso_provider (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  code_challenge TEXT,
  -- When the provider ends the session; NULL: it does not say.
  session_ends_at TEXT,
  token_id TEXT REFERENCES token (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sso_code_by_expiry ON sso_code (expires_at);
CREATE INDEX sso_code_by_provider ON sso_code (provider_id);

-- The ids of accepted SAML assertions, until none of them could be accepted again.
CREATE TABLE sso_assertion (
  provider_id TEXT NOT NULL REFERENCES sso_provider (id) ON DELETE CASCADE,
  assertion_id TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (provider_id, assertion_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sso_assertion_by_expiry ON sso_assertion (expires_at);

-- Sessions of browsers. A session acts with the rights of its token: one that a person entered, or, with provider_id, one
-- that a sign-in through the provider made for it. No foreign key for provider_id: the session of a deleted provider must
-- not become one without.
CREATE TABLE session (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  provider_id TEXT,
  -- The organization that the token is limited to.
  organization_id TEXT,
  token_id TEXT NOT NULL REFERENCES token (id) ON DELETE CASCADE,
  user_agent TEXT,
  address TEXT,
  created_at TEXT NOT NULL,
  last_used_at TEXT,
  expires_at TEXT NOT NULL,
  revoked_at TEXT
) STRICT;
CREATE INDEX session_by_user ON session (user_id, seq);
CREATE INDEX session_by_provider ON session (provider_id) WHERE provider_id IS NOT NULL;
CREATE INDEX session_by_token ON session (token_id);
CREATE INDEX session_by_expiry ON session (expires_at);

-- The provider through which a token, or the token that made it, came. No foreign key: see above.
ALTER TABLE token ADD COLUMN provider_id TEXT;
CREATE INDEX token_by_provider ON token (provider_id) WHERE provider_id IS NOT NULL;
