-- Random, written anew with each change: a database that was set back to an earlier time may reach the same
-- positions with other changes. The mark of a pack is that of the change which brought it.
ALTER TABLE git_state ADD COLUMN mark TEXT NOT NULL DEFAULT '';
ALTER TABLE git_log ADD COLUMN mark TEXT NOT NULL DEFAULT '';
