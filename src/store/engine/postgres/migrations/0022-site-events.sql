-- What readers do on sites, as sums by day. An empty text stands for no site space, page or words, and
-- for those beyond the limit of a day.
CREATE TABLE site_event (
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  kind TEXT NOT NULL,
  site_space_id TEXT NOT NULL,
  page_id TEXT NOT NULL,
  words TEXT NOT NULL,
  -- Whether a search found nothing.
  in_vain BIGINT NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (site_id, day, kind, site_space_id, page_id, words, in_vain)
);
CREATE INDEX site_event_by_day ON site_event (day);
