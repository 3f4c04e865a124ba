-- People and what they belong to.
CREATE TABLE user (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  email TEXT UNIQUE COLLATE NOCASE,
  photo_url TEXT,
  is_agent INTEGER NOT NULL DEFAULT 0 CHECK (is_agent IN (0, 1)),
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE organization (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  hostname TEXT UNIQUE,
  email_domains TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(email_domains)),
  default_role TEXT CHECK (default_role IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  default_content TEXT CHECK (default_content IS NULL OR json_valid(default_content)),
  logo TEXT,
  sso INTEGER NOT NULL DEFAULT 0,
  ai INTEGER NOT NULL DEFAULT 0,
  invite_links INTEGER NOT NULL DEFAULT 1,
  merge_rules TEXT NOT NULL DEFAULT '{"type":"none"}' CHECK (json_valid(merge_rules)),
  created_at TEXT NOT NULL
) STRICT;

-- role NULL is a guest: sees only what was granted to them.
CREATE TABLE member (
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  role TEXT CHECK (role IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  joined_at TEXT NOT NULL,
  last_seen_at TEXT,
  PRIMARY KEY (organization_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_by_user ON member (user_id);

CREATE TABLE team (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE team_member (
  team_id TEXT NOT NULL REFERENCES team (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  role TEXT NOT NULL DEFAULT 'member' CHECK (role IN ('owner', 'member')),
  PRIMARY KEY (team_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX team_member_by_user ON team_member (user_id);

CREATE TABLE token (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  last_used_at TEXT,
  expires_at TEXT,
  revoked_at TEXT
) STRICT;
CREATE INDEX token_by_user ON token (user_id, seq);

-- What content lies in.
CREATE TABLE collection (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  parent_id TEXT REFERENCES collection (id),
  title TEXT NOT NULL,
  description TEXT,
  default_level TEXT DEFAULT 'inherit' CHECK (default_level IN ('inherit', 'read', 'comment', 'edit', 'review', 'create', 'admin')),
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
  default_level TEXT DEFAULT 'inherit' CHECK (default_level IN ('inherit', 'read', 'comment', 'edit', 'review', 'create', 'admin')),
  merge_rules TEXT NOT NULL DEFAULT '{"type":"inherit"}' CHECK (json_valid(merge_rules)),
  position INTEGER NOT NULL DEFAULT 0,
  -- Until somebody writes, the first commit may be replaced by an imported history.
  pristine INTEGER NOT NULL DEFAULT 1 CHECK (pristine IN (0, 1)),
  last_change_request INTEGER NOT NULL DEFAULT 0,
  created_by TEXT REFERENCES user (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT
) STRICT;
CREATE INDEX space_by_organization ON space (organization_id, position, seq);
CREATE INDEX space_by_collection ON space (collection_id, position, seq);
CREATE INDEX space_by_deletion ON space (deleted_at) WHERE deleted_at IS NOT NULL;

-- A role given on a space or a collection to a user or a team. role NULL takes access away.
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

-- The refs of each space that the service has seen or made; Git is the truth, this is its mirror.
CREATE TABLE ref (
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  oid TEXT NOT NULL,
  PRIMARY KEY (space_id, name)
) STRICT, WITHOUT ROWID;

-- The first-parent line of the primary content, oldest first. An index: rebuilt from Git.
CREATE TABLE revision (
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  oid TEXT NOT NULL,
  tree TEXT NOT NULL,
  parents TEXT NOT NULL CHECK (json_valid(parents)),
  author_name TEXT NOT NULL,
  author_email TEXT NOT NULL,
  message TEXT NOT NULL,
  committed_at INTEGER NOT NULL,
  PRIMARY KEY (space_id, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX revision_by_oid ON revision (space_id, oid);

-- Which revision of that line changed which path. An index: rebuilt from Git.
CREATE TABLE revision_path (
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  seq INTEGER NOT NULL,
  status TEXT NOT NULL,
  from_path TEXT,
  PRIMARY KEY (space_id, path, seq)
) STRICT, WITHOUT ROWID;

-- What was derived from a blob, by oid, shared by all spaces and revisions. A cache.
CREATE TABLE blob_facts (
  oid TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL,
  facts TEXT NOT NULL CHECK (json_valid(facts))
) STRICT, WITHOUT ROWID;

-- The size of a blob in bytes and, of an image, in pixels, by oid. A cache.
CREATE TABLE blob_media (
  oid TEXT NOT NULL PRIMARY KEY,
  size INTEGER NOT NULL,
  width INTEGER,
  height INTEGER
) STRICT, WITHOUT ROWID;

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
  -- The head of its branch, or of what the branch was when it was merged.
  revision TEXT NOT NULL,
  revision_initial TEXT NOT NULL,
  revision_merged_ancestor TEXT,
  revision_merged TEXT,
  merged_by TEXT REFERENCES user (id),
  merged_at TEXT,
  conversations_issues_cluster TEXT,
  UNIQUE (space_id, number)
) STRICT;
CREATE INDEX change_request_by_status ON change_request (space_id, status, number);
CREATE INDEX change_request_by_creator ON change_request (space_id, created_by, number);
CREATE INDEX change_request_by_merge ON change_request (space_id, revision_merged) WHERE revision_merged IS NOT NULL;

-- Who committed to a change request.
CREATE TABLE change_request_contributor (
  change_request_id TEXT NOT NULL REFERENCES change_request (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  count INTEGER NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (change_request_id, user_id)
) STRICT, WITHOUT ROWID;

-- The journal: what is about to happen to refs and rows, kept until both have happened.
CREATE TABLE operation (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  space_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  user_id TEXT,
  -- [{ref, from, to}], the decisive one last.
  moves TEXT NOT NULL CHECK (json_valid(moves)),
  -- Every row change that follows, as data.
  effects TEXT NOT NULL CHECK (json_valid(effects)),
  answer TEXT CHECK (answer IS NULL OR json_valid(answer)),
  created_at TEXT NOT NULL
) STRICT;

-- The answers given to requests that bore an Idempotency-Key.
CREATE TABLE idempotency (
  user_id TEXT NOT NULL,
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  status INTEGER NOT NULL,
  body TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (user_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (created_at);

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
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX job_by_key ON job (kind, key) WHERE key IS NOT NULL AND state = 'waiting';
CREATE INDEX job_by_lane ON job (lane, seq) WHERE state <> 'dead';
CREATE INDEX job_by_time ON job (state, run_at, seq);

-- Git sync: what the last operations left behind, and every operation.
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
  -- What was asked, without credentials.
  request TEXT NOT NULL CHECK (json_valid(request)),
  -- The credentials, sealed with the server's key; gone when the operation ends.
  sealed TEXT,
  timestamp TEXT NOT NULL,
  revision TEXT,
  error TEXT,
  created_by TEXT NOT NULL REFERENCES user (id),
  created_at TEXT NOT NULL,
  started_at TEXT,
  updated_at TEXT NOT NULL,
  completed_at TEXT
) STRICT;
CREATE INDEX git_sync_operation_by_space ON git_sync_operation (space_id, seq);
