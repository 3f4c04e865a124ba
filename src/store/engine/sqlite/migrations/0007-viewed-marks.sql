-- What a person has viewed of a change request: a page or a file, as it was then. The blob is '' for
-- one that the change request removes.
CREATE TABLE viewed_mark (
  change_request_id TEXT NOT NULL REFERENCES change_request (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  item_id TEXT NOT NULL,
  blob TEXT NOT NULL,
  viewed_at TEXT NOT NULL,
  PRIMARY KEY (change_request_id, user_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX viewed_mark_by_user ON viewed_mark (user_id);
