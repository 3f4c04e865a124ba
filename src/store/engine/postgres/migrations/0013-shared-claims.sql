-- The requests with an Idempotency-Key that nodes are carrying out.
CREATE TABLE idempotency_claim (
  user_id TEXT NOT NULL,
  key TEXT NOT NULL,
  owner TEXT NOT NULL,
  claimed_until TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (user_id, key)
);

-- Guesses at secrets, by a digest of what is guessed and of the address: when the client has its full
-- allowance again.
CREATE TABLE guess (
  digest TEXT PRIMARY KEY,
  full_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX guess_by_time ON guess (full_at);
