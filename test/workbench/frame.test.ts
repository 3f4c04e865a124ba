import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Admission } from '../../src/http/limits/admission.ts'
import { Throttles } from '../../src/http/limits/throttles.ts'
import { serveSignIn } from '../../src/sign-in/serve.ts'
import { serveTable } from '../../src/workbench/frame/serve.ts'
import { startApp } from '../support/app.ts'
import { Browser } from '../support/http/browser.ts'
import { formIn } from './forms.ts'
import { sampleTable } from './sample-table.tsx'

const app = await startApp()
const server = express()
const listening = server.set('query parser', 'simple').listen(0, '127.0.0.1')
await once(listening, 'listening')
const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
const ctx = { ...app.ctx, publicUrl: () => url }
const throttles = new Throttles(ctx)
serveSignIn(server, ctx, throttles)
serveTable(server, { ctx, throttles, admission: new Admission() }, sampleTable)
test.after(async () => {
  listening.closeAllConnections()
  listening.close()
  await app.stop()
})

const title = '<script>alert(1)</script> & "more"'
const { body: made } = await app.admin.post('/v1/orgs/acme/spaces', { title })
const path = `/app/s/${made.id}`
const browserOf = async (token: string): Promise<Browser> => {
  const browser = new Browser(url)
  await browser.signIn(token)
  return browser
}
const editor = await browserOf(app.user('Eve', 'edit').token)
const typed = { title: 'New', why: 'it\nis & <better>' }

test('a page has the policy of the workbench, and titles with markup are text', async () => {
  const { status, headers, text } = await editor.get(path)
  assert.is(status, 200)
  assert.not.match(text, '<script>alert')
  assert.match(text, '&lt;script>alert(1)&lt;/script> &amp; &quot;more&quot;')
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, "default-src 'none'; script-src 'self' 'sha256-")
  assert.match(policy, "form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
  assert.is(headers.get('cache-control'), 'private, no-store')
  // A search engine has no session: it is led to the sign-in.
  assert.is(headers.get('x-robots-tag'), null)
})

test('without a session, every address leads to the sign-in, which returns to it', async () => {
  const stranger = new Browser(url)
  for (const asked of [`${path}?a=b`, '/app/s/none', '/app/none']) {
    const { status, headers } = await stranger.get(asked)
    assert.equal(
      [status, headers.get('location')],
      [303, `${url}/sso/sign-in?${new URLSearchParams({ return_to: asked })}`],
    )
  }
  const token = app.user('Rita', 'read').token
  const back = await stranger.signIn(token, { return_to: path })
  assert.equal([back.status, back.headers.get('location')], [303, url + path])
})

test('a form leads to a page that says once what was done', async () => {
  const fields = formIn((await editor.get(path)).text, `${path}/title`)
  const sent = await editor.post(`${path}/title`, { ...fields, ...typed })
  assert.equal([sent.status, sent.headers.get('location')], [303, path])
  const { text } = await editor.get(path)
  assert.match(text, 'Renamed, because it\nis &amp; &lt;better>')
  assert.match(text, '<h1>New</h1>')
  assert.not.match((await editor.get(path)).text, 'Renamed')
})

test('a form with problems is shown again, with what was typed and a sentence at each field', async () => {
  const { csrf = '' } = formIn((await editor.get(path)).text, `${path}/title`)
  const rows: [string, number, RegExp][] = [
    ['', 400, /<p class="problem" id="s-\w+-title-title-problem">\w/],
    ['Taken', 400, /<p class="problem"[^>]*>Is taken\.</],
    ['Locked', 409, /role="alert">The space is locked\.</],
  ]

  for (const [wrong, status, said] of rows) {
    const reply = await editor.post(`${path}/title`, { csrf, ...typed, title: wrong })
    assert.is(reply.status, status, wrong)
    assert.match(reply.text, said)
    assert.equal(formIn(reply.text, `${path}/title`), { csrf, ...typed, title: wrong })
  }
})

test('lists, choices and boxes keep what was chosen', async () => {
  const { text } = await editor.get('/app/parts')
  const { csrf = '' } = formIn(text, '/app/parts', 'second')
  assert.match(text, /<option value="b" selected[ />]/)
  assert.match(text, /value="a" checked[ />]/)
  assert.match(text, /name="box" checked[ />]/)
  assert.match(text, '1 Jan 2026')
  const sent = { csrf, form: 'second', list: 'a', choice: 'b' }
  const { text: again } = await editor.post('/app/parts', sent)
  assert.match(again, 'Not now.')
  assert.match(again, /<option value="a" selected[ />]/)
  assert.match(again, /value="b" checked[ />]/)
  assert.not.match(again, /name="box" checked/)
  const { status, headers } = await editor.get('/app/parts?to=/elsewhere')
  assert.equal([status, headers.get('location')], [303, '/app/elsewhere'])
})

