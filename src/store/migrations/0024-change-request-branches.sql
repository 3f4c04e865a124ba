-- The name of a branch that a change request was pushed as; the repository only has change-requests/<number>.
ALTER TABLE change_request ADD COLUMN branch TEXT;
CREATE UNIQUE INDEX change_request_by_branch ON change_request (space_id, branch)
  WHERE branch IS NOT NULL AND status <> 'merged';
