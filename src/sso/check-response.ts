import { type Accepted, checkAssertion, type Expected } from './check-assertion.ts'
import type { SentResponse } from './read-response.ts'
import { Refused } from './reasons.ts'
import { assertionNamespace, openSaml, protocol } from './saml.ts'
import { checkSignatureForm } from './signature-form.ts'
import { childrenOf, type Element, everyElement, onlyChild, parseXml } from './xml.ts'

const success = 'urn:oasis:names:tc:SAML:2.0:status:Success'

/** Returns the identity that a response proves. Throws Refused for any other response. */
export async function checkResponse(sent: SentResponse, expected: Expected): Promise<Accepted> {
  const { root } = sent
  const assertion = assertionOf(root)
  checkSignatureForm(root, assertion)
  const signed = parseXml(await signedBytes(sent, expected))
  if (signed.name !== 'Assertion' || signed.namespace !== assertionNamespace) throw new Refused('signature')
  checkIssuers(root, signed, expected.provider.issuer)
  checkStatus(root)
  const destination = root.attributes.get('Destination')
  if (destination !== undefined && destination !== expected.service.acsURL) throw new Refused('confirmation')
  return checkAssertion(signed, expected)
}

/** Returns the only assertion of a response, which must be its child. */
function assertionOf(root: Element): Element {
  if (root.name !== 'Response' || root.namespace !== protocol || root.attributes.get('Version') !== '2.0')
    throw new Refused('structure')
  const all = [...everyElement(root)]
  if (all.some(({ name }) => name === 'EncryptedAssertion')) throw new Refused('encrypted')
  const assertions = all.filter(({ name }) => name === 'Assertion')
  // A provider that refuses sends a status alone.
  if (assertions.length === 0) checkStatus(root)
  const [assertion] = childrenOf(root, assertionNamespace, 'Assertion')
  const responses = all.filter(({ name }) => name === 'Response')
  if (!assertion || assertions.length !== 1 || responses.length !== 1) throw new Refused('structure')
  return assertion
}

/** Returns the assertion as a certificate of the provider signed it. */
async function signedBytes({ base64 }: SentResponse, { service, provider }: Expected): Promise<string> {
  const saml = await openSaml(service, provider)
  try {
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: base64 })
    const bytes = profile?.getAssertionXml?.()
    if (bytes !== undefined) return bytes
  } catch (error) {
    // The message may repeat parts of the document.
    throw new Refused('signature', error instanceof Error ? error.name : undefined)
  }
  throw new Refused('signature')
}

function checkIssuers(root: Element, signed: Element, issuer: string): void {
  const outer = childrenOf(root, assertionNamespace, 'Issuer')
  const inner = onlyChild(signed, assertionNamespace, 'Issuer')
  if (inner?.text.trim() !== issuer) throw new Refused('issuer')
  if (outer.length > 1 || outer.some(({ text }) => text.trim() !== issuer)) throw new Refused('issuer')
}

function checkStatus(root: Element): void {
  const status = onlyChild(root, protocol, 'Status')
  const code = onlyChild(status, protocol, 'StatusCode')
  const value = code?.attributes.get('Value') ?? ''
  if (value === success) return
  const second = onlyChild(code, protocol, 'StatusCode')?.attributes.get('Value') ?? ''
  throw new Refused('status', [value, second].map(text => text.split(':').at(-1)?.slice(0, 50)).join(' '))
}
