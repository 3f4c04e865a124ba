-- The schema of derived.db: rows that are derived from the repositories and from stemma.db. There are no migrations.
-- A change of this file, or of the meaning of a row, raises `derivedVersion` in derived-file.ts, which rebuilds the file.
-- Foreign keys cannot reach into stemma.db. Rows of a purged space are deleted by `deleteDerivedRows`.

-- The first-parent line of the primary content, oldest first.
CREATE TABLE derived.revision (
  space_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  oid TEXT NOT NULL,
  tree TEXT NOT NULL,
  parents TEXT NOT NULL CHECK (json_valid(parents)),
  author_name TEXT NOT NULL,
  author_email TEXT NOT NULL,
  message TEXT NOT NULL,
  committed_at INTEGER NOT NULL,
  PRIMARY KEY (space_id, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX derived.revision_by_oid ON revision (space_id, oid);

-- The paths that each of these revisions changed.
CREATE TABLE derived.revision_path (
  space_id TEXT NOT NULL,
  path TEXT NOT NULL,
  seq INTEGER NOT NULL,
  status TEXT NOT NULL,
  from_path TEXT,
  PRIMARY KEY (space_id, path, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX derived.revision_path_by_from ON revision_path (space_id, from_path, seq) WHERE from_path IS NOT NULL;

-- The paths of pages in earlier tables of contents. seq: the revision whose table of contents has no such page at the path.
CREATE TABLE derived.former_path (
  space_id TEXT NOT NULL,
  -- In the form in which spellings of the same address are equal.
  path TEXT NOT NULL,
  seq INTEGER NOT NULL,
  page_id TEXT NOT NULL,
  PRIMARY KEY (space_id, path, seq)
) STRICT, WITHOUT ROWID;

-- The last revision whose table of contents was compared with the one before it.
CREATE TABLE derived.former_path_scan (
  space_id TEXT NOT NULL PRIMARY KEY,
  seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Facts of blobs by oid, shared by all spaces and revisions: of pages, of their links, and sizes (of images in pixels too).
CREATE TABLE derived.blob_facts (
  oid TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL,
  facts TEXT NOT NULL CHECK (json_valid(facts))
) STRICT, WITHOUT ROWID;

CREATE TABLE derived.blob_links (
  oid TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL,
  facts TEXT NOT NULL CHECK (json_valid(facts))
) STRICT, WITHOUT ROWID;

CREATE TABLE derived.blob_media (
  oid TEXT NOT NULL PRIMARY KEY,
  size INTEGER NOT NULL,
  width INTEGER,
  height INTEGER
) STRICT, WITHOUT ROWID;

-- The bytes of the repository of a space when it was last measured.
CREATE TABLE derived.space_size (
  space_id TEXT NOT NULL PRIMARY KEY,
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  measured_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The spaces in the search index. A number is never reused: the ids of its pages begin with it.
CREATE TABLE derived.search_space (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id TEXT NOT NULL UNIQUE,
  -- The revision of the primary content whose pages are all in the index, and its tree; NULL: none yet.
  revision TEXT,
  tree TEXT,
  -- The versions of the OpenAPI specs that some pages were computed from.
  stamp TEXT NOT NULL DEFAULT '',
  indexer INTEGER NOT NULL,
  last_page INTEGER NOT NULL DEFAULT 0,
  -- The number of pages added for change requests.
  others INTEGER NOT NULL DEFAULT 0,
  -- Whether readers of a site may be shown the pages of the revision differently: some missing, or with other titles.
  hides INTEGER NOT NULL DEFAULT 1 CHECK (hides IN (0, 1))
) STRICT;

-- A page with the text of one blob ('': none; 'made …': computed) under one title. head: as in the primary content.
CREATE TABLE derived.search_page (
  id INTEGER PRIMARY KEY,
  page_id TEXT NOT NULL,
  oid TEXT NOT NULL,
  title TEXT NOT NULL,
  path TEXT NOT NULL,
  -- The titles of the pages above it, topmost first.
  ancestors TEXT NOT NULL CHECK (json_valid(ancestors)),
  head INTEGER NOT NULL CHECK (head IN (0, 1)),
  -- The number of rows with its text in search_text, from its id on.
  pieces INTEGER NOT NULL,
  -- Whether readers of a site get another text, by their claims.
  varies INTEGER NOT NULL CHECK (varies IN (0, 1)),
  -- Whether the page counts for how rare words are: all readers are shown it, with one text.
  counts INTEGER NOT NULL CHECK (counts IN (0, 1))
) STRICT;
CREATE INDEX derived.search_page_by_page ON search_page (page_id, id);

-- The parts of a page that results show: [{"anchor", "heading", "body"}].
CREATE TABLE derived.search_sections (
  id INTEGER PRIMARY KEY,
  description TEXT,
  sections TEXT NOT NULL
) STRICT;

-- How much each word weighs in a page; content/search/weights.ts writes and reads them.
CREATE TABLE derived.search_weights (
  id INTEGER PRIMARY KEY,
  words TEXT NOT NULL
) STRICT;

-- Three tables, not three columns: a table with a column filter reads every row that has the word anywhere.
CREATE VIRTUAL TABLE derived.search_title USING fts5 (
  words, content = '', contentless_delete = 1, prefix = '1 2 3',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
);
CREATE VIRTUAL TABLE derived.search_heading USING fts5 (
  words, content = '', contentless_delete = 1, prefix = '1 2 3',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
);
CREATE VIRTUAL TABLE derived.search_text USING fts5 (
  words, content = '', contentless_delete = 1, prefix = '1 2 3',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
);

-- The words of titles and headings, for suggestions; they have no rows of their own.
CREATE VIRTUAL TABLE derived.search_title_words USING fts5vocab(search_title, row);
CREATE VIRTUAL TABLE derived.search_heading_words USING fts5vocab(search_heading, row);

-- Versions of OpenAPI specs as described by the describer of that number; an outline is NULL if the files cannot be read.
CREATE TABLE derived.openapi_outline (
  version_id TEXT NOT NULL PRIMARY KEY,
  spec_id TEXT NOT NULL,
  describer INTEGER NOT NULL,
  outline TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX derived.openapi_outline_by_spec ON openapi_outline (spec_id);

CREATE TABLE derived.openapi_piece (
  version_id TEXT NOT NULL,
  key TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (version_id, key)
) STRICT;
