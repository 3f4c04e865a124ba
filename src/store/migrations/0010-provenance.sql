-- What the service itself committed, and how. Written in the same transaction as the rows that follow from the ref move:
-- the message and the committer of a commit can be made up by anybody whose commits are imported or pushed.
CREATE TABLE service_commit (
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  oid TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('create-space', 'edit', 'merge', 'update', 'import', 'export')),
  PRIMARY KEY (space_id, oid)
) STRICT, WITHOUT ROWID;

-- Where the published history does not continue with the first parent: `oid` was published after `previous`, which is
-- an ancestor of it but not on its first-parent line. Every export is one, and so is a merge whose first parent is not ours.
CREATE TABLE published_jump (
  space_id TEXT NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  oid TEXT NOT NULL,
  previous TEXT NOT NULL,
  PRIMARY KEY (space_id, oid)
) STRICT, WITHOUT ROWID;

-- The files that a Git import changed in the space, or an export in the repository; NULL: not counted.
ALTER TABLE git_sync_operation ADD COLUMN files_added INTEGER;
ALTER TABLE git_sync_operation ADD COLUMN files_changed INTEGER;
ALTER TABLE git_sync_operation ADD COLUMN files_removed INTEGER;

-- Commits made before these tables existed. Only rows that the server wrote are trusted, never the words of a commit
-- alone: merged change requests, audit events of edits and updates, successful exports. What these do not name counts as
-- not made by the service, such as merge commits of imports and edits older than the audit log.
INSERT OR IGNORE INTO service_commit (space_id, oid, kind)
  SELECT space_id, revision_merged, 'merge' FROM change_request WHERE revision_merged IS NOT NULL;

INSERT OR IGNORE INTO service_commit (space_id, oid, kind)
  SELECT e.space_id, e.details ->> '$.revision', CASE
      WHEN e.action = 'space.created' THEN 'create-space'
      WHEN e.details ->> '$.mergedAncestor' IS NOT NULL THEN 'update'
      ELSE 'edit'
    END
    FROM audit_event e JOIN space s ON s.id = e.space_id
    WHERE e.action IN ('space.created', 'space.content_updated', 'change_request.content_updated')
      AND e.details ->> '$.revision' IS NOT NULL
      AND e.details ->> '$.pushed' IS NULL
      AND e.details ->> '$.synchronized' IS NULL;

CREATE TEMP TABLE pushed_head (space_id TEXT, oid TEXT, PRIMARY KEY (space_id, oid)) WITHOUT ROWID;
INSERT OR IGNORE INTO pushed_head
  SELECT space_id, details ->> '$.revision' FROM audit_event
    WHERE action IN ('space.content_updated', 'change_request.content_updated')
      AND details ->> '$.revision' IS NOT NULL AND details ->> '$.pushed' IS NOT NULL;

-- An export ended with this commit, which looks like one of ours, and no import or push brought it before that.
CREATE TEMP TABLE found_export AS
  SELECT r.space_id, r.oid, r.parents ->> '$[1]' AS previous
    FROM revision r
    WHERE json_array_length(r.parents) = 2
      AND r.message LIKE '%' || char(10) || 'Stemma-Space: ' || r.space_id || char(10)
        || 'Stemma-Operation: export' || char(10)
      AND NOT EXISTS (SELECT 1 FROM service_commit c WHERE c.space_id = r.space_id AND c.oid = r.oid)
      AND EXISTS (
        SELECT 1 FROM git_sync_operation o
          WHERE o.space_id = r.space_id AND o.revision = r.oid AND o.direction = 'export' AND o.state = 'success'
            AND NOT EXISTS (
              SELECT 1 FROM git_sync_operation i
                WHERE i.space_id = o.space_id AND i.revision = o.revision AND i.direction = 'import'
                  AND i.state = 'success' AND i.completed_at <= o.completed_at
            )
      )
      AND NOT EXISTS (SELECT 1 FROM pushed_head p WHERE p.space_id = r.space_id AND p.oid = r.oid);
DROP TABLE pushed_head;
INSERT OR IGNORE INTO service_commit (space_id, oid, kind) SELECT space_id, oid, 'export' FROM found_export;
INSERT OR IGNORE INTO published_jump (space_id, oid, previous) SELECT space_id, oid, previous FROM found_export;
DROP TABLE found_export;

-- A copy of a space has the history of the space that it was made of, and of the one that this was made of.
CREATE TEMP TABLE found_copy AS
  WITH RECURSIVE origin (space_id, source) AS (
    SELECT space_id, details ->> '$.from' FROM audit_event WHERE action = 'space.duplicated'
    UNION
    SELECT o.space_id, e.details ->> '$.from' FROM origin o
      JOIN audit_event e ON e.space_id = o.source AND e.action = 'space.duplicated'
  )
  SELECT o.space_id, o.source FROM origin o JOIN space s ON s.id = o.space_id;
INSERT OR IGNORE INTO service_commit (space_id, oid, kind)
  SELECT f.space_id, c.oid, c.kind FROM found_copy f JOIN service_commit c ON c.space_id = f.source;
INSERT OR IGNORE INTO published_jump (space_id, oid, previous)
  SELECT f.space_id, j.oid, j.previous FROM found_copy f JOIN published_jump j ON j.space_id = f.source;
DROP TABLE found_copy;

-- The index of a history that followed a commit which is not believed any more: the next start builds it again.
CREATE TEMP TABLE stale_index AS
  SELECT DISTINCT r.space_id FROM revision r
    LEFT JOIN revision p ON p.space_id = r.space_id AND p.seq = r.seq - 1
    LEFT JOIN published_jump j ON j.space_id = r.space_id AND j.oid = r.oid
    WHERE p.oid IS NOT coalesce(j.previous, r.parents ->> '$[0]');
DELETE FROM revision_path WHERE space_id IN (SELECT space_id FROM stale_index);
DELETE FROM revision WHERE space_id IN (SELECT space_id FROM stale_index);
DROP TABLE stale_index;
