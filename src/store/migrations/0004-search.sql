-- The search index. All of it is derived from Git: it is forgotten and made again at will.

-- The spaces that it has. A number is never given twice: the ids of its pages begin with it.
CREATE TABLE search_space (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id TEXT NOT NULL UNIQUE REFERENCES space (id) ON DELETE CASCADE,
  -- The revision of the primary content whose pages are all there, and its tree. NULL: none yet.
  revision TEXT,
  tree TEXT,
  -- The versions of the descriptions that some of them were made of.
  stamp TEXT NOT NULL DEFAULT '',
  -- By which indexer.
  indexer INTEGER NOT NULL,
  last_page INTEGER NOT NULL DEFAULT 0,
  -- How many pages were added that are not the primary content's.
  others INTEGER NOT NULL DEFAULT 0
) STRICT;

-- A page with the text of one blob ('': it has none; 'made …': it was made) under one title; head: as the primary content has it.
CREATE TABLE search_page (
  id INTEGER PRIMARY KEY,
  page_id TEXT NOT NULL,
  oid TEXT NOT NULL,
  title TEXT NOT NULL,
  path TEXT NOT NULL,
  -- The titles of the pages that it stands below, uppermost first.
  ancestors TEXT NOT NULL CHECK (json_valid(ancestors)),
  head INTEGER NOT NULL CHECK (head IN (0, 1)),
  -- How many rows its text has in search_text, from its id on.
  pieces INTEGER NOT NULL
) STRICT;
CREATE INDEX search_page_by_page ON search_page (page_id, id);

-- What is shown of a page that was found: [{"anchor", "heading", "body"}].
CREATE TABLE search_sections (
  id INTEGER PRIMARY KEY,
  description TEXT,
  sections TEXT NOT NULL
) STRICT;

-- Three tables, not three columns: a table with a column filter reads every row that has the word anywhere.
CREATE VIRTUAL TABLE search_title USING fts5 (
  words, content = '', contentless_delete = 1, prefix = '1 2 3',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
);
CREATE VIRTUAL TABLE search_heading USING fts5 (
  words, content = '', contentless_delete = 1, prefix = '1 2 3',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
);
CREATE VIRTUAL TABLE search_text USING fts5 (
  words, content = '', contentless_delete = 1, prefix = '1 2 3',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
);
