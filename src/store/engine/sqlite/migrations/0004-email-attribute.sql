-- Identity providers that send e-mail addresses elsewhere than in the name ID or the claim `email`.
ALTER TABLE sso_provider
  -- The attribute (SAML) or claim (OpenID Connect) with the address; NULL: the usual ones.
  ADD COLUMN email_from TEXT;
