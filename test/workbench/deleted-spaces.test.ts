import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { Browser } from '../support/http/browser.ts'
import { formIn } from './forms.ts'

const app = await startApp()
test.after(() => app.stop())
const list = '/app/deleted/acme'

async function signedIn(token: string): Promise<Browser> {
  const browser = new Browser(app.url)
  assert.is((await browser.signIn(token)).status, 303)
  return browser
}

test('an admin finds a deleted space from the list of spaces, and restores it', async () => {
  const owner = await signedIn(app.admin.token)
  assert.match((await owner.get(list)).text, /There is no deleted space here/)
  const { id } = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Old <b>' })).body
  await app.admin.delete(`/v1/spaces/${id}`)

  assert.ok((await owner.get('/app?list=spaces&of=acme')).text.includes(` href="${list}"`))
  const { text } = await owner.get(list)
  assert.match(text, /Old &lt;b>|Old &lt;b&gt;/)
  const restored = await owner.post(`${list}/${id}`, formIn(text, `${list}/${id}`))
  assert.equal([restored.status, restored.headers.get('location')], [303, list])
  assert.match((await owner.get(list)).text, /was restored/)
  assert.not((await app.admin.get(`/v1/spaces/${id}`)).body.deletedAt)
})

test('a long list has parts', async () => {
  const owner = await signedIn(app.admin.token)
  for (let n = 0; n < 51; n++) {
    const body = { title: `Space ${n}.`, empty: true }
    const { id } = (await app.admin.post('/v1/orgs/acme/spaces', body)).body
    await app.admin.delete(`/v1/spaces/${id}`)
  }
  const { text } = await owner.get(list)
  assert.ok(text.includes('Space 50.') && !text.includes('Space 0.'))
  const older = /href="([^"]*\/deleted\/acme\?after=[^"]*)"/.exec(text)?.[1] ?? ''
  assert.match((await owner.get(older.replaceAll('&amp;', '&'))).text, /Space 0\./)
  assert.is((await owner.get(`${list}?after=x`)).status, 400)
})

test('a member who is not an admin does not see it', async () => {
  const member = await signedIn(app.user('Max', 'create').token)
  assert.is((await member.get(list)).status, 403)
  assert.not((await member.get('/app?list=spaces&of=acme')).text.includes(list))
})

test.run()
