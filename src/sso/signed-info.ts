import { verify, X509Certificate } from 'node:crypto'
import { canonicalForm } from './canonical.ts'
import { limits } from './limits.ts'
import { Refused } from './reasons.ts'
import { signatures } from './saml.ts'
import type { SignatureForm } from './signature-form.ts'
import { childrenOf, type Element, onlyChild } from './xml.ts'

/**
 * Throws Refused unless a certificate made each signature of a response, which has the accepted
 * form. Reads only SignedInfo, of limited length, and the value of the signature: a sender without
 * the key of the provider makes the server do no more than this. node-saml checks the digests of
 * what is signed.
 */
export function checkSignedInfo(
  found: readonly SignatureForm[],
  certificates: readonly string[],
): void {
  const keys = certificates.map(pem => new X509Certificate(pem).publicKey)
  for (const { signature, hash } of found) {
    const [signed, value] = [signedTextOf(signature), signatureValueOf(signature)]
    if (!keys.some(key => verify(hash, signed, key, value))) throw new Refused('signature')
  }
}

/** Returns the bytes that the value of a signature signs: SignedInfo in its canonical form. */
function signedTextOf(signature: Element): Buffer {
  const info = onlyChild(signature, signatures, 'SignedInfo')
  const method = onlyChild(info, signatures, 'CanonicalizationMethod')
  const form = info && method && canonicalForm(info, inclusivePrefixes(method), limits.signedInfo)
  if (form === undefined) throw new Refused('signature')
  return Buffer.from(form)
}

function inclusivePrefixes(method: Element): string[] {
  const [list] = childrenOf(
    method,
    'http://www.w3.org/2001/10/xml-exc-c14n#',
    'InclusiveNamespaces',
  )
  const prefixes = list?.attributes.get('PrefixList')?.split(/\s+/).filter(Boolean) ?? []
  return prefixes.map(prefix => (prefix === '#default' ? '' : prefix))
}

function signatureValueOf(signature: Element): Buffer {
  const text = onlyChild(signature, signatures, 'SignatureValue')?.text.replace(/\s+/g, '') ?? ''
  if (text === '' || text.length > limits.signatureValue) throw new Refused('signature')
  return Buffer.from(text, 'base64')
}
