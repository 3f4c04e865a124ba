import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'

const org = '/v1/orgs/acme'

type Ask = (as: string, method: string, path: string, body?: unknown) => Promise<Seen>

/** Calls that have to succeed, and calls with any outcome. */
const tools = (stage: Stage) => {
  const ask: Ask = (as, method, path, body) =>
    stage.call(method, path, { as, ...(body !== undefined && { body }) })
  const done = async (...call: Parameters<Ask>) => {
    const seen = await ask(...call)
    must(Number(seen.status) < 300, `${call.slice(0, 3).join(' ')}: ${seen.status} ${seen.text}`)
    return seen.text ? JSON.parse(seen.text) : undefined
  }
  const collection = async () =>
    (await done('admin', 'POST', `${org}/collections`, { title: 'C' })).id
  const give = (path: string, user: string, role: string | null) =>
    done('admin', 'POST', `${path}/permissions`, { role, users: [user] })
  const link = async (as: string, body: unknown) =>
    (await done(as, 'POST', `${org}/link-invites`, body)).id
  const join = (as: string, id: string) => ask(as, 'POST', `${org}/invites/${id}`)

  return { ask, done, collection, give, link, join }
}

type Tools = ReturnType<typeof tools>

const attack = (work: (to: Tools, stage: Stage) => Promise<Seen>) => (stage: Stage) =>
  work(tools(stage), stage)

/**
 * Alice, who has the role "create" everywhere, administers one collection and moves an item below
 * it.
 */
const moveToOwnShelf = (
  kind: 'space' | 'collection',
  afterwards: (to: Tools, space: string) => Promise<Seen>,
) =>
  attack(async (to, stage) => {
    const shelf = await to.collection()
    await to.give(`/v1/collections/${shelf}`, 'alice', 'admin')
    const outer = await to.collection()
    const space = await stage.space()
    if (kind === 'collection')
      await to.done('admin', 'POST', `/v1/spaces/${space}/move`, { parent: outer })

    const moved = kind === 'space' ? `/v1/spaces/${space}` : `/v1/collections/${outer}`
    const seen = await to.ask('alice', 'POST', `${moved}/move`, { parent: shelf })

    must(seen.status === 403, `the move was answered ${seen.status} ${seen.text}`)

    return afterwards(to, space)
  })

/** The list of links shows the creator, the expiry and the users of each. */
const listedLink = attack(async to => {
  const secret = await to.link('admin', { role: 'read' })
  const seen = await to.ask('admin', 'GET', `${org}/link-invites`)
  const { items } = JSON.parse(seen.text) as { items: Record<string, unknown>[] }
  must(items.length > 0, 'the link is not listed')
  for (const item of items)
    for (const name of ['createdBy', 'createdAt', 'expiresAt', 'uses', 'usedBy'])
      must(item[name] !== undefined, `the list does not say "${name}"`)
  await to.done('admin', 'DELETE', `${org}/link-invites/${secret}`)

  return seen
})

/**
 * Editor has "create" on one collection and administers another: a move must not make them an admin
 * of the items.
 */
const moveBetween = attack(async (to, stage) => {
  const [from, own] = [await to.collection(), await to.collection()]
  await to.give(`/v1/collections/${from}`, 'editor', 'create')
  await to.give(`/v1/collections/${own}`, 'editor', 'admin')
  const space = await stage.space()

  await to.done('admin', 'POST', `/v1/spaces/${space}/move`, { parent: from })
  const seen = await to.ask('editor', 'POST', `/v1/spaces/${space}/move`, { parent: own })
  const patched = await to.ask('editor', 'PATCH', `/v1/spaces/${space}`, { title: 'pwned' })

  must(patched.status === 403, `the space could be changed: ${patched.status}`)

  return seen
})

/** Rita creates a link as an admin of a space, and uses it after losing the role. */
const ownLink = (shutOut: boolean) =>
  attack(async (to, stage) => {
    const space = await stage.space()
    const path = `/v1/spaces/${space}`
    await to.give(path, 'rita', 'admin')
    const id = await to.link('rita', { level: 'admin', space })
    if (shutOut) await to.give(path, 'rita', null)
    else await to.done('admin', 'DELETE', `${path}/permissions/users/rita`)

    const seen = await to.join('rita', id)
    const patched = await to.ask('rita', 'PATCH', path, { title: 'pwned' })

    must(Number(patched.status) >= 400, 'she is an admin of it again')

    return seen
  })

const adminLink = attack(async to => {
  await to.done('admin', 'PATCH', `${org}/members/rita`, { role: 'admin' })
  const id = await to.link('rita', { role: 'admin' })
  await to.done('admin', 'PATCH', `${org}/members/rita`, { role: 'read' })
  const seen = await to.join('stranger', id)
  must((await to.ask('stranger', 'GET', org)).status === 404, 'they are in')
  return seen
})

