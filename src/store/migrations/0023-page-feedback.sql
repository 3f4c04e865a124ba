-- What readers answer to "Was this page helpful?", counted by page, revision and day.
CREATE TABLE page_feedback (
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  site_space_id TEXT NOT NULL REFERENCES site_space (id) ON DELETE CASCADE,
  page_id TEXT NOT NULL,
  revision TEXT NOT NULL,
  day TEXT NOT NULL,
  rating TEXT NOT NULL CHECK (rating IN ('yes', 'partly', 'no')),
  count INTEGER NOT NULL CHECK (count >= 0),
  PRIMARY KEY (site_space_id, page_id, day, revision, rating)
) STRICT, WITHOUT ROWID;
CREATE INDEX page_feedback_by_site ON page_feedback (site_id, day);

-- Who answered today, so that each reader counts once per page: a digest whose key is never stored, deleted with the day.
CREATE TABLE page_feedback_reader (
  site_space_id TEXT NOT NULL REFERENCES site_space (id) ON DELETE CASCADE,
  page_id TEXT NOT NULL,
  reader TEXT NOT NULL,
  day TEXT NOT NULL,
  revision TEXT NOT NULL,
  rating TEXT NOT NULL,
  PRIMARY KEY (site_space_id, page_id, reader)
) STRICT, WITHOUT ROWID;
CREATE INDEX page_feedback_reader_by_day ON page_feedback_reader (day);
