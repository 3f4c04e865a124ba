import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken } from '../../src/actions/people/create-token.ts'
import { putPermission } from '../../src/store/people/permissions.ts'
import { makeSpace } from '../api/change-requests/workbench.ts'
import { startApp } from '../support/app.ts'
import { readIndependently } from '../support/git/repo.ts'
import { Browser } from '../support/http/browser.ts'
import { publishedSite } from '../support/sites.ts'
import { formIn } from './forms.ts'

const app = await startApp()
const { admin } = app
test.after(() => app.stop())

const browserOf = async (token: string): Promise<Browser> => {
  const browser = new Browser(app.url)
  await browser.signIn(token)
  return browser
}

const start = {
  'README.md': '# Docs\n',
  'SUMMARY.md': '# Table of contents\n\n* [Docs](README.md)\n* [Install](install.md)\n',
}

/** Returns a space with one page of a text, a browser of somebody who may edit it, and what they do. */
async function writerOf(text: string, name: string) {
  const space = await makeSpace(app)
  await space.commit({ ...start, 'install.md': text })
  const { body: page } = await admin.get(`/v1/spaces/${space.id}/content/path/install`)
  const user = space.user(name, 'edit')
  const browser = await browserOf(user.token)
  const path = `/app/s/${space.id}/edit/${page.id}`
  const open = async (at = path) => formIn((await browser.get(at)).text, at)

  return {
    ...{ space, page: page.id as string, user, browser, path, open },
    /** Sends the form of the editor with other fields. */
    send: async (fields: Record<string, string>, at = path) =>
      browser.post(at, { ...(await open(at)), do: 'save', ...fields }),
    requests: async () =>
      (await admin.get(`/v1/spaces/${space.id}/change-requests?status=draft`)).body.items.concat(
        (await admin.get(`/v1/spaces/${space.id}/change-requests?status=open`)).body.items,
      ),
    textAt: async (revision: string, file = 'install.md') =>
      (await readIndependently(space.repo, revision, file)).toString(),
  }
}

const location = ({ headers }: { headers: Headers }) => headers.get('location') ?? ''

test('a page is edited without a script: opened, shown, saved in a new change request', async () => {
  const { path, browser, send, requests, textAt, space, page } = await writerOf(
    '---\ndescription: How\n---\n\n# Install\n\nText.\n',
    'Una',
  )
  const { status, text, headers } = await browser.get(path)
  assert.is(status, 200)
  assert.match(text, '<p>Text.</p>')
  assert.match(headers.get('content-security-policy')!, /style-src 'self' 'nonce-[\w+/=]+'/)
  const fields = formIn(text, path)
  assert.equal([fields.title, fields.description, fields.body], ['Install', 'How', 'Text.\n'])
  assert.is((await requests()).length, 0)

  const shown = await browser.post(path, { ...fields, body: 'Better **text**.', do: 'preview' })
  assert.is(shown.status, 200)
  assert.match(shown.text, '<strong>text</strong>')
  assert.is(formIn(shown.text, path).body, 'Better **text**.')
  assert.is((await requests()).length, 0)

  const saved = await send({ body: 'Better **text**.\n', message: 'Say it better' })
  assert.is(saved.status, 303)
  assert.is(location(saved), `/app/s/${space.id}/changes/1/edit/${page}`)
  const [request] = await requests()
  assert.is(request.status, 'draft')
  assert.is(
    await textAt(request.revision),
    '---\ndescription: How\n---\n\n# Install\n\nBetter **text**.\n',
  )
  assert.match((await browser.get(location(saved))).text, 'Saved in #1.')
  assert.is(location(await browser.get(path)), `/app/s/${space.id}/changes/1/edit/${page}`)
})

test('“Save and ask for review” opens a change request with a subject', async () => {
  const { send, requests, space } = await writerOf('# Install\n\nText.\n', 'Dua')
  const sent = await send({ body: 'Other.\n', do: 'review', message: 'Mend the text' })
  assert.is(location(sent), `/app/s/${space.id}/changes/1`)
  const [request] = await requests()
  assert.equal([request.status, request.subject], ['open', 'Mend the text'])
})

test('a draft becomes open when its review is asked for, with a subject from what changed', async () => {
  const { send, requests, space, page } = await writerOf('# Install\n\nText.\n', 'Tria')
  await send({ body: 'One.\n' })
  await send({ body: 'Two.\n', do: 'review' }, `/app/s/${space.id}/changes/1/edit/${page}`)
  const [request] = await requests()
  assert.equal([request.status, request.subject], ['open', 'Update Install'])
})

test('what was published directly needs the right to do so', async () => {
  const { send, textAt, space, user, page } = await writerOf('# Install\n\nText.\n', 'Quattuor')
  const sent = await send({ body: 'Direct.\n', do: 'publish' })
  assert.is(location(sent), `/app/s/${space.id}/p/${page}`)
  assert.match(await textAt((await space.head())!), 'Direct.')

  await admin.patch(`/v1/spaces/${space.id}`, { editMode: 'locked' })
  const refused = await send({ body: 'Again.\n', do: 'publish' })
  assert.is(refused.status, 403)
  assert.match(refused.text, 'The space is locked')
  assert.match(refused.text, 'Again.')
  assert.not.match(refused.text, 'Publish now')
  assert.ok(user.id)
})

