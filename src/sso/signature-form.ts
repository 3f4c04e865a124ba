import { Refused } from './reasons.ts'
import { signatures } from './saml.ts'
import { childrenOf, type Element, everyElement } from './xml.ts'

/** The accepted methods of signatures, with the hash that each of them uses. */
const methods: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', 'sha512'],
])
const digests = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
])
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const transforms = new Set(['http://www.w3.org/2000/09/xmldsig#enveloped-signature', exclusive])

/** A signature of the accepted form, and the hash that it uses. */
export type SignatureForm = { signature: Element; hash: string }

/**
 * Returns the signatures of a response. Throws Refused unless all of them have the one accepted
 * form: directly in the response or its assertion, RSA and SHA-2, one reference, enveloped and
 * exclusively canonicalized, without comments.
 */
export function checkSignatureForm(response: Element, assertion: Element): SignatureForm[] {
  const all = [...everyElement(response)].filter(({ name }) => name === 'Signature')
  const direct = [response, assertion].map(element => childrenOf(element, signatures, 'Signature'))
  if (direct.some(({ length }) => length > 1)) throw new Refused('signature')
  const found = direct.flat()
  if (found.length === 0 || found.length !== all.length) throw new Refused('signature')
  return found.map(signature => ({ signature, hash: hashOf(signature) }))
}

/** Returns the hash of a signature. Throws Refused unless it has the accepted form. */
function hashOf(signature: Element): string {
  const within = [...everyElement(signature)]
  if (within.some(({ hasComment }) => hasComment)) throw new Refused('signature')
  const only = (name: string): Element => {
    const found = within.filter(element => element.name === name)
    if (found.length !== 1 || found[0]?.namespace !== signatures) throw new Refused('signature')
    return found[0]
  }
  const algorithmOf = (name: string) => only(name).attributes.get('Algorithm') ?? ''

  for (const name of ['SignedInfo', 'SignatureValue', 'Reference', 'DigestValue']) only(name)
  const hash = methods.get(algorithmOf('SignatureMethod'))
  if (hash === undefined || !digests.has(algorithmOf('DigestMethod')))
    throw new Refused('algorithm')
  if (algorithmOf('CanonicalizationMethod') !== exclusive) throw new Refused('algorithm')

  const used = within.filter(({ name }) => name === 'Transform')
  if (used.some(({ attributes }) => !transforms.has(attributes.get('Algorithm') ?? '')))
    throw new Refused('algorithm')

  return hash
}
