import { answerTo } from '../../../support/sso/browser.ts'
import type { ResponseParts } from '../../../support/sso/response.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import {
  answered,
  atSignIn,
  type Begun,
  begin,
  Client,
  codeOf,
  deliver,
  inDatabase,
  samlProvider,
  signsNobodyIn,
} from './tools.ts'

const accepts = (
  id: string,
  input: string,
  parts: (stage: Stage) => Promise<Partial<ResponseParts>>,
) =>
  line(
    id,
    input,
    200,
    'the member is signed in',
    atSignIn(async stage => {
      const page = await answered(stage, await parts(stage))
      // The page contains a code and must not be in the report.
      if (page.status === 200) codeOf(page)
      return page.status === 200 ? { status: 200, text: '' } : page
    }),
  )

const refuses = (id: string, input: string, make: () => Partial<ResponseParts>, status = '403') =>
  line(
    id,
    input,
    status,
    'nobody is signed in',
    signsNobodyIn(stage => answered(stage, make())),
  )

/** Posts a response on two connections at once, and once more. Exactly one may be accepted. */
async function twice(stage: Stage): Promise<Seen> {
  const begun = await begin(stage)
  const response = answerTo(begun, begun.provider)
  const both = await Promise.all([deliver(begun, response), deliver(begun, response)])
  const accepted = both.filter(({ status }) => status === 200).length
  must(accepted === 1, `${accepted} of two were accepted`)
  return deliver(begun, response)
}

/** Posts the assertion of an accepted response again, as the answer to another sign-in. */
async function replayed(stage: Stage, between = async () => {}): Promise<Seen> {
  const begun = await begin(stage)
  const parts = { assertionId: `_replayed${begun.requestId}` }
  const first = await deliver(begun, answerTo(begun, begun.provider, parts))
  must(first.status === 200, `the first was answered ${first.status}`)
  await between()
  const second = await begin(stage)
  return deliver(second, answerTo(second, second.provider, parts))
}

/** Posts an accepted response again after the server was killed. */
async function afterRestart(stage: Stage): Promise<Seen> {
  const begun = await begin(stage)
  const response = answerTo(begun, begun.provider)
  const first = await deliver(begun, response)
  must(first.status === 200, `the first was answered ${first.status}`)
  await stage.restart('SIGKILL')
  const again = await deliver(begun, response)
  must(again.status === 400, `the response was answered ${again.status} after the restart`)
  return replayed(stage, () => stage.restart('SIGKILL'))
}

const crossed =
  (send: (stage: Stage, begun: Begun) => Promise<Seen>) =>
  async (stage: Stage): Promise<Seen> =>
    send(stage, await begin(stage))

const crossings: [input: string, send: (stage: Stage, begun: Begun) => Promise<Seen>][] = [
  [
    'a response of one provider at the address of another',
    async (stage, begun) => {
      const other = await samlProvider(stage, 'Other')
      return begun.client.post(other.service.acsURL, {
        SAMLResponse: answerTo(begun, begun.provider),
      })
    },
  ],
  [
    'a response to the request of another provider',
    async (stage, { client }) => {
      const other = await begin(stage, {}, await samlProvider(stage, 'Other'), client)
      const provider = await samlProvider(stage)
      return client.post(provider.service.acsURL, { SAMLResponse: answerTo(other, provider) })
    },
  ],
  [
    'a response in a browser without a cookie',
    (stage, begun) =>
      deliver({ ...begun, client: new Client(stage) }, answerTo(begun, begun.provider)),
  ],
  [
    'a response in a browser with the cookie of another sign-in',
    async (stage, begun) =>
      deliver({ ...begun, client: (await begin(stage)).client }, answerTo(begun, begun.provider)),
  ],
  [
    'the RelayState of another browser',
    async (stage, begun) => {
      const RelayState = (await begin(stage)).requestId
      const SAMLResponse = answerTo(begun, begun.provider)
      return begun.client.post(begun.provider.service.acsURL, { SAMLResponse, RelayState })
    },
  ],
]

async function unsolicited(stage: Stage): Promise<Seen> {
  const provider = await samlProvider(stage)
  const SAMLResponse = answerTo({ requestId: null as never }, provider)
  const seen = await new Client(stage).post(provider.service.acsURL, { SAMLResponse })
  const location = seen.headers?.location
  must(location === provider.service.startURL, `leads to ${location}`)
  return seen
}

const inSeconds = (seconds: number) => Date.now() + seconds * 1000
const nameId = (
  content: string,
  format = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
) => ({
  nameId: `<saml:NameID Format="${format}">${content}</saml:NameID>`,
})

const audiences = async (stage: Stage): Promise<Partial<ResponseParts>> => {
  const { service } = await samlProvider(stage)
  const names = ['urn:other', service.entityID].map(
    name => `<saml:Audience>${name}</saml:Audience>`,
  )
  return {
    conditions: `<saml:Conditions NotOnOrAfter="${new Date(inSeconds(60)).toISOString()}"><saml:AudienceRestriction>${names.join('')}</saml:AudienceRestriction></saml:Conditions>`,
  }
}

/** Signs in with an address in upper case; the user has it in lower case. */
async function folded(stage: Stage): Promise<Seen> {
  const { status, text } = await answered(stage, { email: 'UPPER@Example.ORG' })
  const found = inDatabase(stage, `select 1 from "user" where email = 'upper@example.org'`)
  must(found.length === 1, 'the address is not in lower case')
  return { status, text: status === 200 ? '' : text }
}

/**
 * Signs in with the address of an admin, a comment and more text: all of the text is the address.
 */