test('two writers on one page: what fits is merged, and where both wrote, both texts are shown', async () => {
  const first = await writerOf('# Install\n\nOne.\n\nTwo.\n\nThree.\n', 'Quinque')
  const { space, page, path } = first
  await first.send({ body: 'One.\n\nTwo.\n\nThree.\n\nFour.\n' })
  const at = `/app/s/${space.id}/changes/1/edit/${page}`
  const looked = await first.open(at)
  const other = await browserOf(space.user('Sex', 'edit').token)
  const theirs = formIn((await other.get(at)).text, at)
  await other.post(at, { ...theirs, body: theirs.body!.replace('One', 'One of Sex'), do: 'save' })

  const fits = { ...looked, body: looked.body!.replace('Four', 'Five'), do: 'save' }
  assert.is((await first.browser.post(at, fits)).status, 303)
  const merged = await first.open(at)
  assert.is(merged.body, 'One of Sex.\n\nTwo.\n\nThree.\n\nFive.\n')

  const told = await first.browser.post(
    at,
    { ...looked, body: looked.body!.replace('Two.', '2.'), do: 'save' },
    { accept: 'application/json' },
  )
  assert.match(JSON.parse(told.text).fields.body, /^One of Sex\.\n\n2\.[\s\S]*Five/)

  const overlaps = { ...looked, body: looked.body!.replace('One', 'One of mine'), do: 'save' }
  const reply = await first.browser.post(at, overlaps)
  assert.is(reply.status, 409)
  assert.match(reply.text, /<h4>Yours<\/h4><pre tabindex="0">One of mine\.\n/)
  assert.match(reply.text, /<h4>Theirs<\/h4><pre tabindex="0">One of Sex\.\n/)
  const again = formIn(reply.text, at)
  assert.match(again.body!, /^One of mine\.\n\n2\.\n\nThree\.\n\nFive\./)
  assert.is((await first.browser.post(at, { ...again, do: 'save' })).status, 303)
  assert.ok(path)
})

test('a session that ends in the middle of writing loses nothing', async () => {
  const { open, browser, path, requests, user } = await writerOf('# Install\n\nText.\n', 'Septem')
  const fields = { ...(await open()), body: 'Long <text> & more.\n', do: 'save' }
  await browser.post('/sso/sign-out', { csrf: await browser.csrf() })
  const out = await browser.post(path, fields)
  assert.is(out.status, 401)
  assert.match(out.text, 'Long &lt;text> &amp; more.')
  const asked = await browser.post(path, fields, { accept: 'application/json' })
  assert.is(asked.status, 401)
  assert.match(JSON.parse(asked.text).error.message, 'Your session has ended')

  await browser.signIn(user.token)
  const later = await browser.post(path, fields, { accept: 'application/json' })
  assert.is(later.status, 403)
  const { csrf } = JSON.parse(later.text)
  const saved = await browser.post(path, { ...fields, csrf }, { accept: 'application/json' })
  assert.is(saved.status, 200)
  assert.is((await requests()).length, 1)
})

test('a role that was taken away between looking and sending keeps the text', async () => {
  const { open, browser, path, requests, user, space } = await writerOf('# Install\n', 'Octo')
  const fields = { ...(await open()), body: 'My words.\n', do: 'save' }
  putPermission(app.ctx.store, {
    target_kind: 'space',
    target_id: space.id,
    subject_kind: 'user',
    subject_id: user.id,
    role: 'read',
    created_at: space.row.created_at,
  })
  const refused = await browser.post(path, fields)
  assert.is(refused.status, 403)
  assert.match(refused.text, 'My words.')
  assert.is((await requests()).length, 0)
  assert.is((await browser.get(path)).status, 403)
})

test('lines keep their endings, tabs and a missing last one', async () => {
  const text = '# Install\r\n\r\nOne\r\n\tTwo  \r\nThree\nFour'
  const { open, browser, path, requests, textAt } = await writerOf(text, 'Novem')
  const fields = await open()
  const sent = { ...fields, body: fields.body!.replace('\tTwo', '\t2').replace(/\r?\n/g, '\r\n') }
  await browser.post(path, { ...sent, do: 'save' })
  const [request] = await requests()
  assert.is(await textAt(request.revision), text.replace('Two', '2'))
})

test('titles with markup are text everywhere, and a text may begin with a line break', async () => {
  const { browser, path, open, space } = await writerOf(
    '# <img src=x onerror=alert(1)> "&amp;\n\n</textarea><script>alert(1)</script>\n',
    'Decem',
  )
  const { text } = await browser.get(path)
  assert.not.match(text, '<img src=x')
  assert.not.match(text, '<script>alert')
  const fields = await open()
  assert.match(fields.body!, '</textarea><script>alert(1)</script>')
  const shown = await browser.post(path, { ...fields, body: '\n\nText', do: 'preview' })
  assert.is(formIn(shown.text, path).body, '\n\nText')
  assert.ok(space)
})

