-- Indexes on expressions that other engines have as well, in place of COLLATE NOCASE and GLOB.
DROP INDEX user_by_email;
CREATE INDEX user_by_email ON user (lower(email));
DROP INDEX openapi_spec_by_slug;
CREATE UNIQUE INDEX openapi_spec_by_slug ON openapi_spec (organization_id, lower(slug));
DROP INDEX organization_key_first_seal;
CREATE INDEX organization_key_first_seal ON organization_key (sealed)
  WHERE substr(sealed, 1, 3) <> 'v2.';
DROP INDEX git_sync_operation_first_seal;
CREATE INDEX git_sync_operation_first_seal ON git_sync_operation (sealed)
  WHERE substr(sealed, 1, 3) <> 'v2.';
DROP INDEX share_link_first_seal;
CREATE INDEX share_link_first_seal ON share_link (key_sealed)
  WHERE substr(key_sealed, 1, 3) <> 'v2.';
DROP INDEX site_visitor_auth_first_seal;
CREATE INDEX site_visitor_auth_first_seal ON site_visitor_auth (key_sealed)
  WHERE substr(key_sealed, 1, 3) <> 'v2.';
DROP INDEX integration_first_seal;
CREATE INDEX integration_first_seal ON integration (secrets_sealed)
  WHERE substr(secrets_sealed, 1, 3) <> 'v2.';
DROP INDEX integration_installation_first_seal;
CREATE INDEX integration_installation_first_seal ON integration_installation (configuration_sealed)
  WHERE substr(configuration_sealed, 1, 3) <> 'v2.';
DROP INDEX integration_site_first_seal;
CREATE INDEX integration_site_first_seal ON integration_site (configuration_sealed)
  WHERE substr(configuration_sealed, 1, 3) <> 'v2.';
DROP INDEX sso_provider_first_seal;
CREATE INDEX sso_provider_first_seal ON sso_provider (secret_sealed)
  WHERE substr(secret_sealed, 1, 3) <> 'v2.';
DROP INDEX sso_request_first_seal;
CREATE INDEX sso_request_first_seal ON sso_request (verifier_sealed)
  WHERE substr(verifier_sealed, 1, 3) <> 'v2.';
DROP INDEX webhook_first_seal;
CREATE INDEX webhook_first_seal ON webhook (sealed) WHERE substr(sealed, 1, 3) <> 'v2.';
DROP INDEX webhook_first_former_seal;
CREATE INDEX webhook_first_former_seal ON webhook (former_sealed)
  WHERE substr(former_sealed, 1, 3) <> 'v2.';