async function commented(stage: Stage): Promise<Seen> {
  const { status, text } = await answered(stage, nameId('admin@example.org<!-- -->.evil'))
  const identities = inDatabase<{ subject: string }>(
    stage,
    `select subject from sso_identity where user_id = 'admin' or subject like 'admin@%'`,
  )
  const subjects = identities.map(({ subject }) => subject).join(' ')
  must(subjects === 'admin@example.org.evil', `the identities are ${subjects}`)
  return { status, text: status === 200 ? '' : text }
}

/**
 * Signs in with the address of a person of another organization, which later invites that person.
 */
async function addressOfOthers(stage: Stage): Promise<Seen> {
  const email = 'newcomer@globex.example'
  const { status } = await answered(stage, { email })
  must(status === 200, `the sign-in was answered ${status}`)
  const path = '/v1/orgs/globex/invites'
  const seen = await stage.call('POST', path, {
    as: 'stranger',
    body: { emails: [email], role: 'read' },
  })

  const rows = inDatabase<{ id: string; asserted_by: string }>(
    stage,
    `select id, asserted_by from "user" where email = '${email}' order by asserted_by`,
  )

  must(
    rows.map(row => row.asserted_by).join(' ') === 'acme globex',
    'the person has no account of their own',
  )
  must(JSON.parse(seen.text).users[0] === rows[1]?.id, 'the account of the provider was invited')

  return seen
}

export const assertionLines: Line[] = [
  line(
    'SS4',
    'a response on two connections at once, and again',
    400,
    'one is accepted',
    atSignIn(twice),
  ),
  line(
    'SS4',
    'an assertion in the response to another sign-in',
    403,
    /used before/,
    atSignIn(replayed),
  ),
  line(
    'SS4',
    'an accepted response and its assertion after the server was killed',
    403,
    /used before/,
    atSignIn(afterRestart),
    { slow: true },
  ),
  refuses('SS4', 'an assertion that answers no request', () => ({ confirmedRequest: null })),
  refuses('SS5', 'the Issuer of another provider', () => ({ issuer: 'urn:other' })),
  refuses('SS5', 'another Issuer of the response', () => ({ responseIssuer: 'urn:other' })),
  refuses('SS5', 'an empty Issuer', () => ({ issuer: '' })),
  refuses('SS5', 'another Audience', () => ({ audience: 'urn:other' })),
  refuses('SS5', 'no Conditions', () => ({ conditions: '' })),
  refuses('SS5', 'another Destination', () => ({ destination: 'https://other.example.org/' })),
  refuses('SS5', 'another Recipient', () => ({ recipient: 'https://other.example.org/' })),
  refuses('SS5', 'no Recipient', () => ({ recipient: null })),
  refuses('SS5', 'no SubjectConfirmation', () => ({ confirmation: '' })),
  accepts('SS5', 'two Audiences with the right one among them', audiences),
  ...crossings.map(([input, send]) =>
    line('SS6', input, 400, 'nobody is signed in', signsNobodyIn(crossed(send))),
  ),
  line(
    'SS7',
    'a signed response to no request',
    303,
    'it begins a sign-in',
    signsNobodyIn(unsolicited),
  ),
  accepts('SS8', 'an assertion that expired a minute ago', async () => ({
    notOnOrAfter: inSeconds(-60),
  })),
  refuses('SS8', 'an assertion that expired three minutes ago', () => ({
    notOnOrAfter: inSeconds(-180),
  })),
  refuses('SS8', 'an assertion that is valid in three minutes', () => ({
    notBefore: inSeconds(180),
  })),
  refuses('SS8', 'an assertion of yesterday', () => ({
    issued: inSeconds(-86_400),
    notBefore: inSeconds(-86_400),
    notOnOrAfter: inSeconds(-86_100),
  })),
  refuses('SS8', 'a session that has ended', () => ({ sessionEnd: inSeconds(-1) })),
  refuses('SS8', 'a confirmation that has expired', () => ({ confirmationEnd: inSeconds(-180) })),
  refuses('SS9', 'an empty NameID', () => nameId('')),
  refuses('SS9', 'two NameIDs', () => ({
    nameId: nameId('zoe@example.org').nameId + nameId('admin@example.org').nameId,
  })),
  refuses('SS9', 'a NameID with an element', () => nameId('zoe@example.org<x/>')),
  refuses('SS9', 'a NameID with the character 0', () => nameId('admin@example.org&#0;'), '400|403'),
  refuses('SS9', 'a NameID of 1 KB', () => nameId(`${'x'.repeat(1000)}@example.org`)),
  refuses('SS9', 'a NameID that is no address', () =>
    nameId('8f4e', 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'),
  ),
  refuses('SS9', 'a NameID with a letter that looks like another', () =>
    nameId('аdmin@example.org'),
  ),
  line(
    'SS9',
    'a NameID with a comment in it',
    200,
    'all of its text is the address',
    atSignIn(commented),
  ),
  line(
    'X190',
    'the address of a future member of another organization',
    200,
    'it stays free there',
    atSignIn(addressOfOthers),
  ),
  line('SS9', 'a NameID in upper case', 200, 'the address is in lower case', atSignIn(folded)),
  refuses('SS10', 'the address of an admin without the mark', () => ({
    email: 'admin@example.org',
  })),
  refuses('SS10', 'the address of a user of another organization', () => ({
    email: 'stranger@example.org',
  })),
  refuses('SS12', 'the status of a failure with a signed assertion', () => ({
    status: 'urn:oasis:names:tc:SAML:2.0:status:Responder',
  })),
  refuses('SS12', 'the status NoPassive with a signed assertion', () => ({
    status: 'urn:oasis:names:tc:SAML:2.0:status:NoPassive',
  })),
]
