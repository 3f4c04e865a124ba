-- Public halves of former keys: [{"jwk", "until"}]. What they signed is good until then. Their private halves are gone.
ALTER TABLE organization_key ADD COLUMN retired TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(retired));

-- The former secret of a webhook, sealed. Until then deliveries are signed with both.
ALTER TABLE webhook ADD COLUMN former_sealed TEXT;
ALTER TABLE webhook ADD COLUMN former_until TEXT;