const loggedSecret = attack(async (to, stage) => {
  const id = await to.link('admin', { role: 'read' })
  const seen = await to.join('admin', id)
  must(!stage.log().includes(id), 'the log has the secret of the link')
  must(
    !(await to.ask('admin', 'GET', `${org}/link-invites?limit=100`)).text.includes(id),
    'the list has it',
  )

  must(
    !(await to.ask('admin', 'GET', `${org}/audit-events?limit=100`)).text.includes(id),
    'an event has it',
  )

  return seen
})

/** A user leaves the organization and tries to rejoin by the domain of their address. */
const comeBackByDomain = (own: boolean) =>
  attack(async to => {
    await to.done('admin', 'PATCH', org, { emailDomains: ['example.org'] })
    try {
      if (own) await to.done('gus', 'DELETE', `${org}/members/gus`)
      else {
        await to.done('mal', 'POST', `${org}/join`)
        await to.done('admin', 'DELETE', `${org}/members/mal`)
      }
      return await to.ask(own ? 'gus' : 'mal', 'POST', `${org}/join`)
    } finally {
      await to.done('admin', 'PATCH', org, { emailDomains: [] })
    }
  })

const pulledIn = attack(async to => {
  const seen = await to.ask('admin', 'POST', `${org}/invites`, {
    emails: ['eve@example.org'],
    role: 'read',
  })
  must(!seen.text.includes('"eve"'), 'the id of an account of another organization is told')
  must((await to.ask('eve', 'GET', org)).status === 404, 'eve is in, and was not asked')
  return seen
})

const guestReads = (path: (space: string) => string) =>
  attack(async (to, stage) => {
    const space = await stage.space()
    await to.give(`/v1/spaces/${space}`, 'guest', 'admin')
    const seen = await to.ask('guest', 'GET', path(space))
    must(!seen.text.includes('admin@example.org'), 'a guest reads an e-mail address')
    return seen
  })

const outsider = attack(async (to, stage) => {
  const space = await stage.space()
  await to.give(`/v1/spaces/${space}`, 'guest', 'admin')
  return to.ask('guest', 'POST', `/v1/spaces/${space}/permissions`, {
    role: 'read',
    users: ['eve'],
  })
})

const published = attack(async to => {
  const text = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    paths: {},
  })
  await to.done('alice', 'POST', `${org}/openapi`, { slug: 'published', source: { text } })
  return to.ask('alice', 'PATCH', `${org}/openapi/published`, { visibility: 'public' })
})

export const rightsLines: Line[] = [
  line('S1', 'the invite link of a demoted admin of a space', 404, /invite link/, ownLink(false)),
  line('S2', 'the invite link of a removed admin of a space', 404, /invite link/, ownLink(true)),
  line('S3', "a demoted admin's link to the organization", 404, /invite link/, adminLink),
  line('S5', 'the list of invite links', 200, 'says maker, times and uses', listedLink),
  line(
    'S26',
    'a move from a collection with the role create to one with the role admin',
    403,
    /admin/,
    moveBetween,
  ),
  line('S6', 'the secret of a link in the log, lists and events', 200, 'is nowhere', loggedSecret),
  line('S7', 'a removed member who joins by domain', 403, /removed/, comeBackByDomain(false)),
  line('S9', 'a guest who leaves and joins by domain', 403, /left/, comeBackByDomain(true)),
  line(
    'S12',
    'an account of another organization is invited',
    200,
    'is asked, and not told of',
    pulledIn,
  ),
  line(
    'S14',
    'a guest who reads a member',
    200,
    'has no address',
    guestReads(() => '/v1/users/admin'),
  ),
  line('S16', 'a guest who adds an account of another organization', 404, /no user/, outsider),
  line(
    'S17',
    'a guest who reads permissions',
    200,
    'has no address',
    guestReads(space => `/v1/spaces/${space}/permissions/aggregate`),
  ),
  line(
    'S23',
    'a creator who changes a space after moving it into their own collection',
    403,
    /admin/,
    moveToOwnShelf('space', (to, space) =>
      to.ask('alice', 'PATCH', `/v1/spaces/${space}`, { title: 'pwned' }),
    ),
  ),
  line(
    'S24',
    'a creator who deletes a space after moving it into their own collection',
    403,
    /admin/,
    moveToOwnShelf('space', (to, space) => to.ask('alice', 'DELETE', `/v1/spaces/${space}`)),
  ),
  line(
    'S25',
    'a creator who moves a whole collection into their own',
    403,
    /admin/,
    moveToOwnShelf('collection', (to, space) => to.ask('alice', 'DELETE', `/v1/spaces/${space}`)),
  ),
  line('S170', 'a creator who makes a spec public', 403, /admin/, published),
]
