-- Members who come by single sign-on, and those who may not come in for now.
ALTER TABLE member ADD COLUMN sso INTEGER NOT NULL DEFAULT 0 CHECK (sso IN (0, 1));
ALTER TABLE member ADD COLUMN disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1));
CREATE INDEX member_by_joining ON member (organization_id, joined_at, user_id);
CREATE INDEX member_by_visit ON member (organization_id, last_seen_at, user_id) WHERE last_seen_at IS NOT NULL;
CREATE INDEX member_by_role ON member (organization_id, role, joined_at, user_id);
CREATE INDEX team_by_organization ON team (organization_id, seq);
CREATE INDEX space_by_age ON space (organization_id, seq, collection_id, default_level, id)
  WHERE deleted_at IS NULL;

-- The key with which an organization vouches for its members to others; `sealed` holds the private half.
CREATE TABLE organization_key (
  organization_id TEXT NOT NULL PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
  public_jwk TEXT NOT NULL CHECK (json_valid(public_jwk)),
  sealed TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A link by which somebody joins: with a role in the organization, or as a guest with a level on one space or collection.
CREATE TABLE link_invite (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  role TEXT CHECK (role IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  level TEXT CHECK (level IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  space_id TEXT REFERENCES space (id) ON DELETE CASCADE,
  collection_id TEXT REFERENCES collection (id) ON DELETE CASCADE,
  created_by TEXT NOT NULL REFERENCES user (id),
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX link_invite_by_organization ON link_invite (organization_id, seq);
CREATE INDEX link_invite_by_space ON link_invite (space_id) WHERE space_id IS NOT NULL;
CREATE INDEX link_invite_by_collection ON link_invite (collection_id) WHERE collection_id IS NOT NULL;

-- Who joined with which link, or was sent away while it was there: it does not let them in again.
CREATE TABLE link_invite_use (
  invite_id TEXT NOT NULL REFERENCES link_invite (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  used_at TEXT NOT NULL,
  PRIMARY KEY (invite_id, user_id)
) STRICT, WITHOUT ROWID;

-- Discussions. A comment stands in a space, or in one of its change requests; its revision is the head when it was made.
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
-- change_request_id is '' for a space's own in these, so that both scopes are one list. There is one for what each filter
-- leaves: a list of both statuses reads two lines of the same index, in the order of seq.
CREATE INDEX comment_by_status ON comment (space_id, coalesce(change_request_id, ''), status, seq);
CREATE INDEX comment_by_page ON comment (space_id, coalesce(change_request_id, ''), page_id, status, seq);
CREATE INDEX comment_by_author ON comment (space_id, coalesce(change_request_id, ''), posted_by, status, seq);
CREATE INDEX comment_by_author_and_page
  ON comment (space_id, coalesce(change_request_id, ''), posted_by, page_id, status, seq);
CREATE INDEX comment_by_time ON comment (posted_by, posted_at);
CREATE INDEX comment_by_space_and_time ON comment (space_id, posted_at);
CREATE INDEX comment_by_change_request ON comment (change_request_id) WHERE change_request_id IS NOT NULL;
CREATE INDEX comment_by_revision ON comment (space_id, revision);

CREATE TABLE comment_reply (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  comment_id TEXT NOT NULL REFERENCES comment (id) ON DELETE CASCADE,
  -- Those of its comment, which is gone before it when it is removed.
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
CREATE INDEX comment_reply_by_author ON comment_reply (space_id, coalesce(change_request_id, ''), posted_by);
CREATE INDEX comment_reply_by_space_and_time ON comment_reply (space_id, posted_at);

-- An emoji that somebody gave to a comment (reply_id '') or to one of its replies.
CREATE TABLE reaction (
  comment_id TEXT NOT NULL REFERENCES comment (id) ON DELETE CASCADE,
  reply_id TEXT NOT NULL DEFAULT '',
  emoji TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  reacted_at TEXT NOT NULL,
  PRIMARY KEY (comment_id, reply_id, emoji, user_id)
) STRICT, WITHOUT ROWID;

-- Who has comments and replies in a space itself ('') or in one of its change requests, how many, and since when the last
-- one is there. Kept by triggers.
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

-- Counters, exact in every transaction: open comments of a space itself and of a change request, replies of a comment.
ALTER TABLE space ADD COLUMN open_comments INTEGER NOT NULL DEFAULT 0;
ALTER TABLE change_request ADD COLUMN open_comments INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER comment_added AFTER INSERT ON comment WHEN new.status = 'open' BEGIN
  UPDATE space SET open_comments = open_comments + 1 WHERE id = new.space_id AND new.change_request_id IS NULL;
  UPDATE change_request SET open_comments = open_comments + 1 WHERE id = new.change_request_id;
END;
CREATE TRIGGER comment_removed AFTER DELETE ON comment WHEN old.status = 'open' BEGIN
  UPDATE space SET open_comments = open_comments - 1 WHERE id = old.space_id AND old.change_request_id IS NULL;
  UPDATE change_request SET open_comments = open_comments - 1 WHERE id = old.change_request_id;
END;
CREATE TRIGGER comment_turned AFTER UPDATE OF status ON comment WHEN old.status <> new.status BEGIN
  UPDATE space SET open_comments = open_comments + iif(new.status = 'open', 1, -1)
    WHERE id = new.space_id AND new.change_request_id IS NULL;
  UPDATE change_request SET open_comments = open_comments + iif(new.status = 'open', 1, -1)
    WHERE id = new.change_request_id;
END;
CREATE TRIGGER comment_reply_added AFTER INSERT ON comment_reply BEGIN
  UPDATE comment SET replies = replies + 1 WHERE id = new.comment_id;
END;
CREATE TRIGGER comment_reply_removed AFTER DELETE ON comment_reply BEGIN
  UPDATE comment SET replies = replies - 1 WHERE id = old.comment_id;
  DELETE FROM reaction WHERE comment_id = old.comment_id AND reply_id = old.id;
END;
CREATE TRIGGER commenter_commented AFTER INSERT ON comment BEGIN
  INSERT INTO commenter (change_request_id, space_id, user_id, count, updated_at)
    VALUES (coalesce(new.change_request_id, ''), new.space_id, new.posted_by, 1, new.posted_at)
    ON CONFLICT DO UPDATE SET count = count + 1, updated_at = excluded.updated_at;
END;
CREATE TRIGGER commenter_replied AFTER INSERT ON comment_reply BEGIN
  INSERT INTO commenter (change_request_id, space_id, user_id, count, updated_at)
    VALUES (coalesce(new.change_request_id, ''), new.space_id, new.posted_by, 1, new.posted_at)
    ON CONFLICT DO UPDATE SET count = count + 1, updated_at = excluded.updated_at;
END;
CREATE TRIGGER commenter_removed_comment AFTER DELETE ON comment BEGIN
  UPDATE commenter SET count = count - 1 WHERE change_request_id = coalesce(old.change_request_id, '')
    AND space_id = old.space_id AND user_id = old.posted_by;
  DELETE FROM commenter WHERE change_request_id = coalesce(old.change_request_id, '')
    AND space_id = old.space_id AND user_id = old.posted_by AND count = 0;
END;
CREATE TRIGGER commenter_removed_reply AFTER DELETE ON comment_reply BEGIN
  UPDATE commenter SET count = count - 1 WHERE change_request_id = coalesce(old.change_request_id, '')
    AND space_id = old.space_id AND user_id = old.posted_by;
  DELETE FROM commenter WHERE change_request_id = coalesce(old.change_request_id, '')
    AND space_id = old.space_id AND user_id = old.posted_by AND count = 0;
END;

-- Change requests of many spaces, newest first, and those that somebody has a part in.
CREATE INDEX change_request_by_age ON change_request (space_id, status, seq);
CREATE INDEX change_request_by_maker ON change_request (created_by, status, seq);
CREATE INDEX change_request_by_cluster ON change_request (conversations_issues_cluster)
  WHERE conversations_issues_cluster IS NOT NULL;
CREATE INDEX change_request_contributor_by_user ON change_request_contributor (user_id, change_request_id);
CREATE INDEX commenter_by_user ON commenter (user_id, change_request_id);

-- Who was asked to review a change request, and what they said. A review counts for the revision it was made on.
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

-- What happened, for good: rows are added and never changed, so nothing refers to them and they refer to nothing.
CREATE TABLE audit_event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL,
  action TEXT NOT NULL,
  -- Who did it; NULL: nobody known, as with a push or on the command line.
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
-- By time, then by seq: that of the row, which every index ends in.
CREATE INDEX audit_event_by_time ON audit_event (organization_id, created_at);
CREATE INDEX audit_event_by_action ON audit_event (organization_id, action, created_at);
CREATE INDEX audit_event_by_user ON audit_event (organization_id, user_id, created_at);
CREATE INDEX audit_event_by_target ON audit_event (organization_id, target_id, created_at);
CREATE INDEX audit_event_by_space ON audit_event (organization_id, space_id, created_at) WHERE space_id IS NOT NULL;
CREATE TRIGGER audit_event_stays BEFORE UPDATE ON audit_event BEGIN
  SELECT raise(ABORT, 'what happened stays as it was written');
END;
CREATE TRIGGER audit_event_lasts BEFORE DELETE ON audit_event BEGIN
  SELECT raise(ABORT, 'what happened stays as it was written');
END;

-- Who is told of it over HTTP, and every attempt to.
CREATE TABLE webhook (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  -- JSON array of kinds.
  events TEXT NOT NULL CHECK (json_valid(events)),
  -- The secret that signs, sealed with the server's key.
  sealed TEXT NOT NULL,
  active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  -- Since when every delivery failed; NULL when the last one arrived.
  failing_since TEXT,
  created_by TEXT NOT NULL REFERENCES user (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX webhook_by_organization ON webhook (organization_id, seq);

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
CREATE INDEX webhook_delivery_by_next ON webhook_delivery (webhook_id, next_attempt_at) WHERE state = 'waiting';
CREATE INDEX webhook_delivery_by_time ON webhook_delivery (created_at);
