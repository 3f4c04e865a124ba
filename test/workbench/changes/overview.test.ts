import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { startApp } from '../../support/app.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { Browser } from '../../support/http/browser.ts'
import { formIn } from '../forms.ts'

const app = await startApp()
test.after(() => app.stop())

const ada = app.user('Lea', 'edit')
const grace = app.user('Grace', 'review')
const mia = app.user('Mia', 'read')
const browserOf = async ({ token }: { token: string }): Promise<Browser> => {
  const browser = new Browser(app.url)
  await browser.signIn(token)
  return browser
}
const [asAda, asGrace, asMia] = await Promise.all([ada, grace, mia].map(browserOf))

const { body: space } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Handbook' })
const list = `/app/s/${space.id}/changes`
const repo = spaceRepository(app.ctx, space.id)
await commitFiles(repo, {
  'README.md': '# Home\n\nWelcome.\n\n[Old](old.md)\n',
  'SUMMARY.md': '# Summary\n\n* [Home](README.md)\n* [Install](install.md)\n* [Old way](old.md)\n',
  'install.md': '# Install\n\nRun npm i.\n\nThen start it.\n\nLast.\n',
  'old.md': '# Old way\n\nText.\n',
})

/** Opens a page and returns its HTML. */
async function open(browser: Browser, path: string, status = 200): Promise<string> {
  const page = await browser.get(path)
  assert.is(page.status, status, page.text)
  return page.text
}

/** Fills in and sends a form of a page. Returns the page that it leads to. */
async function send(
  browser: Browser,
  page: string,
  action: string,
  fields: Record<string, string> = {},
  name = '',
): Promise<string> {
  const form = formIn(await open(browser, page), action, name)
  const sent = await browser.post(action, { ...form, ...fields })
  assert.is(sent.status, 303, sent.text)
  return (sent.headers.get('location') ?? '').replace(app.url, '')
}

const ref = (number: number) => `refs/heads/change-requests/${number}`

test('a change request is opened, described, discussed, approved and merged in a browser', async () => {
  const empty = await open(asAda!, list)
  assert.match(empty, 'No change requests yet.')

  const path = await send(asAda!, list, list, { subject: 'How to <b>install</b>' })
  assert.is(path, `${list}/1`)
  await commitFiles(
    repo,
    {
      'SUMMARY.md': '# Summary\n\n* [Home](README.md)\n* [Set up](install.md)\n* [New](new.md)\n',
      'install.md': '# Install\n\nRun npm ci.\n\nThen start it.\n\nLast.\n',
      'new.md': '# New\n\nText.\n',
      'old.md': null,
    },
    { ref: ref(1) },
  )

  await send(asAda!, path, `${path}/text`, { description: 'Because *readers* asked.' })
  const html = await open(asAda!, path)
  assert.match(html, 'How to &lt;b>install&lt;/b>')
  assert.match(html, 'Because <em>readers</em> asked.')
  assert.match(html, /renamed from “Install”, 1 block edited/)
  assert.match(html, 'new page')
  assert.match(html, 'removed; 1 page still links to it')
  assert.match(html, 'Merge: changes 3 pages')

  await send(asAda!, path, `${path}/reviewers`, { user: grace.id })
  assert.match(await open(asAda!, path), 'has not reviewed')
  assert.match(await open(asGrace!, `${list}?review=me`), 'How to &lt;b>install')

  await send(asGrace!, path, `${path}/review`, { text: 'Why **ci**?' })
  const [, comment] = /id="comment-([^"]+)"/.exec(await open(asAda!, path)) ?? []
  assert.match(await open(asAda!, path), 'Why <strong>ci</strong>?')
  await send(
    asAda!,
    path,
    `${path}/comments/${comment}`,
    { text: 'It is exact.', do: 'reply' },
    `answer-${comment}`,
  )
  assert.match(await open(asGrace!, path), 'It is exact.')
  await send(asGrace!, path, `${path}/comments/${comment}`, { do: 'resolve' }, `settle-${comment}`)
  assert.match(await open(asGrace!, path), 'Resolved by Grace')

  await send(asGrace!, path, `${path}/review`, { do: 'approved', text: 'Reads well.' })
  assert.match(await open(asAda!, path), 'approved')
  assert.match(await open(asAda!, list), 'Approved')

  await send(asAda!, path, `${path}/merge`)
  assert.match(await open(asAda!, path), /Merged by Lea/)
  assert.match(await open(asAda!, `${list}?status=merged`), 'How to &lt;b>install')
})

test('what was looked at is what is merged and approved', async () => {
  const path = await send(asAda!, list, list, { subject: 'Moves' })
  const form = formIn(await open(asGrace!, path), `${path}/review`)
  const merge = formIn(await open(asAda!, path), `${path}/merge`)
  await commitFiles(repo, { 'install.md': '# Install\n\nOther.\n' }, { ref: ref(2) })

  const late = await asGrace!.post(`${path}/review`, { ...form, do: 'approved', text: 'My words' })
  assert.is(late.status, 409)
  assert.match(late.text, 'The change request has changed.')
  assert.match(late.text, 'My words')

  const lateMerge = await asAda!.post(`${path}/merge`, merge)
  assert.is(lateMerge.status, 409)
  assert.is((await app.admin.get(`/v1/spaces/${space.id}/change-requests/2`)).body.status, 'open')
})

