import fc from 'fast-check'
import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { asOid } from '../../src/lib/oid.ts'
import {
  countContribution,
  insertChangeRequest,
  takeChangeRequestNumber,
  updateChangeRequest,
} from '../../src/store/discussions/change-requests.ts'
import { insertReply } from '../../src/store/discussions/comment-replies.ts'
import {
  deleteComment,
  insertComment,
  updateComment,
} from '../../src/store/discussions/comments.ts'
import { deleteReaction, putReaction } from '../../src/store/discussions/reactions.ts'
import { insertRequestedReviewer } from '../../src/store/discussions/requested-reviewers.ts'
import { insertReview } from '../../src/store/discussions/reviews.ts'
import { isDatabaseError } from '../../src/store/engine/driver.ts'
import { claimJob, finishJob, insertJob } from '../../src/store/events/jobs.ts'
import { copyFolderChanges, putFolderChanges } from '../../src/store/git/folder-changes.ts'
import { putGitSync } from '../../src/store/git/git-sync.ts'
import { copyPublishedJumps, putPublishedJump } from '../../src/store/git/published-jumps.ts'
import { putMirroredRef } from '../../src/store/git/refs.ts'
import {
  copyRevisions,
  deleteRevisionsAfter,
  insertRevisions,
} from '../../src/store/git/revision-index.ts'
import { copyServiceCommits, insertServiceCommit } from '../../src/store/git/service-commits.ts'
import { deleteSpec, insertSpec, updateSpec } from '../../src/store/openapi/specs.ts'
import { insertVersion, putOutline } from '../../src/store/openapi/versions.ts'
import { putInvitation } from '../../src/store/people/invitations.ts'
import { deleteMember, insertMember, updateMember } from '../../src/store/people/members.ts'
import { copyRefusals, refuseToken } from '../../src/store/people/organization-tokens.ts'
import {
  insertOrganization,
  putMember,
  updateOrganization,
} from '../../src/store/people/organizations.ts'
import {
  copyPermissions,
  deleteForeignPermissions,
  deletePermissionsOf,
  putPermission,
} from '../../src/store/people/permissions.ts'
import { noteRevocation } from '../../src/store/people/revocations.ts'
import {
  deleteTeam,
  deleteTeamMember,
  insertTeam,
  putTeamMember,
  renameTeam,
} from '../../src/store/people/teams.ts'
import { TokenUses } from '../../src/store/people/token-uses.ts'
import { insertToken, revokeToken, revokeTokensOf } from '../../src/store/people/tokens.ts'
import { insertUser, updateUser } from '../../src/store/people/users.ts'
import {
  deleteCollection,
  findCollection,
  insertCollection,
  updateCollection,
} from '../../src/store/spaces/collections.ts'
import { setPosition } from '../../src/store/spaces/siblings.ts'
import { deleteSpace, findSpace, insertSpace, updateSpace } from '../../src/store/spaces/spaces.ts'
import { insertAssertion } from '../../src/store/sso/assertions.ts'
import { deleteProvider, insertProvider, updateProvider } from '../../src/store/sso/providers.ts'
import { endSignIns } from '../../src/store/sso/signed-in.ts'
import { Store, sqlRows } from '../../src/store/store.ts'
import { runs } from '../support/long-run.ts'

const at = '2026-01-01T00:00:00.000Z'
const oid = (n: number) => asOid(String(n % 10).repeat(40))
const orgs = ['acme', 'globex']
/** Two of each organization. */
const spaces = ['a1', 'a2', 'g1', 'g2']
const users = ['ada', 'bob']
const roles = ['read', 'edit', 'admin', null] as const

/** The choices of a write: an organization, a space, a user, and a number. */
type Choice = { org: string; space: string; other: string; user: string; n: number }

const commitOf = (space: string, n: number) => ({
  space_id: space,
  oid: oid(n),
  tree: oid(n + 1),
  parents: [],
  author_name: 'A',
  author_email: 'a@example.org',
  message: 'm',
  committed_at: n,
})

