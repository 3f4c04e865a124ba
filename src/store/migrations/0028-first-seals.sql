-- Texts that earlier versions sealed without a purpose: none, once they are sealed again. A start finds them here, also
-- rows that are copied back from an older backup.
CREATE INDEX git_sync_operation_first_seal ON git_sync_operation (sealed) WHERE sealed NOT GLOB 'v2.*';
CREATE INDEX webhook_first_seal ON webhook (sealed) WHERE sealed NOT GLOB 'v2.*';
CREATE INDEX webhook_first_former_seal ON webhook (former_sealed) WHERE former_sealed NOT GLOB 'v2.*';
CREATE INDEX organization_key_first_seal ON organization_key (sealed) WHERE sealed NOT GLOB 'v2.*';
CREATE INDEX share_link_first_seal ON share_link (key_sealed) WHERE key_sealed NOT GLOB 'v2.*';
CREATE INDEX site_visitor_auth_first_seal ON site_visitor_auth (key_sealed) WHERE key_sealed NOT GLOB 'v2.*';
CREATE INDEX sso_provider_first_seal ON sso_provider (secret_sealed) WHERE secret_sealed NOT GLOB 'v2.*';
CREATE INDEX sso_request_first_seal ON sso_request (verifier_sealed) WHERE verifier_sealed NOT GLOB 'v2.*';
CREATE INDEX integration_first_seal ON integration (secrets_sealed) WHERE secrets_sealed NOT GLOB 'v2.*';
CREATE INDEX integration_installation_first_seal ON integration_installation (configuration_sealed)
  WHERE configuration_sealed NOT GLOB 'v2.*';
CREATE INDEX integration_site_first_seal ON integration_site (configuration_sealed)
  WHERE configuration_sealed NOT GLOB 'v2.*';
