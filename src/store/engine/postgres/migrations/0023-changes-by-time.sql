-- For lists of change requests in the order of their last change, newest first.
CREATE INDEX change_request_by_change ON change_request (space_id, status, updated_at, seq);