type Write = (store: Store, choice: Choice) => unknown

const newRequest: Write = (store, { space, user, n }) => {
  const row = {
    id: `r${n}`,
    space_id: space,
    number: takeChangeRequestNumber(store, space),
    status: 'open' as const,
    subject: 'S',
    description: null,
    created_by: user,
    created_at: at,
    updated_at: at,
    revision: oid(n),
    revision_initial: oid(n),
    revision_merged_ancestor: null,
    revision_merged: null,
    merged_by: null,
    merged_at: null,
    conversations_issues_cluster: null,
    branch: null,
  }
  insertChangeRequest(store, row)
}

const newComment: Write = (store, { space, user, n }) =>
  insertComment(store, {
    id: `m${n}`,
    space_id: space,
    change_request_id: null,
    revision: oid(n),
    body: { markdown: 'x' },
    posted_by: user,
    posted_at: at,
  })

/** Writes of rows through the queries that the product uses. */
const writes: Write[] = [
  (store, { org, n }) => updateOrganization(store, org, { default_role: roles[n % 3] ?? null }),
  (store, { org, n }) => updateOrganization(store, org, { max_token_age_days: n }),
  (store, { org, user, n }) => putMember(store, org, user, roles[n % 4] ?? null, at),
  (store, { org, user }) =>
    insertMember(store, { organization_id: org, user_id: user, role: 'read', joined_at: at }),
  (store, { org, user, n }) => updateMember(store, org, user, { disabled: n % 2 }),
  (store, { org, user }) => updateMember(store, org, user, { last_seen_at: at }),
  (store, { org, user }) => deleteMember(store, org, user, at),
  (store, { org, user }) => noteRevocation(store, org, [user], at),
  (store, { org, n }) =>
    insertTeam(store, { id: `t${n}`, organization_id: org, title: 'T', created_at: at }),
  (store, { n }) => renameTeam(store, `t${n}`, 'New'),
  (store, { n }) => deleteTeam(store, `t${n}`),
  (store, { user, n }) => putTeamMember(store, `t${n}`, user),
  (store, { user, n }) => deleteTeamMember(store, `t${n}`, user),
  (store, { org, n }) =>
    insertCollection(store, {
      id: `c${n}`,
      organization_id: org,
      parent_id: null,
      title: 'C',
      position: n,
      created_at: at,
    }),
  (store, { n }) => updateCollection(store, `c${n}`, { default_level: roles[n % 3] ?? null }),
  (store, { n }) => setPosition(store, { kind: 'collection', id: `c${n}` }, n),
  (store, { n }) => {
    const row = findCollection(store, `c${n}`)
    return row && deleteCollection(store, row, at)
  },
  (store, { space, n }) =>
    updateSpace(store, space, { title: `T${n}`, default_level: roles[n % 3] ?? null }),
  (store, { space, n }) => updateSpace(store, space, { collection_id: `c${n}` }),
  (store, { space, org }) =>
    updateSpace(store, space, { organization_id: org, collection_id: null }),
  (store, { space, n }) => setPosition(store, { kind: 'space', id: space }, n),
  (store, { space, org }) => {
    deleteSpace(store, space)
    insertSpace(store, {
      id: space,
      organization_id: org,
      title: 'S',
      created_at: at,
      updated_at: at,
    })
  },
  (store, { space, user, n }) =>
    putPermission(store, {
      target_kind: 'space',
      target_id: space,
      subject_kind: 'user',
      subject_id: user,
      role: roles[n % 4] ?? null,
      created_at: at,
    }),
  (store, { user, n }) =>
    putPermission(store, {
      target_kind: 'collection',
      target_id: `c${n}`,
      subject_kind: 'team',
      subject_id: `t${user === 'ada' ? 1 : 2}`,
      role: roles[n % 4] ?? null,
      created_at: at,
    }),
  (store, { space }) => deletePermissionsOf(store, 'space', space),
  (store, { space, n }) => copyPermissions(store, { kind: 'collection', id: `c${n}` }, space, at),
  (store, { space, org }) => deleteForeignPermissions(store, { kind: 'space', id: space }, org),
  (store, { user, n }) =>
    insertToken(store, {
      id: `k${n}`,
      user_id: user,
      name: 'k',
      hash: `h${n}`,
      created_at: at,
      expires_at: null,
    }),
  (store, { user, n }) => revokeToken(store, `k${n}`, at, user),
  (store, { org, n }) =>
    insertProvider(store, {
      id: `p${n}`,
      organization_id: org,
      kind: 'saml',
      label: 'P',
      created_at: at,
      updated_at: at,
    }),
  (store, { org, n }) =>
    updateProvider(store, { id: `p${n}`, organization_id: org }, { active: n % 2 }),
  (store, { org, n }) => deleteProvider(store, { id: `p${n}`, organization_id: org }),
  (store, { org, user }) => endSignIns(store, { organizationId: org, userId: user }, at),
  (store, { n }) => endSignIns(store, { providerId: `p${n}` }, at),
  (store, { n }) => insertAssertion(store, `p${n}`, { id: 'a', expiresAt: at }),
  (store, { user }) => revokeTokensOf(store, user, at),
  (store, { org, user, n }) => refuseToken(store, org, `k${n}`, { by: user, at }),
  (store, { n }) => copyRefusals(store, `k${n}`, `k${n + 1}`),
  (store, { n }) => {
    const uses = new TokenUses(store)
    uses.note(`k${n}`, Date.parse(at) + n)
    uses.write()
  },
  (store, { user, n }) => updateUser(store, user, { display_name: `U${n}` }),
  (store, { space, n }) =>
    putMirroredRef(store, space, 'refs/heads/main', n % 4 === 0 ? null : oid(n)),
  (store, { space, n }) =>
    insertRevisions(store, space, n, [
      { row: commitOf(space, n), paths: [{ path: `${n}.md`, status: 'A', from_path: null }] },
    ]),
  (store, { space, n }) => deleteRevisionsAfter(store, space, n),
  (store, { space, other }) => copyRevisions(store, space, other),
  (store, { space, n }) =>
    insertServiceCommit(store, { space_id: space, oid: oid(n), kind: 'edit' }),
  (store, { space, other }) => copyServiceCommits(store, space, other),
  (store, { space, n }) =>
    putPublishedJump(store, { space_id: space, oid: oid(n), previous: oid(n + 1) }),
  (store, { space, other }) => copyPublishedJumps(store, space, other),
  (store, { space, n }) =>
    putFolderChanges(store, space, [
      { path: `${n}.md`, blob: oid(n), changed_at: n, author_name: 'Ada' },
    ]),
  (store, { space, other }) => copyFolderChanges(store, space, other),
  (store, { space }) =>
    putGitSync(store, {
      space_id: space,
      repo_name: 'r',
      provider: null,
      url: null,
      repo_tree_url: null,
      repo_commit_url: null,
      project_directory: null,
      ref: null,
      last_timestamp: null,
      updated_at: at,
    }),
  newRequest,
  (store, { n }) => updateChangeRequest(store, `r${n}`, { subject: 'New' }),
  (store, { user, n }) => countContribution(store, `r${n}`, user, { at }),
  newComment,
  (store, { n }) => updateComment(store, `m${n}`, { status: 'resolved' }),
  (store, { n }) => deleteComment(store, `m${n}`),
  (store, { space, user, n }) =>
    insertReply(store, {
      id: `y${n}`,
      space_id: space,
      change_request_id: null,
      comment_id: `m${n}`,
      body: { markdown: 'x' },
      posted_by: user,
      posted_at: at,
    }),
  (store, { user, n }) =>
    putReaction(store, {
      comment_id: `m${n}`,
      reply_id: '',
      emoji: 'x',
      user_id: user,
      reacted_at: at,
    }),
  (store, { user, n }) => deleteReaction(store, { commentId: `m${n}`, replyId: '' }, user, 'x'),
  (store, { space, user, n }) =>
    insertRequestedReviewer(store, {
      space_id: space,
      change_request_id: `r${n}`,
      user_id: user,
      requested_by: user,
      revision: oid(n),
      created_at: at,
    }),
  (store, { space, user, n }) =>
    insertReview(store, {
      id: `v${n}`,
      space_id: space,
      change_request_id: `r${n}`,
      reviewer_id: user,
      requested_by: null,
      revision: oid(n),
      status: 'approved',
      comment_id: null,
      created_at: at,
      updated_at: at,
    }),
  (store, { org, user, n }) =>
    insertSpec(store, {
      id: `o${n}`,
      organization_id: org,
      slug: `s${n}`,
      source_url: null,
      created_by: user,
      created_at: at,
      updated_at: at,
    }),
  (store, { n }) => updateSpec(store, `o${n}`, { last_version: oid(n) }),
  (store, { n }) => deleteSpec(store, `o${n}`),
  (store, { n }) =>
    insertVersion(store, { id: oid(n), spec_id: `o${n}`, entry: 'e', created_at: at }),
  (store, { n }) =>
    putOutline(store, { version_id: oid(n), spec_id: `o${n}`, describer: 1, outline: '{}' }),
  (store, { org, user, n }) =>
    putInvitation(store, {
      id: `i${n}`,
      organization_id: org,
      user_id: user,
      email: 'e@example.org',
      role: null,
      sso: 0,
      created_by: user,
      created_at: at,
      expires_at: at,
    }),
  (store, { n }) => {
    const owners = { user_id: null, organization_id: null }
    const row = { id: `j${n}`, kind: 'tidy', lane: 'l', key: null, payload: {}, ...owners }
    insertJob(store, { ...row, created_at: at }, 0)
    const job = claimJob(store, { owner: 'w', now: 1 })
    if (job) finishJob(store, job)
  },
]

