-- Codes that sign a user in with a browser, once: the first start and "stemma open" print them. Only
-- their SHA-256 is stored. With introduces = 1, who opens the page tells the name and the e-mail
-- address of the user. With anywhere = 1, the page opens on other machines than that of the server.
CREATE TABLE welcome_code (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  introduces INTEGER NOT NULL CHECK (introduces IN (0, 1)),
  anywhere INTEGER NOT NULL CHECK (anywhere IN (0, 1)),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX welcome_code_by_user ON welcome_code (user_id, seq);
CREATE INDEX welcome_code_by_expiry ON welcome_code (expires_at);

-- Whether the token was made for the session alone, and ends with it.
ALTER TABLE session ADD COLUMN own_token INTEGER NOT NULL DEFAULT 0 CHECK (own_token IN (0, 1));
UPDATE session SET own_token = 1 WHERE provider_id IS NOT NULL;
