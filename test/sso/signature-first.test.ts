import { sign } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkResponse } from '../../src/sso/check-response.ts'
import { limits } from '../../src/sso/limits.ts'
import { readResponse } from '../../src/sso/read-response.ts'
import { Refused } from '../../src/sso/reasons.ts'
import { keyPair } from '../support/sso/certificates.ts'
import {
  assertionXml,
  base64,
  partsOf,
  responseXml,
  signedResponse,
  signXml,
} from '../support/sso/response.ts'

const now = Date.parse('2026-05-01T12:00:00Z')
const service = { entityID: 'https://docs.example.org/p', acsURL: 'https://docs.example.org/acs' }
const issuer = 'https://idp.example.org/'
const requestId = '_request'
const good = {
  entityID: issuer,
  acsURL: service.acsURL,
  audience: service.entityID,
  requestId,
  now,
}
const idp = keyPair('idp')
const forger = { pair: keyPair('forger') }

/** Returns the outcome of a response, and whether node-saml saw it. */
async function outcomeOf(xml: string, certificates = [idp.certificate]): Promise<string> {
  let seen = 'unseen'
  const ssoURL = 'https://idp.example.org/sso'
  const provider = { issuer, ssoURL, certificates, emailAttribute: null }
  const outcome = await checkResponse(
    readResponse(base64(xml)),
    { service, provider, requestId, now, toleranceMs: 0 },
    work => {
      seen = 'seen'
      return work()
    },
  ).then(
    () => 'accepted',
    error => (error instanceof Refused ? error.reason : Promise.reject(error)),
  )

  return `${outcome}, ${seen}`
}

const signedWith = (pair = idp, transform = (info: string) => info) => {
  const xml = signedResponse(good, 'assertion', { pair })
  const [info = ''] = /<SignedInfo>.*<\/SignedInfo>/s.exec(xml) ?? []
  const changed = transform(info)
  const canonical = changed
    .replace('<SignedInfo>', '<SignedInfo xmlns="http://www.w3.org/2000/09/xmldsig#">')
    .replace(/<(\w+)([^<>]*)\/>/g, '<$1$2></$1>')
  const value = sign('sha256', Buffer.from(canonical), pair.key).toString('base64')
  return xml.replace(info, changed).replace(/<SignatureValue>[^<]*/, `<SignatureValue>${value}`)
}

test('node-saml sees only documents whose every signature is of the provider', async () => {
  const parts = partsOf(good)
  const forged = signXml(assertionXml(parts), parts.assertionId, forger)
  const genuine = signXml(assertionXml(parts), parts.assertionId)
  const outside = (assertion: string, pair = idp) =>
    signXml(responseXml(parts, assertion), parts.responseId, { pair })

  assert.is(await outcomeOf(responseXml(parts, genuine)), 'accepted, seen')
  assert.is(await outcomeOf(outside(genuine)), 'accepted, seen')
  assert.is(await outcomeOf(responseXml(parts, forged)), 'signature, unseen')
  assert.is(await outcomeOf(outside(assertionXml(parts), forger.pair)), 'signature, unseen')
  assert.is(await outcomeOf(outside(genuine, forger.pair)), 'signature, unseen')
  assert.is(await outcomeOf(outside(forged)), 'signature, unseen')
  assert.is(
    await outcomeOf(responseXml(parts, genuine), [forger.pair.certificate, idp.certificate]),
    'accepted, seen',
  )
})

test('a genuine signature over another document is found out by node-saml', async () => {
  const xml = signedResponse(good).replace('zoe@example.org', 'ada@example.org')
  assert.is(await outcomeOf(xml), 'signature, seen')
})

test('SignedInfo may be formatted, and counts as it is signed', async () => {
  const spaced = (info: string) => info.replace(/></g, '>\n  <')
  assert.is(await outcomeOf(signedWith(idp, spaced)), 'accepted, seen')
  assert.is(
    await outcomeOf(signedWith(idp).replace('<SignedInfo>', '<SignedInfo> ')),
    'signature, unseen',
  )
  assert.is(await outcomeOf(signedWith(forger.pair, spaced)), 'signature, unseen')
})

test('prefixes that a signature lists are part of what it signs', async () => {
  const list = (prefixes: string) =>
    `<InclusiveNamespaces xmlns="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="${prefixes}"/>`
  const method = /<CanonicalizationMethod([^>]*)\/>/
  const xml = signedWith(idp, info =>
    info
      .replace('<SignedInfo>', '<SignedInfo xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">')
      .replace(method, `<CanonicalizationMethod$1>${list('saml')}</CanonicalizationMethod>`),
  )
  const value = (text: string) => /<SignatureValue>([^<]*)/.exec(text)?.[1] ?? ''
  const [info = ''] = /<SignedInfo .*<\/SignedInfo>/s.exec(xml) ?? []
  const canonical = info
    .replace('<SignedInfo ', '<SignedInfo xmlns="http://www.w3.org/2000/09/xmldsig#" ')
    .replace(/<(\w+)([^<>]*)\/>/g, '<$1$2></$1>')
  const signature = sign('sha256', Buffer.from(canonical), idp.key).toString('base64')

  assert.is(await outcomeOf(xml.replace(value(xml), signature)), 'accepted, seen')
  assert.is(
    await outcomeOf(
      xml.replace(value(xml), signature).replace('PrefixList="saml"', 'PrefixList="x"'),
    ),
    'signature, unseen',
  )
})

test('SignedInfo and the value of a signature have limits', async () => {
  const long = (info: string) =>
    info.replace('<SignedInfo>', `<SignedInfo>${' '.repeat(limits.signedInfo)}`)
  assert.is(await outcomeOf(signedWith(idp, long)), 'signature, unseen')
  const value = signedWith(idp).replace(
    /<SignatureValue>/,
    `<SignatureValue>${'A'.repeat(limits.signatureValue)}`,
  )
  assert.is(await outcomeOf(value), 'signature, unseen')
})

test.run()