/**
 * Two organizations with two spaces, a collection and a team each, two users with tokens, and a
 * spec.
 */
function filled(): Store {
  const store = new Store(':memory:')
  for (const id of users) insertUser(store, { id, display_name: id, email: null, created_at: at })

  for (const [index, id] of orgs.entries()) {
    insertOrganization(store, { id, title: id, created_at: at })
    for (const user of users) putMember(store, id, user, 'read', at)
    const n = index + 1
    insertTeam(store, { id: `t${n}`, organization_id: id, title: 'T', created_at: at })
    const provider = { id: `p${n}`, organization_id: id, kind: 'saml' as const, label: 'P' }

    insertProvider(store, { ...provider, created_at: at, updated_at: at })
    const collection = {
      id: `c${n}`,
      organization_id: id,
      parent_id: null,
      title: 'C',
      position: 1,
    }

    insertCollection(store, { ...collection, created_at: at })
    const spec = { id: `o${n}`, organization_id: id, slug: 's', source_url: null, created_by: null }

    insertSpec(store, { ...spec, created_at: at, updated_at: at })
  }

  for (const id of spaces)
    insertSpace(store, {
      id,
      organization_id: id.startsWith('a') ? 'acme' : 'globex',
      title: id,
      created_at: at,
      updated_at: at,
    })

  for (const [index, user] of users.entries())
    insertToken(store, {
      id: `k${index + 1}`,
      user_id: user,
      name: 'k',
      hash: user,
      created_at: at,
      expires_at: null,
    })

  for (const write of [newRequest, newComment]) write(store, choice(1))

  return store
}

