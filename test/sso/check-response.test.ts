import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Accepted } from '../../src/sso/check-assertion.ts'
import { checkResponse } from '../../src/sso/check-response.ts'
import { readResponse } from '../../src/sso/read-response.ts'
import { Refused } from '../../src/sso/reasons.ts'
import { keyPair } from '../support/sso/certificates.ts'
import {
  assertionXml,
  base64,
  partsOf,
  type ResponseParts,
  responseXml,
  type Signed,
  type Signing,
  signedResponse,
  signXml,
} from '../support/sso/response.ts'

const now = Date.parse('2026-05-01T12:00:00Z')
const minute = 60_000
const service = {
  entityID: 'https://docs.example.org/sso/saml/p/metadata',
  acsURL: 'https://docs.example.org/sso/saml/p/acs',
}
const issuer = 'https://idp.example.org/'
const provider = {
  issuer,
  ssoURL: 'https://idp.example.org/sso',
  certificates: [keyPair('idp').certificate],
  emailAttribute: null,
}
const toleranceMs = 120_000
const requestId = `_${'a'.repeat(40)}`
const good = {
  entityID: issuer,
  acsURL: service.acsURL,
  audience: service.entityID,
  requestId,
  now,
}

const check = async (xml: string, certificates = provider.certificates): Promise<Accepted> =>
  checkResponse(
    readResponse(base64(xml)),
    { service, provider: { ...provider, certificates }, requestId, now, toleranceMs },
    work => work(),
  )

async function reasonFor(xml: string): Promise<string> {
  try {
    const { identity } = await check(xml)
    return `accepted ${identity.email}`
  } catch (error) {
    if (error instanceof Refused) return error.reason
    throw error
  }
}

const made = (
  parts: Partial<ResponseParts> = {},
  what: Signed = 'assertion',
  signing: Signing = {},
) => signedResponse({ ...good, ...parts }, what, signing)

/** Asserts the outcome of each response: a reason, or "accepted" with the address. */
async function outcomes(
  cases: readonly [name: string, xml: string, outcome: string][],
): Promise<void> {
  for (const [name, xml, outcome] of cases) assert.is(await reasonFor(xml), outcome, name)
}

const accepted = 'accepted zoe@example.org'

test('a response is accepted with the assertion, the response or both signed', async () => {
  for (const what of ['assertion', 'response', 'both'] as const)
    assert.is(await reasonFor(made({}, what)), accepted, what)
})

test('an accepted response has the address, the name and the end of the session', async () => {
  const attribute = (name: string, value: string) =>
    `<saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`
  const attributes = `<saml:AttributeStatement>${attribute('first_name', 'Zoe &amp; Co')}${attribute('last_name', 'Zeta')}</saml:AttributeStatement>`
  const { identity, assertion } = await check(
    made({ attributes, assertionId: '_once', sessionEnd: now + minute }),
  )
  assert.equal(identity, {
    subject: 'zoe@example.org',
    email: 'zoe@example.org',
    displayName: 'Zoe & Co Zeta',
    sessionEndsAt: new Date(now + minute).toISOString(),
  })
  assert.equal(assertion, { id: '_once', expiresAt: new Date(now + 20 * minute).toISOString() })
})

test('any of several certificates verifies a signature, during a change of keys', async () => {
  const both = [keyPair('next').certificate, keyPair('idp').certificate]
  assert.is((await check(made(), both)).identity.email, 'zoe@example.org')
})

