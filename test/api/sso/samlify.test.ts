import { randomBytes } from 'node:crypto'
import samlify from 'samlify'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { actor, startApp } from '../../support/app.ts'
import {
  Browser,
  entityID,
  newSamlProvider,
  newVerifier,
  type SamlProvider,
  ssoURL,
} from '../../support/sso/browser.ts'
import { keyPair } from '../../support/sso/certificates.ts'

const app = await startApp({ STEMMA_PUBLIC_URL: 'https://docs.example.org' })
test.after(() => app.stop())
const provider = await newSamlProvider(app, { defaultRole: 'edit' })

samlify.setSchemaValidator({ validate: async () => 'not validated' })

const { key, certificate } = keyPair('idp')
const emailAddress = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'

const idp = samlify.IdentityProvider({
  entityID,
  privateKey: key,
  signingCert: certificate,
  isAssertionEncrypted: false,
  wantAuthnRequestsSigned: false,
  requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  nameIDFormat: [emailAddress],
  singleSignOnService: [
    { Binding: samlify.Constants.namespace.binding.redirect, Location: ssoURL },
  ],
  loginResponseTemplate: {
    context: samlify.SamlLib.defaultLoginResponseTemplate.context,
    attributes: [
      {
        name: 'first_name',
        valueTag: 'user.first',
        nameFormat: 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic',
        valueXsiType: 'xs:string',
      },
    ],
  },
})

type Signs = 'assertion' | 'response' | 'both'

/** Returns this service as the provider knows it from its metadata. */
async function serviceOf({ service }: SamlProvider, signs: Signs) {
  const { text } = await new Browser(app).get(service.entityID)
  const metadata =
    signs === 'response'
      ? text.replace('WantAssertionsSigned="true"', 'WantAssertionsSigned="false"')
      : text
  return samlify.ServiceProvider({ metadata, wantMessageSigned: signs !== 'assertion' })
}

const statement = (now: Date) =>
  `<saml:AuthnStatement AuthnInstant="${now.toISOString()}" SessionIndex="_1"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`

/**
 * Reads the request of a sign-in like an identity provider, and returns its signed response as the
 * form field.
 */
async function answerOf(address: URL, signs: Signs, email: string): Promise<string> {
  const service = await serviceOf(provider, signs)
  const query = Object.fromEntries(address.searchParams)
  const request = await idp.parseLoginRequest(service, 'redirect', { query })
  const { issuer, request: asked, nameIDPolicy } = request.extract

  assert.is(issuer, provider.service.entityID)
  assert.is(asked?.assertionConsumerServiceUrl, provider.service.acsURL)
  assert.is(nameIDPolicy?.format, emailAddress)
  const fill = (template: string) => {
    const id = `_${randomBytes(16).toString('hex')}`
    const now = new Date()
    const end = new Date(now.getTime() + 300_000).toISOString()
    const context = samlify.SamlLib.replaceTagsByValue(
      template.replace('{AuthnStatement}', statement(now)),
      {
        ID: id,
        AssertionID: `${id}a`,
        Destination: provider.service.acsURL,
        Audience: provider.service.entityID,
        SubjectRecipient: provider.service.acsURL,
        Issuer: entityID,
        IssueInstant: now.toISOString(),
        StatusCode: samlify.Constants.StatusCode.Success,
        ConditionsNotBefore: now.toISOString(),
        ConditionsNotOnOrAfter: end,
        SubjectConfirmationDataNotOnOrAfter: end,
        NameIDFormat: emailAddress,
        NameID: email,
        InResponseTo: String(asked?.id),
        attrUserFirst: 'Kim',
      },
    )

    return { id, context }
  }

  return (await idp.createLoginResponse(service, { ...request }, 'post', { email }, fill)).context
}

for (const signs of ['assertion', 'response', 'both'] as const)
  test(`a whole sign-in works with an independent provider that signs: ${signs}`, async () => {
    const browser = new Browser(app)
    const { verifier, challenge } = newVerifier()
    const query = new URLSearchParams({
      redirect_uri: 'http://127.0.0.1:8123/done',
      code_challenge: challenge,
      state: 's',
    })
    const started = await browser.get(`${provider.service.startURL}?${query}`)
    const address = new URL(started.headers.get('location') as string)
    const SAMLResponse = await answerOf(address, signs, `${signs}@example.org`)
    const RelayState = address.searchParams.get('RelayState') as string
    const page = await browser.post(provider.service.acsURL, { SAMLResponse, RelayState })

    assert.is(page.status, 303, page.text)
    const target = new URL(page.headers.get('location') as string)

    assert.is(target.searchParams.get('state'), 's')
    const code = target.searchParams.get('code')
    const made = await app.anonymous.post('/v1/sso/token', { code, code_verifier: verifier })

    assert.is(made.status, 201, made.text)
    const { token, user } = made.body
    const shown = await actor(app.url, user.id, token).get('/v1/user')

    assert.equal(
      [shown.status, shown.body.email, shown.body.displayName],
      [200, `${signs}@example.org`, 'Kim'],
    )

    assert.is(
      (await browser.post(provider.service.acsURL, { SAMLResponse, RelayState })).status,
      400,
    )
  })

test.run()
