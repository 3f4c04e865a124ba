import { inflateRawSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkResponse } from '../../src/sso/check-response.ts'
import type { ProvenIdentity } from '../../src/sso/identity.ts'
import { readResponse } from '../../src/sso/read-response.ts'
import { Refused } from '../../src/sso/reasons.ts'
import { startAddress } from '../../src/sso/start.ts'
import { keyPair } from '../support/sso/certificates.ts'
import {
  assertionXml,
  base64,
  partsOf,
  type ResponseParts,
  responseXml,
  type Signed,
  type Signing,
  signXml,
} from '../support/sso/response.ts'

/**
 * Responses in the form that the documentation of each provider describes: prefixes, name IDs,
 * names of attributes, times and what is signed.
 */
const now = Date.parse('2026-05-01T12:00:00Z')
const hour = 3_600_000
const service = {
  entityID: 'https://docs.example.org/sso/saml/p/metadata',
  acsURL: 'https://docs.example.org/sso/saml/p/acs',
}
const requestId = `_${'a'.repeat(40)}`

type Form = {
  issuer: string
  /** The prefix of elements of the assertion; '' for none. */
  prefix: string
  nameId: string
  attributes: string
  signed: Signed
  parts?: Partial<ResponseParts>
  signing?: Signing
  emailAttribute?: string
  identity: ProvenIdentity
}

const nameId = (format: string, text: string) =>
  `<saml:NameID${format && ` Format="urn:oasis:names:tc:SAML:${format}"`}>${text}</saml:NameID>`
const persistent = '2.0:nameid-format:persistent'
const email = '1.1:nameid-format:emailAddress'

/** Returns a statement with attributes; `more` is put into each element of that name. */
const statement = (
  attributes: Record<string, string>,
  { attribute = '', value = '' }: { attribute?: string; value?: string } = {},
) =>
  `<saml:AttributeStatement>${Object.entries(attributes)
    .map(
      ([name, text]) =>
        `<saml:Attribute Name="${name}"${attribute}><saml:AttributeValue${value}>${text}</saml:AttributeValue></saml:Attribute>`,
    )
    .join('')}</saml:AttributeStatement>`

const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
const xsi =
  ' xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string"'
const basic = ' NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:basic"'
const pat = { email: 'pat@example.org', displayName: 'Pat Doe' }

const forms: Record<string, Form> = {
  // The account of Windows as name ID, a clock that is ahead, and an hour of validity.
  ADFS: {
    issuer: 'http://adfs.example.org/adfs/services/trust',
    prefix: '',
    nameId: nameId('', 'EXAMPLE\\pat'),
    attributes: statement({
      [`${claims}/emailaddress`]: 'Pat@Example.org',
      [`${claims}/givenname`]: 'Pat',
      [`${claims}/surname`]: 'Doe',
    }),
    signed: 'assertion',
    parts: { issued: now + 90_000, notBefore: now + 90_000, notOnOrAfter: now + 90_000 + hour },
    identity: { subject: 'id example\\pat', ...pat },
  },
  'Entra ID': {
    issuer: 'https://sts.windows.net/7f4c/',
    prefix: '',
    nameId: nameId(persistent, 'AbC0x_9-Zz'),
    attributes: statement({
      'http://schemas.microsoft.com/identity/claims/tenantid': '7f4c',
      'http://schemas.microsoft.com/identity/claims/displayname': 'Pat Doe',
      [`${claims}/emailaddress`]: 'pat@example.org',
      [`${claims}/name`]: 'pat@tenant.example.org',
    }),
    signed: 'assertion',
    parts: { notBefore: now - 300_000, notOnOrAfter: now + hour },
    identity: { subject: 'id AbC0x_9-Zz', ...pat },
  },
  'Entra ID, with the user principal name as address': {
    issuer: 'https://sts.windows.net/7f4c/',
    prefix: '',
    nameId: nameId(persistent, 'AbC0x_9-Zz'),
    attributes: statement({ [`${claims}/name`]: 'pat@example.org' }),
    signed: 'assertion',
    emailAttribute: `${claims}/name`,
    identity: { subject: 'id AbC0x_9-Zz', email: 'pat@example.org' },
  },
  Okta: {
    issuer: 'http://www.okta.com/exk1',
    prefix: 'saml2',
    nameId: nameId('1.1:nameid-format:unspecified', 'pat@example.org'),
    attributes: statement(
      { firstName: 'Pat', lastName: 'Doe' },
      {
        attribute: ' NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified"',
        value: xsi,
      },
    ),
    signed: 'both',
    signing: { inclusivePrefixes: ['xs'], keyInfo: true },
    identity: { subject: 'pat@example.org', ...pat },
  },
  Google: {
    issuer: 'https://accounts.google.com/o/saml2?idpid=C01',
    prefix: 'saml2',
    nameId: nameId(email, 'pat@example.org'),
    attributes: statement({ first_name: 'Pat', last_name: 'Doe' }, { value: xsi }),
    signed: 'response',
    signing: { keyInfo: true },
    parts: { issued: now - 600_000, notBefore: now - 900_000, notOnOrAfter: now + 60_000 },
    identity: { subject: 'pat@example.org', ...pat },
  },
  Keycloak: {
    issuer: 'https://id.example.org/realms/docs',
    prefix: 'saml',
    nameId: nameId(persistent, 'G-5a7e'),
    attributes: statement(
      {
        'urn:oid:1.2.840.113549.1.9.1': 'pat@example.org',
        'urn:oid:2.5.4.42': 'Pat',
        'urn:oid:2.5.4.4': 'Doe',
        Role: 'manage-account',
      },
      { attribute: basic, value: xsi },
    ),
    signed: 'response',
    signing: { keyInfo: true },
    parts: { sessionEnd: now + 10 * hour },
    identity: {
      subject: 'id G-5a7e',
      ...pat,
      sessionEndsAt: new Date(now + 10 * hour).toISOString(),
    },
  },
  OneLogin: {
    issuer: 'https://app.onelogin.com/saml/metadata/1',
    prefix: 'saml',
    nameId: nameId('1.1:nameid-format:unspecified', '12345678'),
    attributes: statement(
      { 'User.email': 'pat@example.org', 'User.FirstName': 'Pat', 'User.LastName': 'Doe' },
      { attribute: basic, value: xsi },
    ),
    signed: 'assertion',
    parts: { notBefore: now - 180_000, notOnOrAfter: now + 180_000 },
    identity: { subject: 'id 12345678', ...pat },
  },
  // Another name ID at each sign-in: the address is the subject.
  Shibboleth: {
    issuer: 'https://idp.example.edu/idp/shibboleth',
    prefix: 'saml2',
    nameId: nameId('2.0:nameid-format:transient', '_8c1f'),
    attributes: statement({
      'urn:oid:0.9.2342.19200300.100.1.3': 'pat@example.org',
      'urn:oid:2.16.840.1.113730.3.1.241': 'Pat Doe',
    }),
    signed: 'both',
    identity: { subject: 'pat@example.org', ...pat },
  },
}