const choice = (n: number): Choice => ({ org: 'acme', space: 'a1', other: 'a2', user: 'ada', n })

/**
 * Returns everything that a page read in a space may depend on, as text, and the scope of the read.
 */
function readIn(store: Store, spaceId: string) {
  const rows = (text: ReturnType<typeof sql>) => store.all(sqlRows<Record<string, unknown>>(text))
  const org = findSpace(store, spaceId)?.organization_id ?? ''
  const specs = rows(sql`select id from openapi_spec where organization_id = ${org}`)
  const ofSpecs = sql`spec_id in (select value from json_each(${specs.map(({ id }) => id)}))`
  const ofSpace = [
    'ref',
    'revision',
    'revision_path',
    'service_commit',
    'published_jump',
    'folder_change',
  ]
  const ofOrganization = ['team', 'collection', 'openapi_spec', 'token_refusal', 'sso_provider']

  const dump = [
    rows(sql`select * from space where id = ${spaceId}`),
    rows(sql`select * from organization where id = ${org}`),
    ...ofSpace.map(table =>
      rows(sql`select * from ${sql.table(table)} where space_id = ${spaceId}`),
    ),
    ...ofOrganization.map(table =>
      rows(sql`select * from ${sql.table(table)} where organization_id = ${org}`),
    ),
    rows(
      sql`select * from team_member where team_id in (select id from team where organization_id = ${org})`,
    ),
    rows(sql`select * from permission where target_id = ${spaceId}
      or target_id in (select id from collection where organization_id = ${org})`),
    rows(sql`select * from openapi_version where ${ofSpecs}`),
    rows(sql`select * from openapi_outline where ${ofSpecs}`),
    rows(sql`select * from user`),
    rows(sql`select * from token`).map(row => ({ ...row, last_used_at: null })),
    rows(sql`select * from member where organization_id = ${org}`).map(row => ({
      ...row,
      last_seen_at: null,
    })),
  ]

  return { scope: { spaceId, organizationId: org }, rows: JSON.stringify(dump) }
}

