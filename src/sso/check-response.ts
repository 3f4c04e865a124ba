import { runThread, ThreadError } from '../lib/thread.ts'
import { type Accepted, checkAssertion, type Expected } from './check-assertion.ts'
import { limits, threadLimits } from './limits.ts'
import type { SentResponse } from './read-response.ts'
import { Refused } from './reasons.ts'
import { assertionNamespace, protocol } from './saml.ts'
import { checkSignatureForm } from './signature-form.ts'
import type { ToVerify, Verified } from './signed-assertion.ts'
import { checkSignedInfo } from './signed-info.ts'
import { childrenOf, type Element, everyElement, onlyChild, parseXml } from './xml.ts'

const success = 'urn:oasis:names:tc:SAML:2.0:status:Success'

/** Waits until work in a thread may begin, and runs it. */
export type Turn = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * Returns the identity that a response proves. Throws Refused for any other response. node-saml,
 * whose cost grows faster than the document, sees only what a certificate of the provider signed,
 * in a thread.
 */
export async function checkResponse(
  sent: SentResponse,
  expected: Expected,
  turn: Turn,
): Promise<Accepted> {
  const { root } = sent
  const assertion = assertionOf(root)
  checkSignedInfo(checkSignatureForm(root, assertion), expected.provider.certificates)
  const signed = parseXml(await turn(() => signedBytes(sent, expected)))
  if (signed.name !== 'Assertion' || signed.namespace !== assertionNamespace)
    throw new Refused('signature')
  checkIssuers(root, signed, expected.provider.issuer)
  checkStatus(root)
  const destination = root.attributes.get('Destination')
  if (destination !== undefined && destination !== expected.service.acsURL)
    throw new Refused('confirmation')

  return checkAssertion(signed, expected)
}

/** Returns the only assertion of a response, which must be its child. */
function assertionOf(root: Element): Element {
  if (
    root.name !== 'Response' ||
    root.namespace !== protocol ||
    root.attributes.get('Version') !== '2.0'
  )
    throw new Refused('structure')

  const all = [...everyElement(root)]
  if (all.some(({ name }) => name === 'EncryptedAssertion')) throw new Refused('encrypted')

  const assertions = all.filter(({ name }) => name === 'Assertion')

  // A provider that refuses sends a status alone.
  if (assertions.length === 0) checkStatus(root)

  const [assertion] = childrenOf(root, assertionNamespace, 'Assertion')
  const responses = all.filter(({ name }) => name === 'Response')
  if (!assertion || assertions.length !== 1 || responses.length !== 1)
    throw new Refused('structure')

  return assertion
}

/** Returns the assertion as a certificate of the provider signed it. */
async function signedBytes(
  { base64 }: SentResponse,
  { service, provider }: Expected,
): Promise<string> {
  const input: ToVerify = { base64, service, provider }
  let verified: Verified
  try {
    verified = await runThread<Verified>('verify-saml', input, threadLimits)
  } catch (error) {
    if (!(error instanceof ThreadError) || error.why === 'broken') throw error
    throw new Refused('work', error.why)
  }

  if (verified.bytes === undefined) throw new Refused('signature', verified.problem)

  // The canonical form repeats namespaces, so it may be longer than the document.
  if (verified.bytes.length > limits.bytes) throw new Refused('document')

  return verified.bytes
}

function checkIssuers(root: Element, signed: Element, issuer: string): void {
  const outer = childrenOf(root, assertionNamespace, 'Issuer')
  const inner = onlyChild(signed, assertionNamespace, 'Issuer')
  if (inner?.text.trim() !== issuer) throw new Refused('issuer')
  if (outer.length > 1 || outer.some(({ text }) => text.trim() !== issuer))
    throw new Refused('issuer')
}

function checkStatus(root: Element): void {
  const status = onlyChild(root, protocol, 'Status')
  const code = onlyChild(status, protocol, 'StatusCode')
  const value = code?.attributes.get('Value') ?? ''
  if (value === success) return

  const second = onlyChild(code, protocol, 'StatusCode')?.attributes.get('Value') ?? ''

  throw new Refused(
    'status',
    [value, second].map(text => text.split(':').at(-1)?.slice(0, 50)).join(' '),
  )
}