test('a signature of another kind, or of another key, is refused', async () => {
  const foreign = keyPair('foreign')
  const hmac = signXml(assertionXml(partsOf({ ...good, assertionId: '_h' })), '_h', {
    pair: { ...keyPair('idp'), key: keyPair('idp').key },
  }).replace(/xmldsig-more#rsa-sha256/, 'xmldsig-more#hmac-sha256')
  const withComment = made().replace(/(<DigestValue>|<ds:DigestValue>)/, '$1<!-- x -->')
  const twoInfos = made().replace(/(<SignedInfo>.*<\/SignedInfo>)/, '$1$1')

  await outcomes([
    ['unsigned', made({}, 'none'), 'signature'],
    ['another key', made({}, 'assertion', { pair: foreign }), 'signature'],
    ['another key in KeyInfo', made({}, 'response', { pair: foreign, keyInfo: true }), 'signature'],
    ['HMAC', responseXml(partsOf(good), hmac), 'algorithm'],
    [
      'SHA-1',
      made({}, 'assertion', {
        method: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
        digest: 'http://www.w3.org/2000/09/xmldsig#sha1',
      }),
      'algorithm',
    ],
    [
      'SHA-1 digest',
      made({}, 'assertion', { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' }),
      'algorithm',
    ],
    ['ECDSA', made().replace('rsa-sha256', 'ecdsa-sha256'), 'algorithm'],
    ['comment in the digest', withComment, 'signature'],
    ['two SignedInfo', twoInfos, 'signature'],
    ['changed text', made().replace('zoe@example.org', 'ada@example.org'), 'signature'],
    [
      'SHA-512',
      made({}, 'assertion', {
        method: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
        digest: 'http://www.w3.org/2001/04/xmlenc#sha512',
      }),
      accepted,
    ],
  ])
})

test('a forged assertion beside, around or inside the signed one is refused', async () => {
  const parts = partsOf({ ...good, assertionId: '_real' })
  const real = signXml(assertionXml(parts), '_real')
  const forged = (id = '_forged') =>
    assertionXml(partsOf({ ...good, email: 'ada@example.org', assertionId: id }))
  const around = forged().replace('</saml:Assertion>', `${real}</saml:Assertion>`)
  const inSignature = forged().replace(
    '<saml:Subject>',
    `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:Object>${real}</ds:Object></ds:Signature><saml:Subject>`,
  )
  const whole = signXml(responseXml(parts, forged('_inner')), parts.responseId, {
    pair: keyPair('foreign'),
  })
  const cases: [string, string][] = [
    ['before', responseXml(parts, forged() + real)],
    ['after', responseXml(parts, real + forged())],
    ['around', responseXml(parts, around)],
    [
      'in Extensions',
      responseXml({ ...parts, extra: `<samlp:Extensions>${real}</samlp:Extensions>` }, forged()),
    ],
    ['in ds:Object', responseXml(parts, inSignature)],
    [
      'in Advice',
      responseXml(
        parts,
        forged().replace('<saml:Subject>', `<saml:Advice>${real}</saml:Advice><saml:Subject>`),
      ),
    ],
    ['the same ID', responseXml(parts, forged('_real') + real)],
    [
      'in another namespace',
      responseXml(
        parts,
        real +
          forged()
            .replaceAll('saml:', 'x:')
            .replace(/xmlns:saml="[^"]*"/, 'xmlns:x="urn:x"'),
      ),
    ],
    ['a response around a response', responseXml(parts, responseXml(parts, real))],
    ['a foreign signature around', whole],
    [
      'moved into the forged subject',
      responseXml(
        parts,
        forged().replace(
          '</saml:Subject>',
          `</saml:Subject>${real.match(/<Signature.*<\/Signature>/s)?.[0] ?? ''}`,
        ),
      ),
    ],
  ]

  for (const [name, xml] of cases) {
    const reason = await reasonFor(xml)
    assert.ok(['structure', 'signature'].includes(reason), `${name}: ${reason}`)
  }

  assert.is(await reasonFor(`${responseXml(parts, real)}${forged()}`), 'document')
})

test('an encrypted assertion is refused with what to switch', async () => {
  const encrypted = '<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"/>'
  assert.is(await reasonFor(responseXml(partsOf(good), encrypted)), 'encrypted')
})

test('issuer, audience, destination, recipient and request must be ours', async () => {
  const audience = (names: string[]) =>
    partsOf(good).conditions.replace(
      /<saml:Audience>.*<\/saml:Audience>/,
      names.map(name => `<saml:Audience>${name}</saml:Audience>`).join(''),
    )
  await outcomes([
    ['issuer', made({ issuer: 'https://evil.example/' }), 'issuer'],
    ['issuer of the response', made({ responseIssuer: 'https://evil.example/' }), 'issuer'],
    ['no issuer of the response', made({ responseIssuer: null }), accepted],
    ['audience', made({ audience: 'https://other.example/' }), 'audience'],
    ['no audience', made({ conditions: audience([]) }), 'audience'],
    [
      'two audiences',
      made({ conditions: audience(['https://x.example/', service.entityID]) }),
      accepted,
    ],
    ['destination', made({ destination: 'https://other.example/acs' }), 'confirmation'],
    ['no destination', made({ destination: null }), accepted],
    ['recipient', made({ recipient: 'https://other.example/acs' }), 'confirmation'],
    ['no recipient', made({ recipient: null }), 'confirmation'],
    ['another request', made({ confirmedRequest: '_other' }), 'confirmation'],
    ['no request in the assertion', made({ confirmedRequest: null }), 'confirmation'],
    ['no confirmation', made({ confirmation: '' }), 'confirmation'],
    [
      'two confirmations',
      made({ confirmation: partsOf(good).confirmation.repeat(2) }),
      'confirmation',
    ],
    [
      'another method',
      made({ confirmation: partsOf(good).confirmation.replace('cm:bearer', 'cm:holder-of-key') }),
      'confirmation',
    ],
    [
      'NotBefore in the confirmation',
      made({
        confirmation: partsOf(good).confirmation.replace(
          'Recipient=',
          'NotBefore="2026-01-01T00:00:00Z" Recipient=',
        ),
      }),
      'confirmation',
    ],
    ['no conditions', made({ conditions: '' }), 'conditions'],
  ])
})

test('the clocks of provider and service may differ by the tolerance, and conditions decide on the age', async () => {
  const end = (ms: number) => ({ notOnOrAfter: now + ms, confirmationEnd: now + ms })
  const noEnd = { conditions: partsOf(good).conditions.replace(/ NotOnOrAfter="[^"]*"/, '') }
  await outcomes([
    ['expired 119 s', made(end(1 - toleranceMs)), accepted],
    ['expired 120 s', made(end(-toleranceMs)), 'conditions'],
    ['no end of the confirmation', made({ confirmationEnd: null }), 'confirmation'],
    ['in 120 s', made({ notBefore: now + toleranceMs }), accepted],
    ['in 121 s', made({ notBefore: now + toleranceMs + 1000 }), 'conditions'],
    ['a day old, and still valid', made({ issued: now - 86_400_000 }), accepted],
    ['a day old, without an end', made({ issued: now - 86_400_000, ...noEnd }), 'conditions'],
    ['without an end', made(noEnd), accepted],
    ['from the near future', made({ issued: now + toleranceMs }), accepted],
    ['from the future', made({ issued: now + toleranceMs + 1000 }), 'conditions'],
    ['session over', made({ sessionEnd: now - 1 }), 'session'],
    ['no statement', made({ authnStatement: '' }), 'session'],
  ])
})

test('a status other than success is refused, with or without an assertion', async () => {
  const status = 'urn:oasis:names:tc:SAML:2.0:status:Responder'
  assert.is(await reasonFor(made({ status })), 'status')
  assert.is(await reasonFor(responseXml(partsOf({ ...good, status }), '')), 'status')
  const noPassive = responseXml(partsOf({ ...good, status }), '').replace(
    /<samlp:StatusCode ([^/]*)\/>/,
    '<samlp:StatusCode $1><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:NoPassive"/></samlp:StatusCode>',
  )

  await check(noPassive).then(
    () => assert.unreachable(),
    error => assert.is(error.detail, 'Responder NoPassive'),
  )
})

test('the name ID is one whole e-mail address', async () => {
  const nameId = (content: string) => ({ nameId: `<saml:NameID>${content}</saml:NameID>` })
  await outcomes([
    ['empty', made(nameId('')), 'address'],
    ['two', made({ nameId: partsOf(good).nameId.repeat(2) }), 'address'],
    ['no address', made(nameId('G-1234')), 'address'],
    ['an element inside', made(nameId('ada@example.org<x/>.evil.example')), 'address'],
    [
      'a comment: all of the text counts',
      made(nameId('ada@example.org<!-- x -->.evil.example')),
      'accepted ada@example.org.evil.example',
    ],
    ['long', made(nameId(`${'a'.repeat(1000)}@example.org`)), 'address'],
    ['upper case', made(nameId('ZOE@Example.ORG')), accepted],
    ['blanks', made(nameId('\n  zoe@example.org ')), accepted],
    ['a letter that folds to ASCII', made(nameId('\u212Aim@example.org')), 'address'],
    ['full width', made(nameId('ｚoe@example.org')), 'address'],
  ])
})

test.run()
