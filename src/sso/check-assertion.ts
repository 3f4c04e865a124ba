import { attributesOf } from './attribute.ts'
import { nameOf, type ProvenIdentity } from './identity.ts'
import { Refused } from './reasons.ts'
import { assertionNamespace, type SamlProvider, type Service } from './saml.ts'
import { personOf } from './subject.ts'
import { childrenOf, type Element, onlyChild } from './xml.ts'

/** What a response must fit. */
export type Expected = {
  service: Service
  provider: SamlProvider
  /** The id of the request that it must answer. */
  requestId: string
  /** Milliseconds since 1970. */
  now: number
  /** Milliseconds by which the clocks of provider and service may differ. */
  toleranceMs: number
}

/**
 * An accepted response: the identity, and the assertion's id with the time after which it could not
 * be accepted.
 */
export type Accepted = { identity: ProvenIdentity; assertion: { id: string; expiresAt: string } }

const minute = 60_000
/** How long an assertion is accepted that does not say until when it is valid. */
const mostAgeMs = 5 * minute
/** How long the id of an assertion is remembered after it has expired. */
const rememberedMs = 15 * minute

const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'

/**
 * Returns what a signed assertion proves. Throws Refused unless it is meant for this service,
 * request and time.
 */
export function checkAssertion(signed: Element, expected: Expected): Accepted {
  const subject = onlyChild(signed, assertionNamespace, 'Subject')
  const ends = [checkConfirmation(subject, expected), checkConditions(signed, expected)]
  const id = signed.attributes.get('ID') ?? ''
  if (!/^[A-Za-z_][\w.-]{0,199}$/.test(id)) throw new Refused('structure')

  const person = personOf(signed, subject, expected.provider.emailAttribute)
  const sessionEndsAt = sessionEndOf(signed, expected.now)
  const displayName = displayNameOf(signed)
  const identity: ProvenIdentity = {
    ...person,
    ...(displayName !== undefined && { displayName }),
    ...(sessionEndsAt !== undefined && { sessionEndsAt }),
  }
  const expiresAt = new Date(Math.max(...ends) + rememberedMs).toISOString()

  return { identity, assertion: { id, expiresAt } }
}

/** Checks the only bearer confirmation. Returns its end. */
function checkConfirmation(
  subject: Element | undefined,
  { service, requestId, now, toleranceMs }: Expected,
): number {
  const bearers = childrenOf(subject, assertionNamespace, 'SubjectConfirmation').filter(
    ({ attributes }) => attributes.get('Method') === bearer,
  )
  const [confirmation, more] = bearers
  const data = onlyChild(confirmation, assertionNamespace, 'SubjectConfirmationData')?.attributes
  const end = timeOf(data?.get('NotOnOrAfter'))
  if (!data || more || end === undefined || data.has('NotBefore')) throw new Refused('confirmation')
  if (data.get('Recipient') !== service.acsURL || data.get('InResponseTo') !== requestId)
    throw new Refused('confirmation')
  if (end <= now - toleranceMs) throw new Refused('conditions')

  return end
}

/**
 * Checks the times and the audience of an assertion. Returns its end. What it says about its end
 * holds, whatever its age: providers issue assertions that are valid for an hour.
 */
function checkConditions(signed: Element, { service, now, toleranceMs }: Expected): number {
  const conditions = onlyChild(signed, assertionNamespace, 'Conditions')
  if (!conditions) throw new Refused('conditions')
  const issued = timeOf(signed.attributes.get('IssueInstant'))
  const begin = timeOf(conditions.attributes.get('NotBefore'), 0)
  const end = timeOf(conditions.attributes.get('NotOnOrAfter'), (issued ?? 0) + mostAgeMs)
  if (issued === undefined || begin === undefined || end === undefined)
    throw new Refused('conditions')

  const isNow = begin <= now + toleranceMs && end > now - toleranceMs
  if (!isNow || issued > now + toleranceMs) throw new Refused('conditions')

  const restrictions = childrenOf(conditions, assertionNamespace, 'AudienceRestriction')
  const names = (restriction: Element) =>
    childrenOf(restriction, assertionNamespace, 'Audience').map(({ text }) => text.trim())

  if (
    restrictions.length === 0 ||
    !restrictions.every(each => names(each).includes(service.entityID))
  )
    throw new Refused('audience')

  return end
}

/** Returns when the provider ends the session; undefined if it does not say. */
function sessionEndOf(signed: Element, now: number): string | undefined {
  const statements = childrenOf(signed, assertionNamespace, 'AuthnStatement')
  if (statements.length === 0) throw new Refused('session')
  const ends = statements
    .map(({ attributes }) => attributes.get('SessionNotOnOrAfter'))
    .filter(text => text !== undefined)
    .map(text => timeOf(text))
  if (ends.length === 0) return undefined

  const first = Math.min(...ends.map(end => end ?? 0))
  if (first <= now) throw new Refused('session')

  return new Date(first).toISOString()
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/**
 * Returns a time in milliseconds since 1970, or `absent` for none; undefined for what is no time.
 */
function timeOf(text: string | undefined, absent?: number): number | undefined {
  if (text === undefined) return absent
  const at = time.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

const firstNames = [
  'first_name',
  'firstName',
  'givenName',
  'User.FirstName',
  'urn:oid:2.5.4.42',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname',
]
const lastNames = [
  'last_name',
  'lastName',
  'surname',
  'sn',
  'User.LastName',
  'urn:oid:2.5.4.4',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname',
]

const wholeNames = [
  'displayName',
  'display_name',
  'urn:oid:2.16.840.1.113730.3.1.241',
  'http://schemas.microsoft.com/identity/claims/displayname',
]

/** Returns the name of the person from the attributes of an assertion. */
function displayNameOf(signed: Element): string | undefined {
  const first = (names: readonly string[]) => attributesOf(signed, names)[0] ?? ''
  return nameOf(`${first(firstNames)} ${first(lastNames)}`) ?? nameOf(first(wholeNames))
}
