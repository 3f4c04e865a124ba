import { SignedXml } from 'xml-crypto'
import { type KeyPair, keyPair } from './certificates.ts'

/**
 * Everything in a SAML response that a test may change; null leaves an attribute or element out.
 */
export type ResponseParts = {
  entityID: string
  acsURL: string
  audience: string
  requestId: string | null
  email: string
  /** Milliseconds since 1970. */
  now: number
  assertionId: string
  responseId: string
  issuer: string
  responseIssuer: string | null
  destination: string | null
  recipient: string | null
  confirmedRequest: string | null
  confirmationEnd: number | null
  issued: number
  notBefore: number
  notOnOrAfter: number
  sessionEnd: number | null
  status: string
  /** Replaces the whole element. */
  nameId: string
  conditions: string
  confirmation: string
  authnStatement: string
  attributes: string
  /** Put before the assertion, inside of the response. */
  extra: string
}

const assertionNamespace = 'urn:oasis:names:tc:SAML:2.0:assertion'
const minute = 60_000
const iso = (at: number) => new Date(at).toISOString()
const attribute = (name: string, value: string | null) =>
  value === null ? '' : ` ${name}="${value}"`
let made = 0

type Given = Partial<ResponseParts> &
  Pick<ResponseParts, 'acsURL' | 'audience' | 'requestId' | 'entityID'>

/** Returns all parts of a good response, changed as given. */
export function partsOf(given: Given): ResponseParts {
  const now = given.now ?? Date.now()
  const basic = {
    email: 'zoe@example.org',
    now,
    assertionId: `_a${++made}x${now}`,
    responseId: `_r${made}x${now}`,
    issuer: given.entityID,
    responseIssuer: given.entityID,
    destination: given.acsURL,
    recipient: given.acsURL,
    confirmedRequest: given.requestId,
    confirmationEnd: now + 5 * minute,
    issued: now,
    notBefore: now - minute,
    notOnOrAfter: now + 5 * minute,
    sessionEnd: null,
    status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
    attributes: '',
    extra: '',
    ...given,
  }

  return {
    ...basic,
    nameId: `<saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">${basic.email}</saml:NameID>`,
    confirmation: `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData${attribute('InResponseTo', basic.confirmedRequest)}${attribute('NotOnOrAfter', basic.confirmationEnd === null ? null : iso(basic.confirmationEnd))}${attribute('Recipient', basic.recipient)}/></saml:SubjectConfirmation>`,
    conditions: `<saml:Conditions NotBefore="${iso(basic.notBefore)}" NotOnOrAfter="${iso(basic.notOnOrAfter)}"><saml:AudienceRestriction><saml:Audience>${basic.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    authnStatement: `<saml:AuthnStatement AuthnInstant="${iso(now)}"${attribute('SessionNotOnOrAfter', basic.sessionEnd === null ? null : iso(basic.sessionEnd))}><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
    ...given,
  } as ResponseParts
}

/** Returns an assertion as XML, without a signature. */
export const assertionXml = (parts: ResponseParts): string =>
  `<saml:Assertion xmlns:saml="${assertionNamespace}" ID="${parts.assertionId}" IssueInstant="${iso(parts.issued)}" Version="2.0"><saml:Issuer>${parts.issuer}</saml:Issuer><saml:Subject>${parts.nameId}${parts.confirmation}</saml:Subject>${parts.conditions}${parts.authnStatement}${parts.attributes}</saml:Assertion>`

/** Returns a response as XML around an assertion, without a signature of its own. */
export const responseXml = (parts: ResponseParts, assertion: string): string =>
  `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="${parts.responseId}" IssueInstant="${iso(parts.issued)}" Version="2.0"${attribute('InResponseTo', parts.requestId)}${attribute('Destination', parts.destination)}>${parts.responseIssuer === null ? '' : `<saml:Issuer xmlns:saml="${assertionNamespace}">${parts.responseIssuer}</saml:Issuer>`}<samlp:Status><samlp:StatusCode Value="${parts.status}"/></samlp:Status>${parts.extra}${assertion}</samlp:Response>`

export type Signing = {
  pair?: KeyPair
  method?: string
  digest?: string
  transforms?: string[]
  /** Prefixes whose namespaces the canonical form keeps everywhere. */
  inclusivePrefixes?: string[]
  /** Whether the certificate of the key is put into KeyInfo. */
  keyInfo?: boolean
}

const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'

/** Signs the element with an ID in a document, behind its issuer. */
export function signXml(xml: string, id: string, signing: Signing = {}): string {
  const { pair = keyPair('idp'), method = rsaSha256, keyInfo } = signing
  const signer = new SignedXml({
    privateKey: pair.key,
    ...(keyInfo && { publicCert: pair.certificate }),
    signatureAlgorithm: method,
    canonicalizationAlgorithm: exclusive,
    ...(!keyInfo && { getKeyInfoContent: () => null }),
  })

  signer.addReference({
    xpath: `//*[@ID='${id}']`,
    transforms: signing.transforms ?? [enveloped, exclusive],
    digestAlgorithm: signing.digest ?? 'http://www.w3.org/2001/04/xmlenc#sha256',
    inclusiveNamespacesPrefixList: signing.inclusivePrefixes ?? [],
  })
  signer.computeSignature(xml, {
    location: { reference: `//*[@ID='${id}']/*[local-name(.)='Issuer']`, action: 'after' },
  })

  return signer.getSignedXml()
}

export type Signed = 'assertion' | 'response' | 'both' | 'none'

/** Returns a signed response as XML. */
export function signedResponse(
  given: Given,
  what: Signed = 'assertion',
  signing: Signing = {},
): string {
  const parts = partsOf(given)
  const bare = assertionXml(parts)
  const assertion =
    what === 'assertion' || what === 'both' ? signXml(bare, parts.assertionId, signing) : bare
  const response = responseXml(parts, assertion)
  return what === 'response' || what === 'both'
    ? signXml(response, parts.responseId, signing)
    : response
}

export const base64 = (xml: string): string => Buffer.from(xml, 'utf8').toString('base64')
