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

test.run()
