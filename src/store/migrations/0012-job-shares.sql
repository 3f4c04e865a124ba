-- Whose a job is: each user and organization has a bounded number of jobs at once that wait for other hosts. NULL: no
-- bound applies.
ALTER TABLE job ADD COLUMN user_id TEXT;
ALTER TABLE job ADD COLUMN organization_id TEXT;

UPDATE job SET
  organization_id = (SELECT space.organization_id FROM space WHERE space.id = json_extract(job.payload, '$.spaceId')),
  user_id = (
    SELECT operation.created_by FROM git_sync_operation AS operation
    WHERE operation.space_id = json_extract(job.payload, '$.spaceId') AND operation.state IN ('queued', 'running')
    ORDER BY operation.timestamp, operation.seq LIMIT 1)
WHERE kind = 'git-sync';

UPDATE job SET
  organization_id = (
    SELECT openapi_spec.organization_id FROM openapi_spec
    WHERE openapi_spec.id = json_extract(job.payload, '$.specId')),
  user_id = (
    SELECT openapi_source.created_by FROM openapi_source
    WHERE openapi_source.spec_id = json_extract(job.payload, '$.specId')
    ORDER BY openapi_source.seq LIMIT 1)
WHERE kind = 'process-openapi';

UPDATE job SET
  organization_id = (
    SELECT webhook.organization_id FROM webhook WHERE webhook.id = json_extract(job.payload, '$.webhookId'))
WHERE kind = 'deliver-webhook';

CREATE INDEX git_sync_operation_pending ON git_sync_operation (created_by) WHERE state IN ('queued', 'running');
