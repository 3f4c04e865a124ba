import { createHash } from 'node:crypto'
import { createLinkInvite } from '../../../src/actions/members/create-link-invite.ts'
import { createCode, exchangeCode } from '../../../src/actions/sso/codes.ts'
import { signIn } from '../../../src/actions/sso/sign-in.ts'
import { createWelcomeCode, takeWelcome } from '../../../src/actions/sso/welcome.ts'
import type { Context } from '../../../src/context.ts'
import { sha256 } from '../../../src/lib/digest.ts'
import { findMembership } from '../../../src/store/people/members.ts'
import { findOrganization } from '../../../src/store/people/organizations.ts'
import { findTeam, insertTeam } from '../../../src/store/people/teams.ts'
import { findUser } from '../../../src/store/people/users.ts'
import { insertProvider } from '../../../src/store/sso/providers.ts'
import { insertRequest } from '../../../src/store/sso/requests.ts'
import { query } from '../../../src/store/store.ts'
import { at, atBoth, notOne, putCollection, putOrganization, putPerson, type Rule } from './rule.ts'

const adminsOf = ({ store }: Context, id: string): number =>
  store.all(
    query
      .selectFrom('member')
      .select('user_id')
      .where('organization_id', '=', id)
      .where('role', '=', 'admin')
      .where('disabled', '=', 0),
  ).length

const hasAdmin = (ctx: Context, id: string) => () =>
  adminsOf(ctx, id) > 0 ? undefined : 'the organization has no administrator'

const soon = (ctx: Context): string => new Date(ctx.now().getTime() + 3_600_000).toISOString()
const nobody = { requestId: '', address: '', tokenId: null }

/** Takes the two administrators of an organization away in some way, one at each node. */
const lastAdmin = (
  name: string,
  { method, body, done }: { method: string; body?: object; done: Rule['done'] },
): Rule => ({
  name,
  keptBy: 'isolation',
  done,
  prepare: async ([here, there], id) => {
    putOrganization(here, id, { ada: 'admin', bob: 'admin', cy: 'edit' })
    const path = `${method} /orgs/${id}/members`
    return {
      works: [
        await here.operation(`ada-${id}`, `${path}/bob-${id}`, body),
        await there.operation(`bob-${id}`, `${path}/ada-${id}`, body),
      ],
      broken: hasAdmin(here, id),
    }
  },
})

/** Inserts an active identity provider. */
const putProvider = ({ store }: Context, id: string) =>
  insertProvider(store, {
    id: `okta-${id}`,
    organization_id: id,
    kind: 'saml',
    label: 'Okta',
    active: 1,
    default_role: 'edit',
    created_at: at,
    updated_at: at,
  })

const inviteUsedOnce: Rule = {
  name: 'an invite link for one person lets one in',
  keptBy: 'isolation',
  done: 'one',
  prepare: async ([here, there], id) => {
    putOrganization(here, id, { ada: 'admin' })
    for (const name of ['eve', 'fay']) putPerson(here, `${name}-${id}`)
    const user = findUser(here.store, `ada-${id}`)!
    const organization = findOrganization(here.store, id)!
    const member = findMembership(here.store, id, user.id)!
    const body = { role: 'read' as const, maxUses: 1, expiresAt: new Date(soon(here)) }
    const { secret } = here.store.transact(() =>
      createLinkInvite(here, { user, organization, member } as never, body as never, {
        userId: user.id,
        origin: nobody,
      }),
    )
    const path = `POST /orgs/${id}/invites/${secret}`
    return {
      works: [await here.operation(`eve-${id}`, path), await there.operation(`fay-${id}`, path)],
      broken: () => {
        const joined = ['eve', 'fay'].filter(name =>
          findMembership(here.store, id, `${name}-${id}`),
        )
        return joined.length === 1 ? undefined : `${joined.length} joined`
      },
    }
  },
}

const welcomeCodeUsedOnce: Rule = {
  name: 'a code for the first sign-in opens one session',
  isInner: true,
  keptBy: 'statement',
  done: 'some',
  prepare: async (nodes, id) => {
    const [here] = nodes
    putOrganization(here, id, { ada: 'admin' })
    const code = here.store.transact(() =>
      createWelcomeCode(here, { userId: `ada-${id}`, introduces: false }),
    )
    const opened: (boolean | undefined)[] = []
    return {
      works: atBoth(nodes, (ctx, node) => {
        opened[node] = ctx.store.transact(
          () => takeWelcome(ctx, { code }, { userAgent: '', address: '' }, nobody) !== undefined,
        )
      }),
      broken: () =>
        opened.filter(Boolean).length === 1 ? undefined : `opened sessions: ${opened.join()}`,
    }
  },
}

