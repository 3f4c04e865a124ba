-- Repositories: the rows of "ref" are the truth of their refs, and these tables hold their objects and
-- their default branches. The folders of the nodes are caches. space_id is the id of a space, or
-- "specs:" and the id of an organization, so there are no foreign keys.

CREATE TABLE git_state (
  space_id TEXT PRIMARY KEY,
  -- Rises with every change of a ref.
  seq BIGINT NOT NULL,
  -- Changes when history was rewritten: nodes then delete what they have.
  epoch TEXT NOT NULL,
  -- The full name of the default branch.
  head TEXT NOT NULL
);

-- Packs of objects in parts. Those of a repository, in the order of seq, reach all that its refs name. A
-- "base" has no delta on others, and replaces what has a lower seq. Parts below 0 belong to a change
-- that is not decided.
CREATE TABLE git_log (
  space_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  part BIGINT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('pack', 'base')),
  bytes BYTEA NOT NULL,
  put_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, seq, part)
);
-- Packs are compressed already.
ALTER TABLE git_log ALTER COLUMN bytes SET STORAGE EXTERNAL;
