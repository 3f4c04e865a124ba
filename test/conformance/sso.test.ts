import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertTeam } from '../../src/store/people/teams.ts'
import { startApp } from '../support/app.ts'
import { clientFor, notDriven } from '../support/http/client.ts'
import { keyPair } from '../support/sso/certificates.ts'

const app = await startApp()
test.after(() => app.stop())
const driven = clientFor(app, app.admin)
const { orgs } = driven.client
const at = '2026-01-01T00:00:00.000Z'
insertTeam(app.ctx.store, { id: 'docs', organization_id: 'acme', title: 'Docs', created_at: at })

test('SAML providers', async () => {
  const made = (await orgs.createOrganizationSamlProvider('acme', { label: 'Okta' })).data
  assert.is(made.status, 'pending')
  const changed = (
    await orgs.updateOrganizationSamlProvider('acme', made.id, {
      entityID: 'urn:idp',
      ssoURL: 'https://idp.example.org/sso',
      certificate: keyPair('idp').certificate,
      defaultTeam: 'docs',
      defaultRole: 'read' as never,
    })
  ).data

  assert.is(changed.status, 'active')
  assert.equal((await orgs.getOrganizationSamlProviderById('acme', made.id)).data, changed)
  assert.equal((await orgs.listSamlProvidersInOrganizationById('acme')).data.items, [changed])
  const { items } = (await orgs.listSsoProviderLoginsInOrganization('acme')).data

  assert.equal(items, [{ id: made.id, label: 'Okta', startURL: changed.service.startURL }])
  assert.is((await orgs.deleteOrganizationSamlProvider('acme', made.id)).status, 204)
})

test('every operation on SAML providers is called', () => {
  assert.equal(notDriven(/\/orgs\/:organizationId\/(?:saml|sso)/, driven.done), [])
})

test.run()
