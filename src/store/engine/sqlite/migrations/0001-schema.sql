-- The schema of stemma.db. The number of the last migration is the schema version of the file.
-- derived.sql has the tables of rows that can be derived.

---- People and organizations ----

CREATE TABLE user (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  confirmed_email TEXT UNIQUE COLLATE NOCASE,
  photo_url TEXT,
  is_agent INTEGER NOT NULL DEFAULT 0 CHECK (is_agent IN (0, 1)),
  created_at TEXT NOT NULL,
  -- An address that an organization asserts for an account (its identity provider, or its
  -- invitation of an unknown address) holds in this organization only, and does not take the
  -- address on the server.
  asserted_email TEXT COLLATE NOCASE,
  asserted_by TEXT,
  email TEXT COLLATE NOCASE GENERATED ALWAYS AS (coalesce(confirmed_email, asserted_email)) VIRTUAL
) STRICT;
CREATE INDEX user_by_email ON user (email) WHERE email IS NOT NULL;
CREATE UNIQUE INDEX user_by_asserted_email ON user (asserted_by, asserted_email)
  WHERE asserted_email IS NOT NULL;

CREATE TABLE organization (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  hostname TEXT UNIQUE,
  email_domains TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(email_domains)),
  default_role TEXT
    CHECK (default_role IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  default_content TEXT CHECK (default_content IS NULL OR json_valid(default_content)),
  logo TEXT,
  sso INTEGER NOT NULL DEFAULT 0,
  ai INTEGER NOT NULL DEFAULT 0,
  invite_links INTEGER NOT NULL DEFAULT 1,
  merge_rules TEXT NOT NULL DEFAULT '{"type":"none"}' CHECK (json_valid(merge_rules)),
  created_at TEXT NOT NULL,
  -- Whether only admins of the organization may invite people who do not belong to it.
  outsiders_by_admins INTEGER NOT NULL DEFAULT 1 CHECK (outsiders_by_admins IN (0, 1)),
  -- How long a token may live to be accepted for the content of the organization; NULL: any time.
  max_token_age_days INTEGER CHECK (max_token_age_days BETWEEN 1 AND 3650)
) STRICT;

-- The key that signs statements of an organization about its members. `sealed` holds the private
-- half.
CREATE TABLE organization_key (
  organization_id TEXT NOT NULL PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
  public_jwk TEXT NOT NULL CHECK (json_valid(public_jwk)),
  sealed TEXT NOT NULL,
  created_at TEXT NOT NULL,
  -- Public halves of former keys: [{"jwk", "until"}]. Their signatures are valid until then. Their
  -- private halves are deleted.
  retired TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(retired))
) STRICT, WITHOUT ROWID;
CREATE INDEX organization_key_first_seal ON organization_key (sealed) WHERE sealed NOT GLOB 'v2.*';

