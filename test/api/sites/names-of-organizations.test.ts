import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken } from '../../../src/actions/people/create-token.ts'
import { findSiteAt } from '../../../src/actions/sites/find-site.ts'
import { parseAddress } from '../../../src/content/site/address.ts'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { actor, startApp } from '../../support/app.ts'

const app = await startApp({
  STEMMA_PUBLIC_URL: 'https://stemma.example.org',
  STEMMA_SITES_URL: 'https://{org}.sites.example.org',
  STEMMA_SITE_HOSTS:
    '*.acme.example=acme,docs.acme.example=acme,docs.globex.example=globex,x.new.example=newcomer',
})
test.after(() => app.stop())
const { store } = app.ctx
const at = '2026-01-01T00:00:00.000Z'
for (const id of ['globex', 'Initech']) insertOrganization(store, { id, title: id, created_at: at })
const adminOf = (organization: string, name: string) => {
  const { id } = app.user(name)
  putMember(store, organization, id, 'admin', at)
  return actor(app.url, id, createToken(store, { userId: id, name: 'test' }, app.ctx.now()).secret)
}
const admins = {
  acme: app.admin,
  globex: adminOf('globex', 'Eve'),
  Initech: adminOf('Initech', 'Bill'),
}
type Org = keyof typeof admins
const orgs = Object.keys(admins) as Org[]
const rename = (org: Org, hostname: string) => admins[org].patch(`/v1/orgs/${org}`, { hostname })
const newSite = async (org: Org, title: string): Promise<string> =>
  (await admins[org].post(`/v1/orgs/${org}/sites`, { title })).body.id

test('a hostname is neither the id nor the hostname of another organization', async () => {
  for (const name of ['acme', 'initech']) {
    const { status, text } = await rename('globex', name)
    assert.is(status, 409, name)
    assert.match(text, /already in use/)
  }

  assert.is((await rename('acme', 'acme-docs')).status, 200)
  assert.is((await rename('globex', 'acme-docs')).status, 409)

  // The own id is free for its organization.
  assert.is((await rename('globex', 'globex')).status, 200)
})

test('a host that was assigned to another organization stays with it', async () => {
  const site = await newSite('globex', 'Taken')
  const claim = (hostname: string) =>
    admins.globex.patch(`/v1/orgs/globex/sites/${site}`, { hostname })
  assert.is((await claim('docs.acme.example')).status, 409)
  await rename('globex', 'acme')
  assert.is((await claim('docs.acme.example')).status, 409)
  const own = await newSite('acme', 'Own')
  const { status } = await app.admin.patch(`/v1/orgs/acme/sites/${own}`, {
    hostname: 'docs.acme.example',
  })

  assert.is(status, 200)
})

test('names of the server, and of an organization that the operator awaits, are reserved', async () => {
  for (const name of [
    'www',
    'api',
    'sso',
    'admin',
    'app',
    'docs',
    'mail',
    'static',
    'login',
    'status',
  ])
    assert.match((await rename('globex', name)).text, /reserved for the server/, name)
  assert.match((await rename('globex', 'newcomer')).text, /reserved by the operator/)
})

test('a name from before the list was made is kept', async () => {
  insertOrganization(store, { id: 'old', title: 'Old', hostname: 'www', created_at: at })
  putMember(store, 'old', app.admin.id, 'admin', at)
  const body = { hostname: 'www', title: 'Still old' }
  assert.is((await app.admin.patch('/v1/orgs/old', body)).status, 200)
})

const names = ['acme', 'globex', 'initech', 'acme-docs', 'globex-docs', 'handbook']
const hosts = ['docs.acme.example', 'a.acme.example', 'docs.globex.example', 'x.new.example']

type Write = {
  org: Org
  kind: 'rename' | 'hostname' | 'proxy' | 'basename' | 'clear'
  pick: number
}
const write: fc.Arbitrary<Write> = fc.record({
  org: fc.constantFrom(...orgs),
  kind: fc.constantFrom('rename', 'hostname', 'proxy', 'basename', 'clear'),
  pick: fc.nat(5),
})

/** The addresses that the names and hosts of this test can make. */
const addresses = [
  ...[...names, ...orgs].flatMap(name =>
    ['', 'guide/', 'one/', 'two/'].flatMap(path => [
      `https://${name.toLowerCase()}.sites.example.org/${path}`,
      `https://sites.example.org/${name}/${path}`,
      `https://stemma.example.org/sites/${name}/${path}`,
    ]),
  ),
  ...hosts.flatMap(host => [
    `https://${host}/`,
    `https://${host}/docs`,
    `https://${host}/guide/page`,
  ]),
]
const leadsTo = () =>
  new Map(addresses.map(text => [text, findSiteAt(app.ctx, parseAddress(text))?.site]))

test('no write of one organization changes what an address of another one leads to', async () => {
  const sites = new Map<Org, string>()
  for (const org of orgs) sites.set(org, await newSite(org, 'Guide'))
  const send = ({ org, kind, pick }: Write) => {
    if (kind === 'rename') return rename(org, names[pick]!)
    const path = `/v1/orgs/${org}/sites/${sites.get(org)}`
    const host = hosts[pick % hosts.length]
    if (kind === 'hostname') return admins[org].patch(path, { hostname: host })
    if (kind === 'proxy') return admins[org].patch(path, { proxy: `${host}/docs` })
    if (kind === 'basename')
      return admins[org].patch(path, { basename: ['guide', 'one', 'two'][pick % 3] })
    return admins[org].patch(path, { hostname: null, proxy: null })
  }

  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 12 }), async writes => {
      for (const each of writes) {
        const before = leadsTo()
        const { status } = await send(each)
        assert.ok(status === 200 || status === 409, `${JSON.stringify(each)}: ${status}`)
        const after = leadsTo()
        for (const [address, site] of before)
          if (site && site.organization_id !== each.org)
            assert.is(after.get(address)?.id, site.id, `${address} after ${JSON.stringify(each)}`)
      }
    }),
    { numRuns: 25 },
  )
})

test.run()