test('a script gets what changed as data, and a preview of what is not saved', async () => {
  const { browser, path, open, space, page } = await writerOf('# Install\n\nText.\n', 'Undecim')
  const fields = await open()
  const accept = { accept: 'application/json' }
  const shown = await browser.post(
    `${path}/preview`,
    { ...fields, body: '{% hint style="info" %}\n[Docs](README.md)\n{% endhint %}' },
    accept,
  )
  assert.is(shown.status, 200)
  const { html } = JSON.parse(shown.text)
  assert.match(html, 'class="hint info"')
  assert.match(html, `href="${app.url}/app/s/${space.id}/p/`)

  // What readers do not see is shown, and marked.
  const body = '{% if visitor.claims.beta %}\nOnly for some.\n{% endif %}\n'
  const some = await browser.post(`${path}/preview`, { ...fields, body }, accept)
  assert.match(
    JSON.parse(some.text).html,
    /Shown only if.*visitor\.claims\.beta.*Only for some\..*End of what/s,
  )

  const saved = await browser.post(path, { ...fields, body: 'New.\n', do: 'save' }, accept)
  const { to, revision, notice } = JSON.parse(saved.text)
  assert.equal([to, notice], [`/app/s/${space.id}/changes/1/edit/${page}`, 'Saved in #1.'])
  assert.match(revision, /^[0-9a-f]{40}$/)

  const found = await browser.get(`${path}/links?at=${revision}&q=doc`, accept)
  assert.equal(JSON.parse(found.text).items, [{ title: 'Docs', target: 'README.md', detail: '' }])
})

test('members who may edit find the editor on the page of a site, others do not', async () => {
  const { space, page, browser } = await writerOf('# Install\n\nText.\n', 'Vicesima')
  await publishedSite(app, [space.id], { visibility: 'public' })
  const { body: found } = await admin.get(`/v1/orgs/acme/sites`)
  const site = new URL(found.items[0].urls.published).pathname.replace(/\/?$/, '/')
  const href = `href="/app/s/${space.id}/edit/${page}"`
  assert.match((await browser.get(`${site}install`)).text, href)
  const reader = await browserOf(space.user('Lector', 'read').token)
  assert.not.match((await reader.get(`${site}install`)).text, href)
  assert.not.match((await new Browser(app.url).get(`${site}install`)).text, href)
})

test('what cannot be saved is said, with what was typed', async () => {
  const { open, browser, path } = await writerOf('# Install\n', 'Duodecim')
  const fields = { ...(await open()), body: 'Words.\n', do: 'save' }
  const rows: [Record<string, string>, number][] = [
    [{ revision: 'x' }, 400],
    [{ revision: '0'.repeat(40) }, 404],
    [{ to: '99' }, 404],
    [{ title: 'x'.repeat(301) }, 400],
    [{ do: 'nothing' }, 400],
    [{ icon: 'a\u0007' }, 400],
  ]
  for (const [odd, status] of rows) {
    const reply = await browser.post(path, { ...fields, ...odd })
    assert.is(reply.status, status, JSON.stringify(odd))
    assert.match(reply.text, 'Words.')
  }
})

test('a page of 2 MB is edited, and shown only when it is saved', async () => {
  const line = `${'Some words of a long page. '.repeat(8)}\n\n`
  const text = line.repeat(Math.ceil(2_000_000 / line.length))
  const { open, browser, path, requests, textAt } = await writerOf(
    `# Install\n\n${text}`,
    'Tredecim',
  )
  const { text: shown } = await browser.get(path)
  assert.match(shown, 'too long to be shown')
  const fields = await open()
  assert.is(fields.body, text)
  const sent = await browser.post(path, { ...fields, body: `Short.\n\n${text}`, do: 'save' })
  assert.is(sent.status, 303)
  const [request] = await requests()
  assert.is(await textAt(request.revision), `# Install\n\nShort.\n\n${text}`)
})

test('the session of a token with fewer scopes does what these allow', async () => {
  const { path, user, page, space } = await writerOf('# Install\n\nText.\n', 'Few')
  const sessionWith = async (...scopes: ('content:read' | 'change-requests:write')[]) => {
    const order = { userId: user.id, name: 'few', scopes }
    return browserOf(createToken(app.ctx.store, order, app.ctx.now()).secret)
  }
  const reader = await sessionWith('content:read')
  assert.is((await reader.get(`/app/s/${space.id}/p/${page}`)).status, 200)
  assert.is((await reader.get(`/app/s/${space.id}/changes`)).status, 403)

  // The form can publish, too.
  const proposer = await sessionWith('content:read', 'change-requests:write')
  const form = formIn((await proposer.get(path)).text, path)
  const { status, text } = await proposer.post(path, { ...form, do: 'publish', body: 'New.' })
  assert.is(status, 403)
  assert.match(text, 'content:write')
})

test.run()
