import { Refused } from './reasons.ts'
import { signatures } from './saml.ts'
import { childrenOf, type Element, everyElement } from './xml.ts'

const methods = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
])
const digests = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
])
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const transforms = new Set(['http://www.w3.org/2000/09/xmldsig#enveloped-signature', exclusive])

/**
 * Throws Refused unless all signatures of a response have the one accepted form: directly in the response or its assertion,
 * RSA and SHA-2, one reference, enveloped and exclusively canonicalized, without comments.
 */
export function checkSignatureForm(response: Element, assertion: Element): void {
  const all = [...everyElement(response)].filter(({ name }) => name === 'Signature')
  const direct = [response, assertion].map(element => childrenOf(element, signatures, 'Signature'))
  if (direct.some(({ length }) => length > 1)) throw new Refused('signature')
  const found = direct.flat()
  if (found.length === 0 || found.length !== all.length) throw new Refused('signature')
  for (const signature of found) checkOne(signature)
}

function checkOne(signature: Element): void {
  const within = [...everyElement(signature)]
  if (within.some(({ hasComment }) => hasComment)) throw new Refused('signature')
  const only = (name: string): Element => {
    const found = within.filter(element => element.name === name)
    if (found.length !== 1 || found[0]?.namespace !== signatures) throw new Refused('signature')
    return found[0]
  }
  const algorithmOf = (name: string) => only(name).attributes.get('Algorithm') ?? ''
  for (const name of ['SignedInfo', 'SignatureValue', 'Reference', 'DigestValue']) only(name)
  if (!methods.has(algorithmOf('SignatureMethod')) || !digests.has(algorithmOf('DigestMethod')))
    throw new Refused('algorithm')
  if (algorithmOf('CanonicalizationMethod') !== exclusive) throw new Refused('algorithm')
  const used = within.filter(({ name }) => name === 'Transform')
  if (used.some(({ attributes }) => !transforms.has(attributes.get('Algorithm') ?? '')))
    throw new Refused('algorithm')
}
