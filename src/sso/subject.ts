import { attributeOf } from './attribute.ts'
import { emailOf } from './identity.ts'
import { mostSubject } from './limits.ts'
import { Refused } from './reasons.ts'
import { assertionNamespace } from './saml.ts'
import { childrenOf, type Element } from './xml.ts'

const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'

/**
 * The names under which providers send an e-mail address: eduPerson and Shibboleth, Keycloak,
 * ADFS and Entra ID, OneLogin, and those that admins choose.
 */
const addressNames = [
  'urn:oid:0.9.2342.19200300.100.1.3',
  'urn:oid:1.2.840.113549.1.9.1',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'User.email',
  'email',
  'Email',
  'mail',
  'emailAddress',
  'emailaddress',
]

/**
 * Returns the person that an assertion names, with the e-mail address. The address is the value of
 * `emailAttribute`; without that setting it is the name ID, or an attribute that providers use for
 * it. Throws Refused with 'address'.
 */
export function personOf(
  signed: Element,
  subject: Element | undefined,
  emailAttribute: string | null,
): { subject: string; email: string } {
  const names = childrenOf(subject, assertionNamespace, 'NameID')
  const [name] = names
  if (names.length > 1 || (name?.children.length ?? 0) > 0) throw new Refused('address')

  const id = name?.text.trim() ?? ''
  const own = emailOf(id)
  const email =
    emailAttribute === null
      ? (own ?? emailOf(attributeOf(signed, addressNames)))
      : emailOf(attributeOf(signed, [emailAttribute]))
  if (email === undefined || id.length > mostSubject) throw new Refused('address')

  // A transient name ID is another one at each sign-in.
  const isStable = id !== '' && name?.attributes.get('Format') !== transient

  return { subject: isStable ? (own ?? id) : email, email }
}
