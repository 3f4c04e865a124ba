import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Reply, startApp } from '../support/app.ts'
import { ask, namesIn, type Operation, operationOf, operations } from './asking.ts'
import { type Caller, makeCallers } from './callers.ts'
import { calls } from './calls/all.ts'
import type { Sent } from './calls/call.ts'
import { readTable } from './table.ts'
import { type Ids, makeWorld, type World } from './world.ts'
import { changedBetween, readWritten } from './written.ts'

const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true', STEMMA_MAX_SPACES_PER_DAY: '0' })
test.after(() => app.stop())
const { elsewhere, owner, none } = makeCallers(app)
const here = await makeWorld(app, owner, 'acme')
const beside = await makeWorld(app, owner, 'acme')
const there = await makeWorld(app, elsewhere, 'rival')

/** Well-formed ids of nothing. */
const nothing = (name: string) => (name === 'revisionId' ? '1'.repeat(40) : 'nothingThatIsThere00')

/** Resources that do not belong to one space: users, and names that several spaces may have. */
const ofNoSpace = new Set(['userId', 'teamId', 'pagePath'])

/** Operations that create a missing resource: its name is the caller's choice. */
const makes = new Set([
  'createOrUpdateOpenAPISpecBySlug specSlug',
  'getOrganizationsForEmailDomain emailDomain',
  'publishIntegration integrationName',
])

/** Operations that any user may call, also for another organization. */
const forAll = new Set(
  readTable()
    .filter(({ cells }) => cells.none === 'ok')
    .map(({ operationId }) => operationId),
)

const asOwner = (world: World): Caller => ({ column: 'owner', actor: world.by })

const sentTo = async ({ endpoint }: Operation, world = here): Promise<Sent> =>
  (await calls[endpoint.operationId]?.make(world, asOwner(world))) ?? {}

/**
 * Returns the answer to the admin without the ids that they sent, after checking that nothing was
 * written. After a write it is called again: jobs write as well.
 */
async function told(operation: Operation, sent: Sent, what: string, again = false): Promise<Reply> {
  const before = await readWritten(app, here.ids.spaceId as string)
  const reply = await ask(owner, operation, here, sent)
  const wrote = changedBetween(before, await readWritten(app, here.ids.spaceId as string))
  if (wrote.length > 0 && !again) return told(operation, sent, what, true)
  assert.equal(wrote, [], `${operation.key} with ${what} wrote`)
  return reply
}

/** Asserts that a delete of nothing succeeds and all else is missing; returns the answer. */
async function notThere(
  operation: Operation,
  sent: Sent,
  [name, id]: [name: string, id: string],
  what: string,
): Promise<string> {
  const asked = { ...sent, ids: { ...sent.ids, [name]: id } }
  const anonymous = await ask(none, operation, here, asked)
  const { status, text } = await told(operation, asked, what)
  const deleted = operation.method === 'DELETE' && status === 204
  const open = forAll.has(operation.endpoint.operationId)

  assert.ok(
    status === 404 || deleted || (open && status < 300),
    `${operation.key} with ${what} answered ${status} ${text.slice(0, 300)}`,
  )

  assert.ok(
    anonymous.status === 401 || open,
    `${operation.key} with ${what} answered ${anonymous.status} to nobody`,
  )

  return open
    ? ''
    : Object.values(asked.ids).reduce((left, each) => left.replaceAll(each, 'ID'), text)
}

for (const operation of operations.filter(each => namesIn(each).length > 0)) {
  test(`${operation.endpoint.operationId}: resources of another organization do not exist`, async () => {
    const foreign = { ...there.ids, ...(await sentTo(operation, there)).ids }
    // Nothing is written, so that one call serves for all names.
    const sent = await sentTo(operation)
    for (const name of namesIn(operation)) {
      if (makes.has(`${operation.endpoint.operationId} ${name}`)) continue
      const missing = await notThere(operation, sent, [name, nothing(name)], `no ${name}`)
      const hidden = await notThere(
        operation,
        sent,
        [name, foreign[name] as string],
        `a foreign ${name}`,
      )

      assert.is(
        hidden,
        missing,
        `${operation.key} tells a foreign ${name} from one that is not there`,
      )
    }
  })
}