test('a change request is closed, opened again, and made a draft', async () => {
  const path = `${list}/2`
  await send(asAda!, path, `${path}/status`, { status: 'archived' }, 'archived')
  assert.match(await open(asAda!, path), 'Closed without merging.')
  await send(asAda!, path, `${path}/status`, { status: 'open' }, 'open')
  assert.match(await open(asAda!, path), 'reopened it')
  await send(asAda!, path, `${path}/status`, { status: 'draft' }, 'draft')
  assert.match(await open(asAda!, `${list}?status=draft`), 'Moves')
})

test('readers see no forms, and their forms are refused', async () => {
  const path = `${list}/2`
  const html = await open(asMia!, path)
  assert.not.match(html, `action="${path}/merge"`)
  assert.not.match(html, `action="${path}/review"`)
  const { csrf } = formIn(html, '/sso/sign-out')
  for (const [name, fields] of [
    ['merge', { revision: 'x' }],
    ['review', { do: 'comment', text: 'x', revision: 'x' }],
    ['status', { status: 'archived' }],
    ['text', { subject: 'x', description: '' }],
    ['update', {}],
    ['reviewers', { user: mia.id }],
  ] as const) {
    const { status } = await asMia!.post(`${path}/${name}`, { csrf: csrf!, ...fields })
    assert.is(status, 403, name)
  }
})

test('a number in the search leads to the change request, and an id in the address to its number', async () => {
  const { headers } = await asAda!.get(`${list}?q=%232`)
  assert.match(headers.get('location') ?? '', /\/changes\/2$/)
  const { id } = (await app.admin.get(`/v1/spaces/${space.id}/change-requests/2`)).body
  const other = await asAda!.get(`${list}/${id}`)
  assert.match(other.headers.get('location') ?? '', /\/changes\/2$/)
  assert.match(await open(asAda!, `${list}?status=draft&q=MOV`), 'Moves')
  assert.match(await open(asAda!, `${list}?q=nothing`), 'Nothing here that matches')
  await open(asAda!, `${list}/99`, 404)
})

test('a page shows its changes in three ways, and comments at the block that they were made on', async () => {
  const path = await send(asAda!, list, list, { subject: 'Words' })
  const head = ref(Number(path.split('/').at(-1)))
  await commitFiles(
    repo,
    { 'install.md': '# Install\n\nRun yarn at once.\n\nOther.\n' },
    { ref: head },
  )
  const first = await asGrace!.get(`${path}/pages`)
  const own = (first.headers.get('location') ?? '').replace(app.url, '')
  assert.match(own, `${path}/pages/`)
  const marked = await open(asGrace!, own)
  assert.match(marked, /<(?:ins|div class="change)/)
  assert.match(await open(asGrace!, `${own}?view=side`), 'Side by side')
  assert.match(await open(asGrace!, `${own}?view=source`), /<ins>[^<]*yarn/)

  const [, key] = /\?at=([\w-]+)"/.exec(marked) ?? []
  const form = `${own}/comments`
  const posted = await send(asGrace!, `${own}?at=${key}`, form, { text: 'This *word*?' }, key)
  assert.match(posted, '#comment-')
  assert.match(await open(asAda!, own), 'This <em>word</em>?')
  assert.match(await open(asAda!, path), 'This <em>word</em>?')

  await commitFiles(repo, { 'install.md': '# Install\n\nOnly this.\n' }, { ref: head })
  const later = await open(asAda!, own)
  assert.match(later, 'On an earlier revision')
  assert.match(later, 'This <em>word</em>?')
})

test('long unchanged runs of blocks are folded, side by side too', async () => {
  const blocks = Array.from({ length: 12 }, (_, at) => `Block ${at}.`)
  const text = (lines: string[]) => `# Long\n\n${lines.join('\n\n')}\n`
  await commitFiles(repo, { 'install.md': text(blocks) })
  const path = await send(asAda!, list, list, { subject: 'Block 5' })
  const changed = blocks.map((words, at) => (at === 5 ? `${words} More.` : words))
  const head = ref(Number(path.split('/').at(-1)))
  await commitFiles(repo, { 'install.md': text(changed) }, { ref: head })
  const first = await asGrace!.get(`${path}/pages`)
  const own = (first.headers.get('location') ?? '').replace(app.url, '')
  const foldsOf = (html: string) =>
    [...html.matchAll(/<summary>(\d+ blocks unchanged)<\/summary>/g)].map(([, said]) => said)
  const marked = foldsOf(await open(asGrace!, own))
  const sides = await open(asGrace!, `${own}?view=side`)
  assert.ok(marked.length === 2, String(marked))
  assert.equal(foldsOf(sides), marked)
  // The blocks next to the change are not folded.
  const [, between = ''] = sides.split('</details>')
  for (const at of [4, 5, 6]) assert.match(between, `Block ${at}.`)
})

test('a form that is refused is not folded', async () => {
  const path = await send(asAda!, list, list, { subject: 'Words' })
  const to = `${path}/text`
  const fields = formIn(await open(asAda!, path), to)
  const refused = await asAda!.post(to, { ...fields, subject: 'x'.repeat(200) })
  assert.is(refused.status, 400)
  assert.match(refused.text, /<details class="edit-text" open/)
  const created = await asAda!.post(list, {
    ...formIn(await open(asAda!, list), list),
    subject: '',
  })
  assert.match(created.text, /<details class="drop" open/)
  assert.not.match(await open(asAda!, path), /<details class="edit-text" open/)
})

test.run()
