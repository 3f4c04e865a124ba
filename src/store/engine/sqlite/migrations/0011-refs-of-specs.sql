-- A mirror of the refs of each repository that the service has seen or created. `space_id` is the
-- key of the repository: the id of a space, or "specs:" and the id of an organization.
CREATE TABLE new_ref (
  space_id TEXT NOT NULL,
  name TEXT NOT NULL,
  oid TEXT NOT NULL,
  PRIMARY KEY (space_id, name)
) STRICT, WITHOUT ROWID;
INSERT INTO new_ref SELECT space_id, name, oid FROM ref;
DROP TABLE ref;
ALTER TABLE new_ref RENAME TO ref;

INSERT INTO ref (space_id, name, oid)
SELECT 'specs:' || organization_id, 'refs/heads/' || slug || '.' || id, last_version
FROM openapi_spec WHERE last_version IS NOT NULL;
