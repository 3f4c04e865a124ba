-- How many change requests a user has opened within a day.
CREATE INDEX change_request_by_opening ON change_request (created_by, created_at);
