import { checkResponse } from '../../../src/sso/check-response.ts'
import { limits } from '../../../src/sso/limits.ts'
import { readResponse } from '../../../src/sso/read-response.ts'
import { Refused } from '../../../src/sso/reasons.ts'
import { keyPair } from '../../support/sso/certificates.ts'
import { base64, signedResponse } from '../../support/sso/response.ts'
import { numbered, type Parser, times } from './parser.ts'

const service = { entityID: 'https://docs.example.org/p', acsURL: 'https://docs.example.org/acs' }
const issuer = 'https://idp.example.org/'
const requestId = '_request'
const now = Date.now()
const provider = {
  issuer,
  ssoURL: 'https://idp.example.org/sso',
  certificates: [keyPair('idp').certificate],
  emailAttribute: null,
}

/**
 * Puts content into a response that another key signed, in place of the conditions of its
 * assertion.
 */
const forged = (content: string, into: 'assertion' | 'SignedInfo' = 'assertion'): string => {
  const good = {
    entityID: issuer,
    acsURL: service.acsURL,
    audience: service.entityID,
    requestId,
    now,
  }
  const xml = signedResponse(good, 'assertion', { pair: keyPair('forger') })
  const before = into === 'assertion' ? '</saml:Assertion>' : '<SignatureMethod'
  return base64(xml.replace(before, `${content}${before}`))
}
const most = limits.bytes - 8_000

/**
 * One element of `parts` beside the other, within the limit of children: the parts grow with the
 * size.
 */
const few = (part: (at: number, size: number) => string) => (bytes: number) =>
  forged(Array.from({ length: 90 }, (_, at) => part(at, Math.floor(bytes / 90) - 20)).join(''))

export const samlParser: Parser = {
  name: 'XML of SAML responses',
  most,
  mostMs: 100,
  forms: {
    elements: bytes => forged(times('<a/>', bytes)),
    'namespaces that grow': few((at, size) => `<a xmlns:n${at}="${'u'.repeat(size)}"/>`),
    namespaces: bytes => forged(numbered('<a xmlns:n#="u"/>', bytes)),
    comments: bytes => forged(times('<!--x-->', bytes)),
    'long comments': few((_, size) => `<a/><!--${' -'.repeat(size / 2)}x-->`),
    attributes: bytes => forged(`<a ${numbered('a#="b" ', bytes)}/>`),
    levels: bytes => forged(times('<a>', bytes / 2) + times('</a>', bytes / 2)),
    CDATA: bytes => forged(times('<![CDATA[x]]>', bytes)),
    text: bytes => forged(times('x&amp;', bytes)),
    ids: few((at, size) => `<a ID="i${at}${'x'.repeat(size)}"/>`),
    'text in SignedInfo': bytes => forged(times(' &lt;', bytes), 'SignedInfo'),
    'a namespace that SignedInfo repeats': bytes =>
      forged(`<b xmlns:q="${'u'.repeat(bytes - 2_000)}">${'<q:a/>'.repeat(190)}</b>`, 'SignedInfo'),
  },
  parse: async (response: string) => {
    try {
      const expected = { service, provider, requestId, now, toleranceMs: 0 }
      await checkResponse(readResponse(response), expected, () => {
        throw new Error('a forged response reached node-saml')
      })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
    }
  },
}