/** Returns XML of an assertion with another prefix for its elements. */
function prefixed(xml: string, prefix: string): string {
  const name = prefix === '' ? '' : `${prefix}:`
  return xml
    .replace(/<(\/?)saml:/g, `<$1${name}`)
    .replaceAll('xmlns:saml=', prefix === '' ? 'xmlns=' : `xmlns:${prefix}=`)
}

function responseOf(form: Form): string {
  const parts = partsOf({
    entityID: form.issuer,
    acsURL: service.acsURL,
    audience: service.entityID,
    requestId,
    now,
    nameId: form.nameId,
    attributes: form.attributes,
    ...form.parts,
  })
  const bare = prefixed(assertionXml(parts), form.prefix)
  const isSigned = form.signed === 'assertion' || form.signed === 'both'
  const assertion = isSigned ? signXml(bare, parts.assertionId, form.signing) : bare
  const response = responseXml(parts, assertion)

  return form.signed === 'assertion' ? response : signXml(response, parts.responseId, form.signing)
}

const providerOf = ({ issuer, emailAttribute }: Pick<Form, 'issuer' | 'emailAttribute'>) => ({
  issuer,
  ssoURL: 'https://idp.example.org/sso',
  certificates: [keyPair('idp').certificate],
  emailAttribute: emailAttribute ?? null,
})

async function identityOf(form: Form): Promise<ProvenIdentity> {
  const expected = { service, provider: providerOf(form), requestId, now, toleranceMs: 120_000 }
  const sent = readResponse(base64(responseOf(form)))
  return (await checkResponse(sent, expected, work => work())).identity
}

for (const [name, form] of Object.entries(forms))
  test(`a person signs in with a response of ${name}`, async () => {
    assert.equal(await identityOf(form), form.identity)
  })

test('with an attribute set, no other place of an address counts', async () => {
  const refused = async (form: Form) => {
    try {
      return (await identityOf(form)).email
    } catch (error) {
      if (error instanceof Refused) return error.reason
      throw error
    }
  }
  const { Google, OneLogin, ADFS } = forms
  if (!Google || !OneLogin || !ADFS) throw new Error('a form is missing')

  assert.is(await refused({ ...Google, emailAttribute: 'mail' }), 'address')
  assert.is(await refused({ ...OneLogin, attributes: '' }), 'address')
  assert.is(await refused({ ...OneLogin, attributes: statement({ mail: 'pat' }) }), 'address')
  const inside = statement({ mail: 'pat@example.org' }).replace('example', 'exa<x/>mple')

  assert.is(await refused({ ...OneLogin, attributes: inside }), 'address')
  assert.is(await refused({ ...ADFS, nameId: ADFS.nameId.repeat(2) }), 'address')
  const both = statement({ mail: 'ada@example.org' })

  assert.is(await refused({ ...Google, attributes: both }), 'pat@example.org')
  assert.is(
    await refused({ ...Google, attributes: both, emailAttribute: 'mail' }),
    'ada@example.org',
  )
})

test('a name ID that looks like an address counts only where it is one', async () => {
  const { OneLogin } = forms
  if (!OneLogin) throw new Error('the form is missing')
  const named = async (format: string, mail: string) =>
    identityOf({
      ...OneLogin,
      nameId: nameId(format, 'ada@example.org'),
      attributes: statement({ email: '', mail }),
    })
  const own = { subject: 'ada@example.org', email: 'ada@example.org' }
  const other = { subject: 'id ada@example.org', email: 'pat@example.org' }

  assert.equal(await named(email, 'pat@example.org'), own)
  assert.equal(await named('', 'pat@example.org'), other)
  assert.equal(await named(persistent, 'pat@example.org'), other)
  assert.equal(await named('', ''), own)
  assert.equal(await named(persistent, '').catch(error => error.reason), 'address')
})

test('a request names a format of the name ID only where the address is expected in it', async () => {
  const asksFor = async (emailAttribute?: string) => {
    const provider = providerOf({ issuer: 'x', ...(emailAttribute && { emailAttribute }) })
    const address = new URL(await startAddress(service, provider, requestId))
    const deflated = Buffer.from(address.searchParams.get('SAMLRequest') ?? '', 'base64')
    return inflateRawSync(deflated).toString().includes('Format=')
  }

  assert.is(await asksFor(), true)
  assert.is(await asksFor('mail'), false)
})

test.run()
