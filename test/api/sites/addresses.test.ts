import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const { admin } = app
test.after(() => app.stop())

const sites = '/v1/orgs/acme/sites'
const newSpace = async (title: string): Promise<string> =>
  (await admin.post('/v1/orgs/acme/spaces', { title })).body.id

async function published(title: string, visibility: string, spaces: string[]): Promise<string> {
  const { id } = (await admin.post(sites, { title, visibility, spaces })).body
  assert.is((await admin.post(`${sites}/${id}/publish`)).status, 200)
  return id
}

const urlsOf = async (space: string) => {
  const { urls } = (await admin.get(`/v1/spaces/${space}`)).body
  return {
    published: urls.published?.slice(app.url.length),
    public: urls.public?.slice(app.url.length),
  }
}

test('a space has the address at the site with the widest audience', async () => {
  const [first, second] = [await newSpace('First'), await newSpace('Second')]
  assert.equal(await urlsOf(second), { published: undefined, public: undefined })
  const login = await published('Login', 'visitor-auth', [first, second])
  assert.equal(await urlsOf(second), { published: '/sites/acme/login/second/', public: undefined })
  const open = await published('Open', 'public', [second, first])

  assert.equal(await urlsOf(second), {
    published: '/sites/acme/open/',
    public: '/sites/acme/open/',
  })

  assert.equal(await urlsOf(first), {
    published: '/sites/acme/open/first/',
    public: '/sites/acme/open/first/',
  })
  await admin.post(`${sites}/${open}/unpublish`)
  assert.is((await urlsOf(first)).published, '/sites/acme/login/')
  await admin.patch(`${sites}/${login}`, { hostname: 'docs.example.org' })
  const { urls } = (await admin.get(`/v1/spaces/${first}`)).body

  assert.is(urls.published, 'https://docs.example.org/')
})

test('sites that only share links open give their spaces no address', async () => {
  const space = await newSpace('Linked')
  await published('Links', 'share-link', [space])
  assert.is((await admin.get(`/v1/spaces/${space}`)).body.visibility, 'share-link')
  assert.equal(await urlsOf(space), { published: undefined, public: undefined })
})

test('lists of spaces have the addresses', async () => {
  const [one, two] = [await newSpace('One'), await newSpace('Two')]
  await published('Listed', 'unlisted', [one, two])
  const { items } = (await admin.get('/v1/orgs/acme/spaces?limit=1000')).body
  const byId = new Map(items.map((each: { id: string }) => [each.id, each]))
  const addresses = [one, two].map(
    id => (byId.get(id) as { urls: { published: string } }).urls.published,
  )
  assert.equal(addresses, [`${app.url}/sites/acme/listed/`, `${app.url}/sites/acme/listed/two/`])
})

test.run()
