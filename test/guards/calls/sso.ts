import { createCode } from '../../../src/actions/sso/codes.ts'
import { signIn } from '../../../src/actions/sso/sign-in.ts'
import { randomId } from '../../../src/lib/digest.ts'
import { quietIssuer } from '../../support/sso/issuer.ts'
import { putProvider, putRequest } from '../../support/sso/rows.ts'
import { another, must, type World } from '../world.ts'
import { type Calls, fresh } from './call.ts'

async function newSaml({ by, ids }: World) {
  const made = await must(by, 'POST', `/orgs/${ids.organizationId}/saml`, {
    label: another('SAML'),
  })
  return { samlProviderId: made.id as string }
}

const newOidc = ({ app, ids }: World) => ({
  oidcProviderId: putProvider(app.ctx, {
    kind: 'oidc',
    organization_id: ids.organizationId as string,
    secret_sealed: app.ctx.keys.seal('client secret', 'secret'),
  }).id,
})

/** Returns the one-time code of a sign-in. */
function newCode({ app, ids }: World): string {
  const provider = putProvider(app.ctx, { organization_id: ids.organizationId as string })
  const requestId = putRequest(app.ctx, provider.id)
  const email = `${randomId().toLowerCase()}@example.net`

  return app.ctx.store.transact(() => {
    const identity = { subject: email, email }
    return createCode(
      app.ctx,
      signIn(app.ctx, { providerId: provider.id, requestId, identity }, null),
    )
  })
}

/** Identity providers and signing in. */
export const sso: Calls = {
  createOrganizationSAMLProvider: fresh(() => ({ body: { label: another('SAML') } })),
  getOrganizationSAMLProviderById: fresh(async world => ({ ids: await newSaml(world) })),
  updateOrganizationSAMLProvider: fresh(async world => ({
    ids: await newSaml(world),
    body: { label: another('Renamed') },
  })),
  deleteOrganizationSAMLProvider: fresh(async world => ({ ids: await newSaml(world) })),
  createOIDCProvider: fresh(async () => ({
    body: {
      label: another('OIDC'),
      issuer: await quietIssuer(),
      clientId: 'docs',
      clientSecret: 'secret',
    },
  })),
  getOIDCProviderById: fresh(world => ({ ids: newOidc(world) })),
  updateOIDCProviderById: fresh(world => ({
    ids: newOidc(world),
    body: { label: another('Renamed') },
  })),
  deleteOIDCProviderById: fresh(world => ({ ids: newOidc(world) })),
  exchangeSignInCode: fresh(world => ({ body: { code: newCode(world) } })),
}
