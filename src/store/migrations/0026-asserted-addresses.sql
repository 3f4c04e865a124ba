-- An address that an organization asserts for an account (its identity provider, or its invitation of an unknown address)
-- holds in this organization only, and does not take the address on the server.
ALTER TABLE user RENAME COLUMN email TO confirmed_email;
ALTER TABLE user ADD COLUMN asserted_email TEXT COLLATE NOCASE;
ALTER TABLE user ADD COLUMN asserted_by TEXT;
ALTER TABLE user ADD COLUMN email TEXT COLLATE NOCASE GENERATED ALWAYS AS (coalesce(confirmed_email, asserted_email)) VIRTUAL;
CREATE INDEX user_by_email ON user (email) WHERE email IS NOT NULL;
CREATE UNIQUE INDEX user_by_asserted_email ON user (asserted_by, asserted_email) WHERE asserted_email IS NOT NULL;

-- Accounts that a provider created, and that belong to its organization alone. They sign in as before, by their subject.
UPDATE user SET asserted_email = confirmed_email, confirmed_email = NULL,
  asserted_by = (SELECT organization_id FROM member WHERE user_id = user.id)
WHERE confirmed_email IS NOT NULL
  AND (SELECT count(*) FROM member WHERE user_id = user.id) = 1
  AND EXISTS (
    SELECT 1 FROM sso_identity
    JOIN sso_provider ON sso_provider.id = sso_identity.provider_id
    JOIN member ON member.organization_id = sso_provider.organization_id AND member.user_id = sso_identity.user_id
    WHERE sso_identity.user_id = user.id AND sso_identity.display_name IS NOT NULL);

-- Other organizations invited the owners of the addresses, not these accounts.
DELETE FROM invitation WHERE EXISTS (
  SELECT 1 FROM user WHERE user.id = invitation.user_id AND user.asserted_by <> invitation.organization_id);