const choices = fc.array(
  fc.record({
    write: fc.nat(writes.length - 1),
    org: fc.constantFrom(...orgs),
    space: fc.constantFrom(...spaces),
    other: fc.constantFrom(...spaces),
    user: fc.constantFrom(...users),
    n: fc.integer({ min: 1, max: 4 }),
  }),
  { minLength: 1, maxLength: 80, size: 'max' },
)

test('each of the writes succeeds on new rows or on existing ones', () => {
  for (const write of writes) {
    const store = filled()
    let failure: unknown
    const succeeds = [1, 3].some(n => {
      try {
        store.transact(() => write(store, choice(n)))
        return true
      } catch (error) {
        failure = error
        return false
      }
    })

    assert.ok(succeeds, `${write}: ${failure}`)
    store.close()
  }
})

test('a write that concerns other spaces or organizations changes nothing that a page read depends on', () => {
  const seen = { kept: 0, changed: 0 }
  fc.assert(
    fc.property(choices, list => {
      const store = filled()
      let before = spaces.map(spaceId => readIn(store, spaceId))
      for (const { write, ...choice } of list) {
        const version = store.version()
        try {
          store.transact(() => writes[write]?.(store, choice))
        } catch (error) {
          // A row that exists already, or refers to one that does not.
          assert.ok(isDatabaseError(error, 'unique', 'foreign', 'constraint'), String(error))
        }

        const after = spaces.map(spaceId => readIn(store, spaceId))

        for (const [index, { scope, rows }] of before.entries()) {
          const isSame = after[index]?.rows === rows
          if (!isSame) seen.changed++
          if (!store.isCurrent(version, scope)) continue
          seen.kept++
          assert.ok(
            isSame,
            `${writes[write]} changed what a page read in ${scope.spaceId} depends on`,
          )
        }

        before = after
      }

      store.close()
    }),
    { numRuns: runs(40) },
  )
  assert.ok(seen.kept > runs(40) && seen.changed > runs(40), JSON.stringify(seen))
})

test.run()
