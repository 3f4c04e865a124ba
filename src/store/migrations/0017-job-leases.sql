-- Until when the owner of a running job may be presumed alive, in milliseconds since 1970. NULL while the job waits.
ALTER TABLE job ADD COLUMN leased_until INTEGER;
