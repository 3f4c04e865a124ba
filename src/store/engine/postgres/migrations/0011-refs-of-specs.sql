-- `space_id` is the key of a repository: the id of a space, or "specs:" and the id of an
-- organization.
ALTER TABLE ref DROP CONSTRAINT ref_space_id_fkey;

INSERT INTO ref (space_id, name, oid)
SELECT 'specs:' || organization_id, 'refs/heads/' || slug || '.' || id, last_version
FROM openapi_spec WHERE last_version IS NOT NULL;
