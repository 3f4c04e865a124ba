-- The headers of an answer, such as where to find what was started.
ALTER TABLE idempotency ADD COLUMN headers TEXT CHECK (headers IS NULL OR json_valid(headers));
