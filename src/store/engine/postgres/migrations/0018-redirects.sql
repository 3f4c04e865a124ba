-- A path may have a redirect that is followed and a draft that will take its place.
ALTER TABLE site_redirect ADD COLUMN draft BIGINT NOT NULL DEFAULT 0 CHECK (draft IN (0, 1));
ALTER TABLE site_redirect ADD COLUMN capture_wildcard BIGINT NOT NULL DEFAULT 0 CHECK (capture_wildcard IN (0, 1));
ALTER TABLE site_redirect ADD COLUMN permanent BIGINT NOT NULL DEFAULT 0 CHECK (permanent IN (0, 1));
ALTER TABLE site_redirect ADD COLUMN updated_at TEXT;
DROP INDEX site_redirect_by_source;
CREATE UNIQUE INDEX site_redirect_by_source ON site_redirect (site_id, draft, source_folded);
