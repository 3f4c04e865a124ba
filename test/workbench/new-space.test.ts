import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { Browser } from '../support/http/browser.ts'
import { formIn } from './forms.ts'

const app = await startApp()
test.after(() => app.stop())
const path = '/app/new/acme/space'

async function signedIn(token: string): Promise<Browser> {
  const browser = new Browser(app.url)
  assert.is((await browser.signIn(token)).status, 303)
  return browser
}

const owner = await signedIn(app.admin.token)

/** Creates a space with the form; returns where it leads. */
async function create(more: Record<string, string>): Promise<string> {
  const { text } = await owner.get(path)
  const made = await owner.post(path, { ...formIn(text, path), ...more })
  assert.is(made.status, 303, made.text)
  return made.headers.get('location') ?? ''
}

test('the home page leads to a form that creates a space with an empty page', async () => {
  const to = await create({ title: 'Guide <b>' })
  assert.match((await owner.get(to)).text, /“Guide &lt;b(>|&gt;)” was created/)
  assert.match((await owner.get('/app')).text, `href="${path}"`)
  const { body } = await app.admin.get(`/v1/spaces/${to.split('/')[3]}/content/pages`)
  assert.equal(
    body.pages.map((page: { title: string }) => page.title),
    ['Guide <b>'],
  )
})

test('a space for files has no page and leads to their import', async () => {
  const to = await create({ title: 'Files', start: 'files' })
  assert.match(to, /\/import$/)
  assert.is((await owner.get(to)).status, 200)
  const { body } = await app.admin.get(`/v1/spaces/${to.split('/')[3]}/content/pages`)
  assert.equal(body.pages, [])
})

test('a space has the files of each template', async () => {
  const { items } = (await app.admin.get('/v1/templates')).body
  assert.ok(items.length > 0)
  for (const { id } of items) {
    const to = await create({ title: 'From it', start: `template:${id}` })
    const { body } = await app.admin.get(`/v1/spaces/${to.split('/')[3]}/content/pages`)
    assert.ok(body.pages.length > 0, id)
    assert.is((await owner.get(to)).status, 200)
  }
  const fields = formIn((await owner.get(path)).text, path)
  const unknown = await owner.post(path, { ...fields, title: 'From it', start: 'template:../x' })
  assert.is(unknown.status, 404)
  const odd = await owner.post(path, { ...fields, title: 'Odd', start: 'no such start' })
  assert.is(odd.status, 400)
})

test('members who may not create spaces do not find the form', async () => {
  const member = await signedIn(app.user('Max', 'review').token)
  assert.is((await member.get(path)).status, 403)
  assert.not.match((await member.get('/app')).text, path)
})

const sitePath = '/app/new/acme/site'

/** Creates a site with the form; returns its path. */
async function createSite(more: Record<string, string>): Promise<string> {
  const { text } = await owner.get(sitePath)
  const made = await owner.post(sitePath, { ...formIn(text, sitePath), ...more })
  assert.is(made.status, 303, made.text)
  return (made.headers.get('location') ?? '').replace(/#.*/, '')
}

test('the home page leads to a form that creates and publishes a site', async () => {
  assert.match((await owner.get('/app')).text, `href="${sitePath}"`)
  const spaceId = (await create({ title: 'Shown' })).split('/')[3] as string
  const to = await createSite({ title: 'Open <i>', space: spaceId, audience: 'public' })
  const id = to.split('/').at(-1)
  const { body } = await app.admin.get(`/v1/orgs/acme/sites/${id}`)
  assert.equal([body.title, body.visibility, body.published], ['Open <i>', 'public', true])
  assert.is((await fetch(body.urls.published)).status, 200)
  assert.match((await owner.get(to)).text, 'Everybody can read it.')
})

test('a site for members that is not published yet begins empty', async () => {
  const to = await createSite({ title: 'Inside', space: '', audience: 'members', publish: '' })
  const { body } = await app.admin.get(`/v1/orgs/acme/sites/${to.split('/').at(-1)}`)
  assert.equal([body.visibility, body.membersOnly, body.published], ['visitor-auth', true, false])
  assert.match((await owner.get(to)).text, 'Once it is published: members')
})

test('a site shows only spaces that its maker may place', async () => {
  const { text } = await owner.get(sitePath)
  const form = formIn(text, sitePath)
  const sent = { ...form, title: 'Foreign', audience: 'public' }
  assert.is((await owner.post(sitePath, { ...sent, space: 'nothing' })).status, 404)
  assert.is((await owner.post(sitePath, { ...sent, space: '', audience: 'all' })).status, 400)
  const writer = await signedIn(app.user('Una', 'edit').token)
  assert.is((await writer.get(sitePath)).status, 403)
  assert.not.match((await writer.get('/app')).text, sitePath)
})

test.run()