/** Bodies that name something, by the ids of the named resources. */
const naming: [operationId: string, body: (ids: Ids) => unknown][] = [
  ['createCollection', ids => ({ parent: ids.collectionId })],
  ['moveCollection', ids => ({ parent: ids.collectionId })],
  ['transferCollection', ids => ({ organization: ids.organizationId })],
  ['createSpace', ids => ({ parent: ids.collectionId })],
  ['moveSpace', ids => ({ parent: ids.collectionId })],
  ['moveSpace', ids => ({ position: { before: { type: 'space', space: ids.spaceId } } })],
  ['transferSpace', ids => ({ organization: ids.organizationId })],
  [
    'updateSpaceById',
    ids => ({
      mergeRules: { type: 'rules', rules: [{ rule: 'allow_bypass', users: [ids.userId] }] },
    }),
  ],
  ['updateContent', ids => ({ changes: [{ operation: 'delete_page', page: ids.pageId }] })],
  ['updateContent', ids => ({ changes: [{ operation: 'delete_file', file: ids.fileId }] })],
  [
    'updateChangeRequestContent',
    ids => ({ changes: [{ operation: 'delete_page', page: ids.pageId }] }),
  ],
  ['requestReviewersForChangeRequest', ids => ({ users: [ids.userId] })],
  ['postCommentInSpace', ids => ({ body: { markdown: 'Hm.' }, page: ids.pageId })],
  ['postCommentInChangeRequest', ids => ({ body: { markdown: 'Hm.' }, page: ids.pageId })],
  ['createOrganizationInvite', ids => ({ level: 'read', space: ids.spaceId })],
  ['createOrganizationInvite', ids => ({ level: 'read', collection: ids.collectionId })],
  ['createOrganizationTeam', ids => ({ title: 'Team', members: [ids.userId] })],
  ['updateMembersInOrganizationTeam', ids => ({ add: [ids.userId] })],
  [
    'updateMembersInOrganizationTeam',
    ids => ({ memberships: { [ids.userId as string]: { role: 'owner' } } }),
  ],
  ['inviteToSpace', ids => ({ role: 'read', teams: [ids.teamId] })],
  ['inviteToCollection', ids => ({ role: 'read', teams: [ids.teamId] })],
]

for (const [operationId, body] of naming) {
  test(`${operationId}: a body cannot reach resources of another organization: ${body}`, async () => {
    const operation = operationOf(operationId)
    if (!operation) throw new Error(`There is no operation "${operationId}".`)
    const teamId = (await calls.getTeamInOrganizationById?.make(there, asOwner(there)))?.ids
      ?.teamId as string
    const foreign: Ids = { ...there.ids, teamId }
    const ids = Object.fromEntries(Object.keys(foreign).map(name => [name, nothing(name)]))
    const sent = await sentTo(operation)
    const missing = await told(operation, { ...sent, body: body(ids) }, 'nothing')
    const hidden = await told(operation, { ...sent, body: body(foreign) }, 'what is foreign')
    const plain = (text: string, all: Ids) =>
      Object.values(all).reduce((left, id) => left.replaceAll(`"${id}"`, 'ID'), text)

    assert.ok(
      [400, 404].includes(hidden.status),
      `answered ${hidden.status} ${hidden.text.slice(0, 300)}`,
    )
    assert.is(hidden.status, missing.status)
    const escaped = (text: string) => text.replaceAll('\\"', '"')

    assert.is(plain(escaped(hidden.text), foreign), plain(escaped(missing.text), ids))
  })
}

for (const operation of operations.filter(({ path }) => /^\/spaces\/:spaceId\/.*[:*]/.test(path))) {
  test(`${operation.endpoint.operationId}: resources of another space do not exist`, async () => {
    const others = { ...beside.ids, ...(await sentTo(operation, beside)).ids }
    const sent = await sentTo(operation)
    for (const name of namesIn(operation).slice(1))
      if (!ofNoSpace.has(name))
        await notThere(
          operation,
          sent,
          [name, others[name] as string],
          `the ${name} of another space`,
        )
  })
}

test.run()
