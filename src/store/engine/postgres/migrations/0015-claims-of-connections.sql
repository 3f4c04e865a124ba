-- The connection that made a claim, which is gone when its node has died.
ALTER TABLE idempotency_claim ADD COLUMN pid INTEGER;
ALTER TABLE idempotency_claim ADD COLUMN connected_at TIMESTAMPTZ;
