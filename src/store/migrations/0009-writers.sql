-- Whether a contributor wrote some of the content, or only brought it up to date with the primary content. What was
-- counted before is taken as written: then an approval too many is asked for, not one too few.
ALTER TABLE change_request_contributor ADD COLUMN wrote INTEGER NOT NULL DEFAULT 1;
