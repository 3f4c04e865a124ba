-- Invite links end, can be limited in uses, and are found by a digest of their secret: the id is that digest from now on.
-- invite_id() is a function of the program.
PRAGMA defer_foreign_keys = ON;
ALTER TABLE link_invite ADD COLUMN expires_at TEXT NOT NULL DEFAULT '';
ALTER TABLE link_invite ADD COLUMN max_uses INTEGER CHECK (max_uses > 0);
ALTER TABLE link_invite ADD COLUMN uses INTEGER NOT NULL DEFAULT 0;
UPDATE link_invite SET
  expires_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+7 days'),
  uses = (SELECT count(*) FROM link_invite_use WHERE invite_id = link_invite.id);
UPDATE link_invite_use SET invite_id = invite_id(invite_id);
UPDATE link_invite SET id = invite_id(id);

-- When something was last taken from a person in an organization: their membership, a role, or a place in a team. Invites
-- made before do not work for them, and after they have gone they do not join by the domain of their address.
CREATE TABLE revocation (
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  revoked_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, user_id)
) STRICT, WITHOUT ROWID;
INSERT INTO revocation (organization_id, user_id, revoked_at)
  SELECT organization.id, user.id, max(audit_event.created_at)
  FROM audit_event
  JOIN organization ON organization.id = audit_event.organization_id
  JOIN user ON user.id = audit_event.target_id
  WHERE audit_event.action = 'member.removed'
  GROUP BY organization.id, user.id;

-- Invitations of people who have an account in another organization: they accept or decline.
CREATE TABLE invitation (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  -- The address as the admin wrote it.
  email TEXT NOT NULL,
  role TEXT CHECK (role IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  sso INTEGER NOT NULL DEFAULT 0 CHECK (sso IN (0, 1)),
  created_by TEXT NOT NULL REFERENCES user (id),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  UNIQUE (organization_id, user_id)
) STRICT;
CREATE INDEX invitation_by_user ON invitation (user_id, seq);
CREATE INDEX invitation_by_organization ON invitation (organization_id, seq);

-- Whether only admins of the organization bring in people who do not belong to it.
ALTER TABLE organization ADD COLUMN outsiders_by_admins INTEGER NOT NULL DEFAULT 1 CHECK (outsiders_by_admins IN (0, 1));