test('what was typed stands on the page if the page has no such form any more', async () => {
  const csrf = await editor.csrf()
  const { status, text } = await editor.post('/app/elsewhere/gone', { csrf, text: 'Long <b>' })
  assert.is(status, 409)
  assert.match(text, 'Too late.')
  assert.match(text, 'Nothing to send here.')
  assert.match(text, 'value="Long &lt;b>"')
})

test('what was typed stands on a page of its own if that of the form leads elsewhere', async () => {
  const csrf = await editor.csrf()
  const { status, text } = await editor.post('/app/elsewhere/moved', { csrf, text: 'Long <b>' })
  assert.is(status, 409)
  assert.match(text, 'Too late.')
  assert.match(text, 'Long &lt;b>')
})

test('forms of other origins and frames are refused and do nothing', async () => {
  const csrf = await editor.csrf()
  const rows: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: '' },
    { origin: url, 'sec-fetch-site': 'cross-site' },
  ]
  for (const headers of rows) {
    const reply = await editor.post(`${path}/title`, { csrf, ...typed, title: 'Evil' }, headers)
    assert.is(reply.status, 403)
    assert.not.match((await editor.get(path)).text, 'Evil')
  }
  const put = await fetch(url + path, { method: 'PUT', headers: { cookie: editor.cookie } })
  assert.is(put.status, 403)
})

test('a form without the token of the session asks once more, with what was typed', async () => {
  for (const csrf of ['', 'x'.repeat(43)]) {
    const asked = await editor.post(`${path}/title`, { csrf, ...typed, title: 'Again' })
    assert.is(asked.status, 403)
    assert.match(asked.text, 'Nothing was done yet')
    const fields = formIn(asked.text, `${path}/title`)
    assert.is(fields.why, typed.why)
    const sent = await editor.post(`${path}/title`, fields)
    assert.is(sent.status, 303)
    assert.match((await editor.get(path)).text, '<h1>Again</h1>')
  }
})

test('a session that ended while somebody wrote loses nothing', async () => {
  const browser = await browserOf(app.user('Sam', 'edit').token)
  const fields = formIn((await browser.get(path)).text, `${path}/title`)
  await browser.post('/sso/sign-out', { csrf: fields.csrf ?? '' })
  const lost = await browser.post(`${path}/title`, { ...fields, ...typed, title: 'Late' })
  assert.is(lost.status, 401)
  assert.match(lost.text, 'You were signed out')
  const kept = formIn(lost.text, `${path}/title`)
  assert.equal({ title: kept.title, why: kept.why }, { ...typed, title: 'Late' })

  await browser.signIn(app.user('Sue', 'edit').token)
  const asked = await browser.post(`${path}/title`, kept)
  assert.is(asked.status, 403)
  assert.match(asked.text, 'Send it as Sue')
  assert.is((await browser.post(`${path}/title`, formIn(asked.text, `${path}/title`))).status, 303)
  assert.match((await browser.get(path)).text, '<h1>Late</h1>')
})

test('refusals help: who gives the role, what was typed, and the way back', async () => {
  const reader = await browserOf(app.user('Ron', 'read').token)
  const { csrf = '' } = formIn((await reader.get(path)).text, `${path}/title`)
  const refused = await reader.post(`${path}/title`, { csrf, ...typed })
  assert.is(refused.status, 403)
  assert.match(
    refused.text,
    /needs the role &quot;edit&quot; in the space; yours is &quot;read&quot;/,
  )
  assert.match(refused.text, 'Admins of Acme give roles: Ada.')
  assert.match(refused.text, /is &amp; &lt;better>/)
  assert.match(refused.text, `href="${path}"`)

  const outsider = await browserOf(app.user('Stan').token)
  const hidden = await outsider.get(path)
  const none = await outsider.get('/app/s/none')
  assert.equal([hidden.status, none.status], [404, 404])
  assert.is(hidden.text.replaceAll(made.id, 'none').length, none.text.length)
  const unknown = await reader.get('/app/nowhere')
  assert.is(unknown.status, 404)
})

test('large forms and failures of the server are answered with a page', async () => {
  const csrf = await editor.csrf()
  const large = await editor.post(`${path}/title`, { csrf, title: 'x'.repeat(6_000), why: '' })
  assert.is(large.status, 413)
  const broken = await editor.post(`${path}/title`, { csrf, ...typed, title: 'Broken' })
  assert.is(broken.status, 500)
  assert.match(broken.text, 'What you typed')
  assert.not.match(broken.text, 'at act')
})

test('style and script stay under their names', async () => {
  const { text } = await editor.get(path)
  const names = [...text.matchAll(/(?:href|src)="(\/app\/assets\/[^"]+)"/g)].map(
    ([, name]) => name!,
  )
  assert.is(names.length, 2)
  for (const name of names) {
    const { status, headers } = await new Browser(url).get(name)
    assert.is(status, 200)
    assert.match(headers.get('cache-control') ?? '', 'immutable')
  }
  assert.is((await new Browser(url).get('/app/assets/none.css')).status, 404)
})

test.run()
