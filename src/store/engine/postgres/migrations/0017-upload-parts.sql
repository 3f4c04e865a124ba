-- The bytes of uploads that have arrived, in parts. The blob is that of their upload, once all parts are
-- there.
CREATE TABLE upload_part (
  upload_id TEXT NOT NULL REFERENCES upload (id) ON DELETE CASCADE,
  blob TEXT NOT NULL,
  part BIGINT NOT NULL,
  bytes BYTEA NOT NULL,
  PRIMARY KEY (upload_id, blob, part)
);
-- Most files are images, which are compressed already.
ALTER TABLE upload_part ALTER COLUMN bytes SET STORAGE EXTERNAL;