-- role NULL: a guest, who sees only what was granted to them.
CREATE TABLE member (
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  role TEXT CHECK (role IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  joined_at TEXT NOT NULL,
  last_seen_at TEXT,
  -- Whether the member signs in through an identity provider, and whether the membership is
  -- suspended.
  sso INTEGER NOT NULL DEFAULT 0 CHECK (sso IN (0, 1)),
  disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
  PRIMARY KEY (organization_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_by_user ON member (user_id);
CREATE INDEX member_by_joining ON member (organization_id, joined_at, user_id);
CREATE INDEX member_by_visit ON member (organization_id, last_seen_at, user_id)
  WHERE last_seen_at IS NOT NULL;
CREATE INDEX member_by_role ON member (organization_id, role, joined_at, user_id);
-- A member who joins again needs a new link to the identity provider.
CREATE TRIGGER member_identities_removed AFTER DELETE ON member BEGIN
  DELETE FROM sso_identity WHERE user_id = old.user_id
    AND provider_id IN (SELECT id FROM sso_provider WHERE organization_id = old.organization_id);
END;

CREATE TABLE team (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX team_by_organization ON team (organization_id, seq);

CREATE TABLE team_member (
  team_id TEXT NOT NULL REFERENCES team (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  role TEXT NOT NULL DEFAULT 'member' CHECK (role IN ('owner', 'member')),
  PRIMARY KEY (team_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX team_member_by_user ON team_member (user_id);

-- When a user last lost a membership of an organization, a role in it, or a place in one of its
-- teams. Earlier invite links do not work for them, and former members do not join by their email
-- domain.
CREATE TABLE revocation (
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  revoked_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, user_id)
) STRICT, WITHOUT ROWID;

-- Invitations of users who belong to another organization: they accept or decline.
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

-- A link by which users join: with a role in the organization, or as a guest with a level on one
-- space or collection. The id is a digest of the secret in the link.
CREATE TABLE link_invite (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  role TEXT CHECK (role IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  level TEXT CHECK (level IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  space_id TEXT REFERENCES space (id) ON DELETE CASCADE,
  collection_id TEXT REFERENCES collection (id) ON DELETE CASCADE,
  created_by TEXT NOT NULL REFERENCES user (id),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL DEFAULT '',
  max_uses INTEGER CHECK (max_uses > 0),
  uses INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX link_invite_by_organization ON link_invite (organization_id, seq);
CREATE INDEX link_invite_by_space ON link_invite (space_id) WHERE space_id IS NOT NULL;
CREATE INDEX link_invite_by_collection ON link_invite (collection_id)
  WHERE collection_id IS NOT NULL;

-- The users who joined with a link, or were removed while it existed: it does not admit them again.
CREATE TABLE link_invite_use (
  invite_id TEXT NOT NULL REFERENCES link_invite (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  used_at TEXT NOT NULL,
  PRIMARY KEY (invite_id, user_id)
) STRICT, WITHOUT ROWID;

---- Tokens and sessions ----

CREATE TABLE token (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  last_used_at TEXT,
  expires_at TEXT,
  revoked_at TEXT,
  -- A JSON array such as ["read"] or ["content:write", "organization:read"].
  scopes TEXT NOT NULL DEFAULT '["admin"]' CHECK (json_valid(scopes)),
  -- The one organization that a token reaches, or the one space (with both, while it belongs to
  -- that organization); both NULL: everything that its user may see. No foreign keys: the token of
  -- a space that is purged must not become a token for everything.
  organization_id TEXT,
  space_id TEXT,
  -- The token that created this one. Its rights, its limit and its expiry bound those of this one.
  parent_id TEXT REFERENCES token (id),
  -- The longest lifetime in milliseconds of the token and its ancestors; NULL: one never expires.
  lifetime_ms INTEGER,
  -- Set on the token of an installation, and on the secret with which an integration creates such
  -- tokens.
  installation_id TEXT REFERENCES integration_installation (id) ON DELETE CASCADE,
  integration_id TEXT REFERENCES integration (id) ON DELETE CASCADE,
  -- The identity provider whose sign-in created the token or its ancestor. No foreign key: see
  -- above.
  provider_id TEXT
) STRICT;
CREATE INDEX token_by_user ON token (user_id, seq);
CREATE INDEX token_by_parent ON token (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX token_by_installation ON token (installation_id) WHERE installation_id IS NOT NULL;
CREATE INDEX token_by_integration ON token (integration_id) WHERE integration_id IS NOT NULL;
CREATE INDEX token_by_provider ON token (provider_id) WHERE provider_id IS NOT NULL;

-- Tokens that an organization does not accept, although their users belong to it.
CREATE TABLE token_refusal (
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  token_id TEXT NOT NULL REFERENCES token (id) ON DELETE CASCADE,
  refused_by TEXT NOT NULL REFERENCES user (id),
  refused_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, token_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX token_refusal_by_token ON token_refusal (token_id);

-- Sessions of browsers. A session acts with the rights of its token: one that a user entered, or,
-- with provider_id, one that a sign-in through the provider created. No foreign key for
-- provider_id: the session of a deleted provider must not become one without a provider.
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

---- Spaces ----

CREATE TABLE collection (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  parent_id TEXT REFERENCES collection (id),
  title TEXT NOT NULL,
  description TEXT,
  default_level TEXT DEFAULT 'inherit'
    CHECK (default_level IN ('inherit', 'read', 'comment', 'edit', 'review', 'create', 'admin')),
  position INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX collection_by_organization ON collection (organization_id, position, seq);
CREATE INDEX collection_by_parent ON collection (parent_id, position, seq);

CREATE TABLE space (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id),
  collection_id TEXT REFERENCES collection (id),
  title TEXT NOT NULL,
  emoji TEXT NOT NULL DEFAULT '',
  icon TEXT,
  visibility TEXT NOT NULL DEFAULT 'private',
  edit_mode TEXT NOT NULL DEFAULT 'live' CHECK (edit_mode IN ('live', 'locked')),
  language TEXT,
  default_level TEXT DEFAULT 'inherit'
    CHECK (default_level IN ('inherit', 'read', 'comment', 'edit', 'review', 'create', 'admin')),
  merge_rules TEXT NOT NULL DEFAULT '{"type":"inherit"}' CHECK (json_valid(merge_rules)),
  position INTEGER NOT NULL DEFAULT 0,
  -- While it is 1, an imported history may replace the first commit.
  pristine INTEGER NOT NULL DEFAULT 1 CHECK (pristine IN (0, 1)),
  last_change_request INTEGER NOT NULL DEFAULT 0,
  created_by TEXT REFERENCES user (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  -- The number of open comments outside change requests. Kept by triggers.
  open_comments INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX space_by_organization ON space (organization_id, position, seq);
CREATE INDEX space_by_collection ON space (collection_id, position, seq);
CREATE INDEX space_by_deletion ON space (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX space_by_age ON space (organization_id, seq, collection_id, default_level, id)
  WHERE deleted_at IS NULL;
-- For the limit of new spaces of a user within a day.
CREATE INDEX space_by_creator ON space (created_by, created_at);

-- The role of a user or a team on a space or a collection. role NULL: no access.
CREATE TABLE permission (
  target_kind TEXT NOT NULL CHECK (target_kind IN ('space', 'collection')),
  target_id TEXT NOT NULL,
  subject_kind TEXT NOT NULL CHECK (subject_kind IN ('user', 'team')),
  subject_id TEXT NOT NULL,
  role TEXT CHECK (role IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  created_at TEXT NOT NULL,
  PRIMARY KEY (target_kind, target_id, subject_kind, subject_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX permission_by_subject ON permission (subject_kind, subject_id);

---- Git ----

-- A mirror of the refs of each space that the service has seen or created. Git is the truth.
CREATE TABLE ref (
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  oid TEXT NOT NULL,
  PRIMARY KEY (space_id, name)
) STRICT, WITHOUT ROWID;

-- The journal: a change of refs and rows, kept until both are changed.
CREATE TABLE operation (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  space_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  user_id TEXT,
  -- [{ref, from, to}], the decisive one last.
  moves TEXT NOT NULL CHECK (json_valid(moves)),
  -- The changes of rows that follow, as data.
  effects TEXT NOT NULL CHECK (json_valid(effects)),
  answer TEXT CHECK (answer IS NULL OR json_valid(answer)),
  created_at TEXT NOT NULL
) STRICT;

-- The commits that the service created. Written in the transaction of the rows that follow from the
-- move of the ref, because an imported or pushed commit can have any message and any committer.
CREATE TABLE service_commit (
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  oid TEXT NOT NULL,
  kind TEXT NOT NULL
    CHECK (kind IN ('create-space', 'edit', 'merge', 'update', 'import', 'export')),
  PRIMARY KEY (space_id, oid)
) STRICT, WITHOUT ROWID;

-- Where the published history does not continue with the first parent: `oid` was published after
-- `previous`, which is an ancestor of it but not on its first-parent line, as after an export, or a
-- merge whose first parent is a foreign commit.
CREATE TABLE published_jump (
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  oid TEXT NOT NULL,
  previous TEXT NOT NULL,
  PRIMARY KEY (space_id, oid)
) STRICT, WITHOUT ROWID;

-- An unfinished purge of content. The next start finishes it.
CREATE TABLE content_purge (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id TEXT NOT NULL UNIQUE REFERENCES space (id) ON DELETE CASCADE,
  -- The removed blobs, as a JSON array of oids.
  blobs TEXT NOT NULL CHECK (json_valid(blobs)),
  -- [{ref, from, to}]
  moves TEXT NOT NULL CHECK (json_valid(moves)),
  -- begun: new objects are written; moved: refs and rows are changed.
  state TEXT NOT NULL DEFAULT 'begun' CHECK (state IN ('begun', 'moved')),
  created_at TEXT NOT NULL
) STRICT;

-- Commits that a purge of content has rewritten.
CREATE TABLE rewritten_commit (
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  old_oid TEXT NOT NULL,
  new_oid TEXT NOT NULL,
  PRIMARY KEY (space_id, old_oid)
) STRICT, WITHOUT ROWID;
CREATE INDEX rewritten_commit_by_new ON rewritten_commit (space_id, new_oid);

-- The state of Git sync after the last operation.
CREATE TABLE git_sync (
  space_id TEXT NOT NULL PRIMARY KEY REFERENCES space (id) ON DELETE CASCADE,
  repo_name TEXT,
  provider TEXT,
  url TEXT,
  repo_tree_url TEXT,
  repo_commit_url TEXT,
  project_directory TEXT,
  ref TEXT,
  last_timestamp TEXT,
  updated_at TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE git_sync_operation (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  direction TEXT NOT NULL CHECK (direction IN ('import', 'export')),
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'success', 'failure')),
  stage TEXT CHECK (stage IN ('repo_fetch', 'config_check', 'content_process', 'finalize')),
  completed_tasks INTEGER NOT NULL DEFAULT 0,
  dispatched_tasks INTEGER NOT NULL DEFAULT 0,
  ref TEXT NOT NULL,
  url TEXT NOT NULL,
  -- The request, without credentials.
  request TEXT NOT NULL CHECK (json_valid(request)),
  -- The credentials, sealed with the server's key; removed when the operation ends.
  sealed TEXT,
  timestamp TEXT NOT NULL,
  revision TEXT,
  error TEXT,
  created_by TEXT NOT NULL REFERENCES user (id),
  created_at TEXT NOT NULL,
  started_at TEXT,
  updated_at TEXT NOT NULL,
  completed_at TEXT,
  -- The files that a Git import changed in the space, or an export in the repository; NULL: not
  -- counted.
  files_added INTEGER,
  files_changed INTEGER,
  files_removed INTEGER
) STRICT;
CREATE INDEX git_sync_operation_by_space ON git_sync_operation (space_id, seq);
CREATE INDEX git_sync_operation_pending ON git_sync_operation (created_by)
  WHERE state IN ('queued', 'running');
-- Texts that were sealed without a purpose. A start seals them again, and this index tells it that
-- there are none.
CREATE INDEX git_sync_operation_first_seal ON git_sync_operation (sealed)
  WHERE sealed NOT GLOB 'v2.*';

---- Change requests ----

CREATE TABLE change_request (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('draft', 'open', 'archived', 'merged')),
  subject TEXT NOT NULL DEFAULT '',
  description TEXT CHECK (description IS NULL OR json_valid(description)),
  created_by TEXT NOT NULL REFERENCES user (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  -- The head of its branch, or its head when it was merged.
  revision TEXT NOT NULL,
  revision_initial TEXT NOT NULL,
  revision_merged_ancestor TEXT,
  revision_merged TEXT,
  merged_by TEXT REFERENCES user (id),
  merged_at TEXT,
  conversations_issues_cluster TEXT,
  -- Kept by triggers.
  open_comments INTEGER NOT NULL DEFAULT 0,
  -- The name of the branch that was pushed; the repository only has change-requests/<number>.
  branch TEXT,
  UNIQUE (space_id, number)
) STRICT;
CREATE INDEX change_request_by_status ON change_request (space_id, status, number);
CREATE INDEX change_request_by_creator ON change_request (space_id, created_by, number);
CREATE INDEX change_request_by_merge ON change_request (space_id, revision_merged)
  WHERE revision_merged IS NOT NULL;
-- For lists over many spaces, newest first, and for lists of the change requests that a user takes
-- part in.
CREATE INDEX change_request_by_age ON change_request (space_id, status, seq);
CREATE INDEX change_request_by_maker ON change_request (created_by, status, seq);
CREATE INDEX change_request_by_cluster ON change_request (conversations_issues_cluster)
  WHERE conversations_issues_cluster IS NOT NULL;
CREATE UNIQUE INDEX change_request_by_branch ON change_request (space_id, branch)
  WHERE branch IS NOT NULL AND status <> 'merged';
-- For the limit of new change requests of a user within a day.
CREATE INDEX change_request_by_opening ON change_request (created_by, created_at);

-- The users who committed to a change request.
CREATE TABLE change_request_contributor (
  change_request_id TEXT NOT NULL REFERENCES change_request (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  count INTEGER NOT NULL,
  updated_at TEXT NOT NULL,
  -- Whether the user changed content, and did not only merge the primary content.
  wrote INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (change_request_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX change_request_contributor_by_user
  ON change_request_contributor (user_id, change_request_id);

-- Requests for reviews, and reviews. A review is about one revision.
CREATE TABLE requested_reviewer (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  change_request_id TEXT NOT NULL REFERENCES change_request (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  requested_by TEXT NOT NULL REFERENCES user (id),
  revision TEXT NOT NULL,
  created_at TEXT NOT NULL,
  UNIQUE (change_request_id, user_id)
) STRICT;
CREATE INDEX requested_reviewer_by_user ON requested_reviewer (user_id, change_request_id);
CREATE INDEX requested_reviewer_by_revision ON requested_reviewer (space_id, revision);

CREATE TABLE review (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  change_request_id TEXT NOT NULL REFERENCES change_request (id) ON DELETE CASCADE,
  reviewer_id TEXT NOT NULL REFERENCES user (id),
  requested_by TEXT REFERENCES user (id),
  revision TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('approved', 'changes-requested')),
  comment_id TEXT REFERENCES comment (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX review_by_change_request ON review (change_request_id, seq);
CREATE INDEX review_by_revision ON review (space_id, revision);
CREATE INDEX review_by_comment ON review (comment_id) WHERE comment_id IS NOT NULL;

---- Comments ----

-- A comment belongs to a space, or to one of its change requests. Its revision is the head when it
-- was posted.
CREATE TABLE comment (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  change_request_id TEXT REFERENCES change_request (id) ON DELETE CASCADE,
  review_id TEXT,
  page_id TEXT,
  node_id TEXT,
  table_record TEXT,
  table_definition TEXT,
  revision TEXT NOT NULL,
  -- {"markdown": …} or {"document": …}, as it was sent.
  body TEXT NOT NULL CHECK (json_valid(body)),
  posted_by TEXT NOT NULL REFERENCES user (id),
  posted_at TEXT NOT NULL,
  edited_at TEXT,
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'resolved')),
  resolved_at TEXT,
  resolved_by TEXT REFERENCES user (id),
  -- Kept by triggers.
  replies INTEGER NOT NULL DEFAULT 0,
  CHECK ((status = 'resolved') = (resolved_at IS NOT NULL AND resolved_by IS NOT NULL))
) STRICT;
-- coalesce gives comments outside change requests a value, so that one index serves both kinds of
-- lists. There is one index for each filter: a list of both statuses reads two ranges of the same
-- index, in the order of seq.
CREATE INDEX comment_by_status ON comment (space_id, coalesce(change_request_id, ''), status, seq);
CREATE INDEX comment_by_page
  ON comment (space_id, coalesce(change_request_id, ''), page_id, status, seq);
CREATE INDEX comment_by_author
  ON comment (space_id, coalesce(change_request_id, ''), posted_by, status, seq);
CREATE INDEX comment_by_author_and_page
  ON comment (space_id, coalesce(change_request_id, ''), posted_by, page_id, status, seq);
CREATE INDEX comment_by_time ON comment (posted_by, posted_at);
CREATE INDEX comment_by_space_and_time ON comment (space_id, posted_at);
CREATE INDEX comment_by_change_request ON comment (change_request_id)
  WHERE change_request_id IS NOT NULL;
CREATE INDEX comment_by_revision ON comment (space_id, revision);
CREATE TRIGGER comment_added AFTER INSERT ON comment WHEN new.status = 'open' BEGIN
  UPDATE space SET open_comments = open_comments + 1
    WHERE id = new.space_id AND new.change_request_id IS NULL;
  UPDATE change_request SET open_comments = open_comments + 1 WHERE id = new.change_request_id;
END;
CREATE TRIGGER comment_removed AFTER DELETE ON comment WHEN old.status = 'open' BEGIN
  UPDATE space SET open_comments = open_comments - 1
    WHERE id = old.space_id AND old.change_request_id IS NULL;
  UPDATE change_request SET open_comments = open_comments - 1 WHERE id = old.change_request_id;
END;
CREATE TRIGGER comment_turned AFTER UPDATE OF status ON comment WHEN old.status <> new.status BEGIN
  UPDATE space SET open_comments = open_comments + iif(new.status = 'open', 1, -1)
    WHERE id = new.space_id AND new.change_request_id IS NULL;
  UPDATE change_request SET open_comments = open_comments + iif(new.status = 'open', 1, -1)
    WHERE id = new.change_request_id;
END;
CREATE TRIGGER commenter_commented AFTER INSERT ON comment BEGIN
  INSERT INTO commenter (change_request_id, space_id, user_id, count, updated_at)
    VALUES (coalesce(new.change_request_id, ''), new.space_id, new.posted_by, 1, new.posted_at)
    ON CONFLICT DO UPDATE SET count = count + 1, updated_at = excluded.updated_at;
END;
CREATE TRIGGER commenter_removed_comment AFTER DELETE ON comment BEGIN
  UPDATE commenter SET count = count - 1
    WHERE change_request_id = coalesce(old.change_request_id, '')
    AND space_id = old.space_id AND user_id = old.posted_by;
  DELETE FROM commenter WHERE change_request_id = coalesce(old.change_request_id, '')
    AND space_id = old.space_id AND user_id = old.posted_by AND count = 0;
END;

CREATE TABLE comment_reply (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  comment_id TEXT NOT NULL REFERENCES comment (id) ON DELETE CASCADE,
  -- Copied from its comment, which is deleted before the reply is.
  space_id TEXT NOT NULL,
  change_request_id TEXT,
  body TEXT NOT NULL CHECK (json_valid(body)),
  posted_by TEXT NOT NULL REFERENCES user (id),
  posted_at TEXT NOT NULL,
  edited_at TEXT
) STRICT;
CREATE INDEX comment_reply_by_comment ON comment_reply (comment_id, seq);
CREATE INDEX comment_reply_by_replier ON comment_reply (comment_id, posted_by, posted_at);
CREATE INDEX comment_reply_by_time ON comment_reply (posted_by, posted_at);
CREATE INDEX comment_reply_by_author
  ON comment_reply (space_id, coalesce(change_request_id, ''), posted_by);
CREATE INDEX comment_reply_by_space_and_time ON comment_reply (space_id, posted_at);
CREATE TRIGGER comment_reply_added AFTER INSERT ON comment_reply BEGIN
  UPDATE comment SET replies = replies + 1 WHERE id = new.comment_id;
END;
CREATE TRIGGER comment_reply_removed AFTER DELETE ON comment_reply BEGIN
  UPDATE comment SET replies = replies - 1 WHERE id = old.comment_id;
  DELETE FROM reaction WHERE comment_id = old.comment_id AND reply_id = old.id;
END;
CREATE TRIGGER commenter_replied AFTER INSERT ON comment_reply BEGIN
  INSERT INTO commenter (change_request_id, space_id, user_id, count, updated_at)
    VALUES (coalesce(new.change_request_id, ''), new.space_id, new.posted_by, 1, new.posted_at)
    ON CONFLICT DO UPDATE SET count = count + 1, updated_at = excluded.updated_at;
END;
CREATE TRIGGER commenter_removed_reply AFTER DELETE ON comment_reply BEGIN
  UPDATE commenter SET count = count - 1
    WHERE change_request_id = coalesce(old.change_request_id, '')
    AND space_id = old.space_id AND user_id = old.posted_by;
  DELETE FROM commenter WHERE change_request_id = coalesce(old.change_request_id, '')
    AND space_id = old.space_id AND user_id = old.posted_by AND count = 0;
END;

-- An emoji on a comment (reply_id '') or on one of its replies.
CREATE TABLE reaction (
  comment_id TEXT NOT NULL REFERENCES comment (id) ON DELETE CASCADE,
  reply_id TEXT NOT NULL DEFAULT '',
  emoji TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  reacted_at TEXT NOT NULL,
  PRIMARY KEY (comment_id, reply_id, emoji, user_id)
) STRICT, WITHOUT ROWID;

-- The number of comments and replies of a user in a space (change_request_id '') or in one of its
-- change requests, and the time of the last one. Kept by triggers.
CREATE TABLE commenter (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  change_request_id TEXT NOT NULL,
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id),
  count INTEGER NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (change_request_id, space_id, user_id)
) STRICT;
CREATE INDEX commenter_by_space ON commenter (space_id);
CREATE INDEX commenter_by_user ON commenter (user_id, change_request_id);

---- OpenAPI ----

-- OpenAPI specs. Their versions are commits in the repository of specs of the organization.
CREATE TABLE openapi_spec (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  slug TEXT NOT NULL,
  -- NULL: the spec was sent as text.
  source_url TEXT,
  visibility TEXT NOT NULL DEFAULT 'private' CHECK (visibility IN ('private', 'public')),
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'progress', 'complete')),
  last_version TEXT,
  last_processed_at TEXT,
  error_code TEXT CHECK (error_code IN ('FETCH_TIMEOUT', 'FETCH_ERROR', 'PARSE_ERROR')),
  -- [{"message", "code"}] of the last attempt.
  errors TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(errors)),
  created_by TEXT REFERENCES user (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX openapi_spec_by_slug ON openapi_spec (organization_id, slug COLLATE NOCASE);
CREATE INDEX openapi_spec_by_organization ON openapi_spec (organization_id, seq);

-- Sources that are not processed yet, oldest first: an address, or a text (gzip).
CREATE TABLE openapi_source (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  spec_id TEXT NOT NULL REFERENCES openapi_spec (id) ON DELETE CASCADE,
  url TEXT,
  packed BLOB,
  -- The number of failed fetches.
  attempts INTEGER NOT NULL DEFAULT 0,
  created_by TEXT REFERENCES user (id),
  created_at TEXT NOT NULL,
  CHECK ((url IS NULL) <> (packed IS NULL))
) STRICT;
CREATE INDEX openapi_source_by_spec ON openapi_source (spec_id, seq);

-- The commits of the branch of a spec: `id` is the oid, `entry` the path of the main file.
CREATE TABLE openapi_version (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  spec_id TEXT NOT NULL REFERENCES openapi_spec (id) ON DELETE CASCADE,
  entry TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX openapi_version_by_spec ON openapi_version (spec_id, seq);

---- Sites ----

CREATE TABLE site (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  type TEXT NOT NULL DEFAULT 'basic',
  title TEXT NOT NULL,
  visibility TEXT NOT NULL DEFAULT 'public'
    CHECK (visibility IN ('public', 'unlisted', 'share-link', 'visitor-auth')),
  published INTEGER NOT NULL DEFAULT 0 CHECK (published IN (0, 1)),
  published_at TEXT,
  basename TEXT NOT NULL,
  hostname TEXT UNIQUE,
  proxy_origin TEXT UNIQUE,
  adaptive INTEGER NOT NULL DEFAULT 0 CHECK (adaptive IN (0, 1)),
  agents_context TEXT NOT NULL DEFAULT 'included'
    CHECK (agents_context IN ('included', 'excluded')),
  default_level TEXT NOT NULL DEFAULT 'inherit',
  -- The stored defaults. While one is not live, the first live sibling acts as the default.
  default_section_id TEXT,
  default_site_space_id TEXT,
  -- The settings that differ from the defaults; NULL: none.
  customization TEXT CHECK (customization IS NULL OR json_valid(customization)),
  -- Reading tokens contain it: raising it ends all earlier ones.
  access_version INTEGER NOT NULL DEFAULT 1,
  created_by TEXT REFERENCES user (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  -- Who may read earlier versions on the site: the members who may read the space, or all readers
  -- of the site.
  time_travel TEXT NOT NULL DEFAULT 'members' CHECK (time_travel IN ('members', 'readers')),
  -- Hosts that the operator's rules no longer allow. The site gets them back with the rule.
  withdrawn_hostname TEXT,
  withdrawn_proxy_origin TEXT
) STRICT;
CREATE UNIQUE INDEX site_by_basename ON site (organization_id, basename);
CREATE INDEX site_by_organization ON site (organization_id, seq);

-- A section is at the root of its site or in a group. `position` orders the sections and groups of
-- one parent.
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
CREATE INDEX site_section_group_by_parent ON site_section_group (parent_id)
  WHERE parent_id IS NOT NULL;

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
-- The redirects to a section or site space, and its former paths, are deleted with it.
CREATE TRIGGER site_section_removed AFTER DELETE ON site_section BEGIN
  DELETE FROM site_redirect
    WHERE site_id = old.site_id AND destination ->> '$.siteSectionId' = old.id;
  DELETE FROM site_alias WHERE site_id = old.site_id AND (target_id = old.id OR scope = old.id);
END;

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
CREATE TRIGGER site_space_removed AFTER DELETE ON site_space BEGIN
  DELETE FROM site_redirect
    WHERE site_id = old.site_id AND destination ->> '$.siteSpaceId' = old.id;
  DELETE FROM site_alias WHERE target_id = old.id;
END;

-- Former paths, which redirect. `scope` is 'organization' for basenames (site_id NULL), '' for the
-- root of a site, else the id of the section that the path was in.
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
CREATE UNIQUE INDEX site_alias_by_path
  ON site_alias (organization_id, coalesce(site_id, ''), scope, path);
CREATE INDEX site_alias_by_target ON site_alias (target_id, seq);
CREATE INDEX site_alias_by_site ON site_alias (site_id) WHERE site_id IS NOT NULL;

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
-- For the deletion of a section or site space.
CREATE INDEX site_redirect_by_site_space ON site_redirect (site_id, destination ->> '$.siteSpaceId')
  WHERE destination ->> '$.siteSpaceId' IS NOT NULL;
CREATE INDEX site_redirect_by_section ON site_redirect (site_id, destination ->> '$.siteSectionId')
  WHERE destination ->> '$.siteSectionId' IS NOT NULL;

CREATE TABLE site_permission (
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  subject_kind TEXT NOT NULL CHECK (subject_kind IN ('user', 'team')),
  subject_id TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  created_at TEXT NOT NULL,
  PRIMARY KEY (site_id, subject_kind, subject_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX site_permission_by_subject ON site_permission (subject_kind, subject_id);

-- The organization that each rule of STEMMA_SITE_HOSTS named when the server first started with it.
-- A later change of a hostname does not move the rule.
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
CREATE INDEX share_link_first_seal ON share_link (key_sealed) WHERE key_sealed NOT GLOB 'v2.*';

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
CREATE INDEX site_visitor_auth_first_seal ON site_visitor_auth (key_sealed)
  WHERE key_sealed NOT GLOB 'v2.*';

-- The adaptive schema: the claims that visitors may have.
CREATE TABLE site_schema (
  site_id TEXT NOT NULL PRIMARY KEY REFERENCES site (id) ON DELETE CASCADE,
  json_schema TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Answers of readers to "Was this page helpful?", counted by page, revision and day.
CREATE TABLE page_feedback (
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  site_space_id TEXT NOT NULL REFERENCES site_space (id) ON DELETE CASCADE,
  page_id TEXT NOT NULL,
  revision TEXT NOT NULL,
  day TEXT NOT NULL,
  rating TEXT NOT NULL CHECK (rating IN ('yes', 'partly', 'no')),
  count INTEGER NOT NULL CHECK (count >= 0),
  PRIMARY KEY (site_space_id, page_id, day, revision, rating)
) STRICT, WITHOUT ROWID;
CREATE INDEX page_feedback_by_site ON page_feedback (site_id, day);

-- The readers who answered today, so that each counts once per page. `reader` is a digest whose key
-- is never stored. Rows are deleted after the day.
CREATE TABLE page_feedback_reader (
  site_space_id TEXT NOT NULL REFERENCES site_space (id) ON DELETE CASCADE,
  page_id TEXT NOT NULL,
  reader TEXT NOT NULL,
  day TEXT NOT NULL,
  revision TEXT NOT NULL,
  rating TEXT NOT NULL,
  PRIMARY KEY (site_space_id, page_id, reader)
) STRICT, WITHOUT ROWID;
CREATE INDEX page_feedback_reader_by_day ON page_feedback_reader (day);

---- Integrations ----

-- Manifests that organizations publish or the operator provides. Their scripts are stored, never
-- run.
CREATE TABLE integration (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  name_folded TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  -- 'server': from the operator's folder.
  source TEXT NOT NULL DEFAULT 'organization' CHECK (source IN ('organization', 'server')),
  version INTEGER NOT NULL DEFAULT 1,
  title TEXT NOT NULL,
  visibility TEXT NOT NULL DEFAULT 'private'
    CHECK (visibility IN ('public', 'private', 'unlisted')),
  target TEXT NOT NULL DEFAULT 'all' CHECK (target IN ('all', 'site', 'space', 'organization')),
  -- The other public properties.
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
CREATE INDEX integration_first_seal ON integration (secrets_sealed)
  WHERE secrets_sealed NOT GLOB 'v2.*';

-- The images of an integration.
CREATE TABLE integration_asset (
  integration_id TEXT NOT NULL REFERENCES integration (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  digest TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (integration_id, name)
) STRICT;

-- The installation of an integration on an organization. Its tokens act for `user_id`, who
-- installed it.
CREATE TABLE integration_installation (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  integration_id TEXT NOT NULL REFERENCES integration (id) ON DELETE CASCADE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id),
  -- The accepted scopes. Later versions of the integration add none.
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
CREATE UNIQUE INDEX integration_installation_by_integration
  ON integration_installation (integration_id, organization_id);
CREATE INDEX integration_installation_by_organization
  ON integration_installation (organization_id, seq);
CREATE INDEX integration_installation_first_seal ON integration_installation (configuration_sealed)
  WHERE configuration_sealed NOT GLOB 'v2.*';

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
CREATE INDEX integration_site_first_seal ON integration_site (configuration_sealed)
  WHERE configuration_sealed NOT GLOB 'v2.*';

---- Single sign-on ----

-- Identity providers, through which the members of an organization sign in.
CREATE TABLE sso_provider (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('saml', 'oidc')),
  label TEXT NOT NULL,
  -- Whether all settings that a sign-in needs are set.
  active INTEGER NOT NULL DEFAULT 0 CHECK (active IN (0, 1)),
  -- The team and role of a user who signs in for the first time; default_role NULL: a guest.
  default_team_id TEXT REFERENCES team (id) ON DELETE SET NULL,
  default_role TEXT
    CHECK (default_role IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  -- The SAML entity ID, or the issuer of OpenID Connect.
  issuer TEXT NOT NULL DEFAULT '',
  -- SAML: where sign-ins begin, and the certificates of signatures.
  sso_url TEXT NOT NULL DEFAULT '',
  certificate TEXT NOT NULL DEFAULT '',
  -- OpenID Connect: the registered client. `trusts_email`: addresses count without
  -- `email_verified`.
  client_id TEXT NOT NULL DEFAULT '',
  secret_sealed TEXT,
  scopes TEXT NOT NULL DEFAULT '',
  trusts_email INTEGER NOT NULL DEFAULT 0 CHECK (trusts_email IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX sso_provider_by_organization ON sso_provider (organization_id, kind, seq);
CREATE INDEX sso_provider_by_team ON sso_provider (default_team_id)
  WHERE default_team_id IS NOT NULL;
CREATE INDEX sso_provider_first_seal ON sso_provider (secret_sealed)
  WHERE secret_sealed NOT GLOB 'v2.*';

-- The user of a subject of a provider. `display_name` is the last name that the provider gave to a
-- user whom it created; NULL: it did not create the user.
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

-- Unfinished sign-ins. The id is the id of the SAML request, or the state of OpenID Connect.
CREATE TABLE sso_request (
  id TEXT NOT NULL PRIMARY KEY,
  provider_id TEXT NOT NULL REFERENCES sso_provider (id) ON DELETE CASCADE,
  -- The result of the sign-in: a one-time code (at redirect_uri, or on a page), or a browser
  -- session.
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
CREATE INDEX sso_request_first_seal ON sso_request (verifier_sealed)
  WHERE verifier_sealed NOT GLOB 'v2.*';

-- One-time codes, by SHA-256. A used code is kept until it expires, because a second use ends the
-- token of the first.
CREATE TABLE sso_code (
  hash TEXT NOT NULL PRIMARY KEY,
  provider_id TEXT NOT NULL REFERENCES sso_provider (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  code_challenge TEXT,
  -- When the provider ends the session; NULL: not given.
  session_ends_at TEXT,
  token_id TEXT REFERENCES token (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sso_code_by_expiry ON sso_code (expires_at);
CREATE INDEX sso_code_by_provider ON sso_code (provider_id);

-- The ids of accepted SAML assertions, until they expire: each is accepted once.
CREATE TABLE sso_assertion (
  provider_id TEXT NOT NULL REFERENCES sso_provider (id) ON DELETE CASCADE,
  assertion_id TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (provider_id, assertion_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sso_assertion_by_expiry ON sso_assertion (expires_at);

---- Events and jobs ----

-- Rows are added and never changed or deleted, so there are no foreign keys.
CREATE TABLE audit_event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL,
  action TEXT NOT NULL,
  -- NULL: unknown, as for a command line.
  user_id TEXT,
  token_id TEXT,
  address TEXT,
  request_id TEXT,
  target_kind TEXT NOT NULL,
  target_id TEXT NOT NULL,
  space_id TEXT,
  details TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(details)),
  created_at TEXT NOT NULL
) STRICT;
-- Each index ends in the row id, which is seq.
CREATE INDEX audit_event_by_time ON audit_event (organization_id, created_at);
CREATE INDEX audit_event_by_action ON audit_event (organization_id, action, created_at);
CREATE INDEX audit_event_by_user ON audit_event (organization_id, user_id, created_at);
CREATE INDEX audit_event_by_target ON audit_event (organization_id, target_id, created_at);
CREATE INDEX audit_event_by_space ON audit_event (organization_id, space_id, created_at)
  WHERE space_id IS NOT NULL;
CREATE TRIGGER audit_event_stays BEFORE UPDATE ON audit_event BEGIN
  SELECT raise(ABORT, 'what happened stays as it was written');
END;
CREATE TRIGGER audit_event_lasts BEFORE DELETE ON audit_event BEGIN
  SELECT raise(ABORT, 'what happened stays as it was written');
END;

CREATE TABLE webhook (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  -- A JSON array of kinds of events.
  events TEXT NOT NULL CHECK (json_valid(events)),
  -- The secret of signatures, sealed with the server's key.
  sealed TEXT NOT NULL,
  active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  -- The time of the first failure since the last success; NULL: none.
  failing_since TEXT,
  created_by TEXT NOT NULL REFERENCES user (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  -- The former secret, sealed. Until former_until deliveries are signed with both.
  former_sealed TEXT,
  former_until TEXT
) STRICT;
CREATE INDEX webhook_by_organization ON webhook (organization_id, seq);
CREATE INDEX webhook_first_seal ON webhook (sealed) WHERE sealed NOT GLOB 'v2.*';
CREATE INDEX webhook_first_former_seal ON webhook (former_sealed)
  WHERE former_sealed NOT GLOB 'v2.*';

CREATE TABLE webhook_delivery (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  webhook_id TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  event_id TEXT NOT NULL,
  event TEXT NOT NULL,
  payload TEXT NOT NULL CHECK (json_valid(payload)),
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'success', 'failure')),
  attempts INTEGER NOT NULL DEFAULT 0,
  status_code INTEGER,
  error TEXT,
  redelivery_of TEXT,
  created_at TEXT NOT NULL,
  attempted_at TEXT,
  next_attempt_at TEXT
) STRICT;
CREATE INDEX webhook_delivery_by_webhook ON webhook_delivery (webhook_id, seq);
CREATE INDEX webhook_delivery_by_state ON webhook_delivery (webhook_id, state, seq);
CREATE INDEX webhook_delivery_by_next ON webhook_delivery (webhook_id, next_attempt_at)
  WHERE state = 'waiting';
CREATE INDEX webhook_delivery_by_time ON webhook_delivery (created_at);

CREATE TABLE job (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  -- Jobs of one lane run one at a time, in order.
  lane TEXT NOT NULL,
  -- Two waiting jobs of one kind and key are one job.
  key TEXT,
  payload TEXT NOT NULL CHECK (json_valid(payload)),
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  run_at INTEGER NOT NULL,
  owner TEXT,
  error TEXT,
  created_at TEXT NOT NULL,
  -- The number of jobs at once that wait for other hosts is bounded for each user and organization;
  -- NULL: not bounded.
  user_id TEXT,
  organization_id TEXT,
  -- When the lease of the owner of a running job ends, in milliseconds since 1970; NULL: the job
  -- waits.
  leased_until INTEGER
) STRICT;
CREATE UNIQUE INDEX job_by_key ON job (kind, key) WHERE key IS NOT NULL AND state = 'waiting';
CREATE INDEX job_by_lane ON job (lane, seq) WHERE state <> 'dead';
CREATE INDEX job_by_time ON job (state, run_at, seq);

-- The answers to requests with an Idempotency-Key.
CREATE TABLE idempotency (
  user_id TEXT NOT NULL,
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  status INTEGER NOT NULL,
  body TEXT,
  created_at TEXT NOT NULL,
  headers TEXT CHECK (headers IS NULL OR json_valid(headers)),
  PRIMARY KEY (user_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (created_at);