const codeExchangedOnce: Rule = {
  name: 'a code of single sign-on is exchanged once',
  isInner: true,
  keptBy: 'isolation',
  done: 'one',
  prepare: async (nodes, id) => {
    const [here] = nodes
    putOrganization(here, id, { ada: 'admin' })
    const provider = putProvider(here, id)
    const user = findUser(here.store, `ada-${id}`)!
    const verifier = 'v'.repeat(43)
    const code_challenge = createHash('sha256').update(verifier).digest('base64url')
    const signedIn = {
      provider,
      user,
      request: { code_challenge, redirect_uri: null },
      identity: {},
    }
    const code = here.store.transact(() => createCode(here, signedIn as never))
    return {
      works: atBoth(nodes, ctx =>
        ctx.store.transact(() => exchangeCode(ctx, { code, verifier }, nobody)),
      ),
      broken: notOne(here, 'token', 'provider_id', provider.id),
    }
  },
}

const onePersonSignsIn: Rule = {
  name: 'the first sign-in of a person at two nodes creates one user',
  isInner: true,
  keptBy: 'statement',
  contended: 'user',
  done: 'some',
  prepare: async (nodes, id) => {
    const [here] = nodes
    putOrganization(here, id, { ada: 'admin' })
    const provider = putProvider(here, id)
    const email = `zoe-${id}@example.org`
    const requests = [`_0-${id}`, `_1-${id}`]
    for (const requestId of requests)
      insertRequest(here.store, {
        id: requestId,
        provider_id: provider.id,
        browser_hash: sha256('secret'),
        created_at: at,
        expires_at: soon(here),
      })
    const confirmed = { providerId: provider.id, identity: { subject: email, email } }
    return {
      works: atBoth(nodes, (ctx, node) =>
        ctx.store.transact(() => signIn(ctx, { ...confirmed, requestId: requests[node]! }, null)),
      ),
      broken: notOne(here, 'user', 'email', email),
    }
  },
}

const oneAddressInvited: Rule = {
  name: 'an address that is invited at two nodes is that of one user',
  keptBy: 'statement',
  done: 'some',
  prepare: async ([here, there], id) => {
    putOrganization(here, id, { ada: 'admin' })
    const email = `new-${id}@example.org`
    const path = `POST /orgs/${id}/invites`
    return {
      works: [
        await here.operation(`ada-${id}`, path, { emails: [email], role: 'read' }),
        await there.operation(`ada-${id}`, path, { emails: [email], role: 'edit' }),
      ],
      broken: notOne(here, 'user', 'email', email),
    }
  },
}

const noGrantToDeletedTeam: Rule = {
  name: 'a team that is deleted keeps no grant',
  keptBy: 'isolation',
  done: 'some',
  prepare: async ([here, there], id) => {
    putOrganization(here, id, { ada: 'admin' })
    const { store } = here
    const [team, collection] = [`team-${id}`, `docs-${id}`]
    insertTeam(store, { id: team, organization_id: id, title: 'T', created_at: at })
    putCollection(here, collection, id, 1)
    const path = `PATCH /collections/${collection}/permissions/teams/${team}`
    const isGranted = () =>
      store.get(query.selectFrom('permission').selectAll().where('subject_id', '=', team)) !==
      undefined
    return {
      works: [
        await here.operation(`ada-${id}`, path, { role: 'edit' }),
        await there.operation(`ada-${id}`, `DELETE /orgs/${id}/teams/${team}`),
      ],
      broken: () =>
        isGranted() && !findTeam(store, id, team) ? 'the deleted team has a grant' : undefined,
    }
  },
}

const oneHostname: Rule = {
  name: 'a hostname is that of one organization',
  keptBy: 'statement',
  done: 'one',
  prepare: async ([here, there], id) => {
    const ids = [`${id}a`, `${id}b`] as const
    for (const each of ids) putOrganization(here, each, { ada: 'admin' })
    const body = { hostname: `host-${id}` }
    const owners = () => ids.filter(each => findOrganization(here.store, each)?.hostname)
    return {
      works: [
        await here.operation(`ada-${ids[0]}`, `PATCH /orgs/${ids[0]}`, body),
        await there.operation(`ada-${ids[1]}`, `PATCH /orgs/${ids[1]}`, body),
      ],
      broken: () => (owners().length === 1 ? undefined : `${owners().length} have it`),
    }
  },
}

export const peopleRules: readonly Rule[] = [
  lastAdmin('an organization keeps an administrator when two take the role away', {
    method: 'PATCH',
    body: { role: 'read' },
    done: 'one',
  }),
  // The answer is the same when the other one has removed the caller.
  lastAdmin('an organization keeps an administrator when two are removed', {
    method: 'DELETE',
    done: 'some',
  }),
  inviteUsedOnce,
  welcomeCodeUsedOnce,
  codeExchangedOnce,
  onePersonSignsIn,
  oneAddressInvited,
  noGrantToDeletedTeam,
  oneHostname,
]
