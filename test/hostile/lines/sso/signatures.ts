import { createHmac, sign } from 'node:crypto'
import { entityID } from '../../../support/sso/browser.ts'
import { keyPair } from '../../../support/sso/certificates.ts'
import {
  assertionXml,
  base64,
  partsOf,
  type ResponseParts,
  responseXml,
  type Signing,
  signedResponse,
  signXml,
} from '../../../support/sso/response.ts'
import { type Line, line, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import { answered, type Begun, begin, deliver, signsNobodyIn } from './tools.ts'

const more = 'http://www.w3.org/2001/04/xmldsig-more#'
const namespace = 'http://www.w3.org/2000/09/xmldsig#'

const given = ({ provider, requestId }: Begun) => ({
  entityID,
  acsURL: provider.service.acsURL,
  audience: provider.service.entityID,
  requestId,
})

/** Begins a sign-in and answers it with the document that a function returns. */
const document =
  (make: (begun: Begun) => string) =>
  async (stage: Stage): Promise<Seen> => {
    const begun = await begin(stage)
    return deliver(begun, base64(make(begun)))
  }

/** Returns a signed response whose signature another method made, over the same canonical bytes. */
const signedBy = (method: string, signature: (bytes: string) => Buffer) => (begun: Begun) => {
  const xml = signedResponse(given(begun)).replace(`${more}rsa-sha256`, method)
  const [info = ''] = /<SignedInfo>.*<\/SignedInfo>/s.exec(xml) ?? []
  const canonical = info
    .replace('<SignedInfo>', `<SignedInfo xmlns="${namespace}">`)
    .replace(/<(\w+)([^<>]*)\/>/g, '<$1$2></$1>')

  return xml.replace(
    /<SignatureValue>[^<]*/,
    `<SignatureValue>${signature(canonical).toString('base64')}`,
  )
}

const hmac = signedBy(`${more}hmac-sha256`, bytes =>
  createHmac('sha256', keyPair('idp').certificate).update(bytes).digest(),
)
const ecdsa = signedBy(`${more}ecdsa-sha256`, bytes =>
  sign('sha256', Buffer.from(bytes), {
    key: keyPair('ec', { kind: 'ec' }).key,
    dsaEncoding: 'ieee-p1363',
  }),
)

const twoInfos = (begun: Begun) =>
  signedResponse(given(begun)).replace(
    /<SignedInfo>.*<\/SignedInfo>/s,
    info => info.replace(/<DigestValue>[^<]*/, '<DigestValue>AAAA') + info,
  )

const commented = (begun: Begun) =>
  signedResponse(given(begun)).replace(/<DigestValue>(.{8})/, '<DigestValue>$1<!--x-->')

const signed = (input: string, status: string, signing: Signing) =>
  line(
    'SS1',
    `a response with ${input}`,
    status,
    'nobody is signed in',
    signsNobodyIn(stage => answered(stage, {}, 'assertion', signing)),
  )

const made = (input: string, make: (begun: Begun) => string) =>
  line('SS1', `a response with ${input}`, 403, 'nobody is signed in', signsNobodyIn(document(make)))

/** Returns a document of a signed assertion and a forged one, which claims to be an admin. */
const wrapped =
  (put: (signed: string, forged: string, parts: ResponseParts) => string, sameId = false) =>
  (begun: Begun): string => {
    const parts = partsOf(given(begun))
    const forged = partsOf({
      ...given(begun),
      email: 'admin@example.org',
      ...(sameId && { assertionId: parts.assertionId }),
    })
    return put(signXml(assertionXml(parts), parts.assertionId), assertionXml(forged), parts)
  }

const inside = (forged: string, content: string) =>
  forged.replace('</saml:Assertion>', `${content}</saml:Assertion>`)

const wrappings: [where: string, make: (begun: Begun) => string][] = [
  ['before the signed one', wrapped((good, evil, parts) => responseXml(parts, evil + good))],
  ['after the signed one', wrapped((good, evil, parts) => responseXml(parts, good + evil))],
  ['around the signed one', wrapped((good, evil, parts) => responseXml(parts, inside(evil, good)))],
  [
    'next to Extensions with the signed one',
    wrapped((good, evil, parts) =>
      responseXml(parts, `<samlp:Extensions>${good}</samlp:Extensions>${evil}`),
    ),
  ],
  [
    'with the signed one in an Object of its signature',
    wrapped((good, evil, parts) => {
      const [signature = ''] = /<Signature .*<\/Signature>/s.exec(good) ?? []
      const object = `<Object>${good.replace(signature, '')}</Object></Signature>`
      return responseXml(parts, inside(evil, signature.replace('</Signature>', object)))
    }),
  ],
  [
    'with the signed one in Advice',
    wrapped((good, evil, parts) =>
      responseXml(parts, inside(evil, `<saml:Advice>${good}</saml:Advice>`)),
    ),
  ],
  [
    'with the ID of the signed one',
    wrapped((good, evil, parts) => responseXml(parts, evil + good), true),
  ],
  [
    'in another namespace',
    wrapped((good, evil, parts) =>
      responseXml(parts, evil.replace(/xmlns:saml="[^"]+"/, 'xmlns:saml="urn:other"') + good),
    ),
  ],
  [
    'in a second root',
    wrapped((good, evil, parts) => responseXml(parts, evil) + responseXml(parts, good)),
  ],
]

export const signatureLines: Line[] = [
  line(
    'SS1',
    'a response without a signature',
    403,
    'nobody is signed in',
    signsNobodyIn(stage => answered(stage, {}, 'none')),
  ),
  signed('the signature of another key, whose certificate it contains', '403', {
    pair: keyPair('evil'),
    keyInfo: true,
  }),
  signed('a signature with SHA-1', '403', { method: `${namespace}rsa-sha1` }),
  signed('a digest with SHA-1', '403', { digest: `${namespace}sha1` }),
  made('an HMAC whose key is the certificate', hmac),
  made('an ECDSA signature', ecdsa),
  made('two SignedInfo elements', twoInfos),
  made('a comment in DigestValue', commented),
  ...wrappings.map(([where, make]) =>
    line(
      'SS2',
      `a forged assertion ${where}`,
      '400|403',
      'nobody is signed in',
      signsNobodyIn(document(make)),
    ),
  ),
]
