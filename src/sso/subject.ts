import { attributesOf } from './attribute.ts'
import { emailOf } from './identity.ts'
import { mostSubject } from './limits.ts'
import { Refused } from './reasons.ts'
import { assertionNamespace, emailFormat } from './saml.ts'
import { childrenOf, type Element } from './xml.ts'

const formats = 'urn:oasis:names:tc:SAML'
const transient = `${formats}:2.0:nameid-format:transient`
/** Formats in which a name ID may be an address without saying so. */
const open: readonly (string | undefined)[] = [
  undefined,
  `${formats}:1.1:nameid-format:unspecified`,
]

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
 * `emailAttribute`; without that setting it is the name ID in the format of addresses, an attribute
 * that providers use for it, or a name ID of no particular format. Throws Refused with 'address'.
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
  const format = name?.attributes.get('Format')
  const sent = addressIn(signed, emailAttribute === null ? addressNames : [emailAttribute])
  const email = emailAttribute === null ? usualAddress(emailOf(id), format, sent) : sent
  if (email === undefined || id.length > mostSubject) throw new Refused('address')

  return { subject: subjectOf(id, format, email), email }
}

const addressIn = (signed: Element, names: readonly string[]): string | undefined =>
  attributesOf(signed, names)
    .map(emailOf)
    .find(address => address !== undefined)

/** A name ID that looks like an address may be the user name of someone else. */
function usualAddress(
  own: string | undefined,
  format: string | undefined,
  sent: string | undefined,
): string | undefined {
  if (format === emailFormat) return own ?? sent
  return sent ?? (open.includes(format) ? own : undefined)
}

/**
 * Returns what identifies a person for ever: the address if that is the name ID too, or if the name
 * ID is another one at each sign-in. Other ids have a prefix, so that none is taken for an address.
 */
function subjectOf(id: string, format: string | undefined, email: string): string {
  if (id === '' || format === transient || emailOf(id) === email) return email
  // Names of accounts of Windows have no case.
  return `id ${/^[^\\]+\\[^\\]+$/.test(id) ? id.toLowerCase() : id}`
}
