import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { paragraph } from '../../api/change-requests/workbench.ts'
import type { Actor } from '../../support/app.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { Browser } from '../../support/http/browser.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

const app = await siteApp()
const { admin } = app
test.after(() => app.stop())

const summary =
  '# Table of contents\n\n* [Home](README.md)\n* [Install](install.md)\n* [Many](many.md)\n* [Hostile](hostile.md)\n* [Old](old.md)\n* [Long](long.md)\n'
const { base, space, site } = await insertPublicSite(app, {
  'README.md': '# Home\n\nWelcome.\n',
  'SUMMARY.md': summary,
  'install.md':
    '# Install\n\n## Before\n\nRun it.\n\n## Gone\n\nText.\n\n## After\n\nLast words.\n',
  'many.md': '# Many\n\nText.\n',
  'long.md': '# Long\n\nText.\n',
  'old.md': '# Old\n\nOld words.\n',
  'hostile.md': '# Hostile\n\n## Part\n\nText.\n',
})
const api = `/v1/spaces/${space}`
const { body: request } = await admin.post(`${api}/change-requests`, { subject: 'Better' })
const inRequest = `${api}/change-requests/${request.number}`
const scope = `~/changes/${request.number}/`
await commitFiles(
  spaceRepository(app.ctx, space),
  { 'install.md': '# Install\n\n## Before\n\nRun it now.\n\n## After\n\nLast words.\n' },
  { ref: `refs/heads/change-requests/${request.number}` },
)

const reader = app.user('Mia', 'read')
const cora = app.user('Cora', 'comment')
const member = new Browser(app.url)
test.before(async () => {
  await member.signIn(reader.token)
})
const open = (path: string, cookie = member.cookie) => openPage(app, base + path, { cookie })

const idOf = async (path: string): Promise<string> =>
  (await admin.get(`${inRequest}/content/path/${path}`)).body.id

async function post(by: Actor, markdown: string, more: object = {}, at = inRequest) {
  const posted = await by.post(`${at}/comments`, { body: { markdown }, ...more })
  assert.is(posted.status, 200, posted.text)
  return posted.body as { id: string; postedAt: string }
}

/** The sections of comments of a page, in order. */
const sectionsIn = (html: string): string[] =>
  html.match(/<section class="prose comments"[\s\S]*?<\/section>/g) ?? []

test('comments stand below the blocks that they were made on, and others at the foot of the page', async () => {
  const page = await idOf('install')
  const first = await post(cora, 'About *before*', { page, node: 'before' })
  await post(cora, 'About all of it', { page })
  await post(cora, 'About what is gone', { page, node: 'gone' })
  await post(cora, 'About a cell', { page, tableCell: { record: 'r', definition: 'd' } })
  await post(cora, 'Elsewhere', { page: await idOf('many') })
  await post(cora, 'Of no page')
  await post(cora, 'In the space', { page }, api)

  for (const marks of ['', '?marks=0']) {
    const { status, text } = await open(`${scope}install${marks}`)
    assert.is(status, 200)
    const [placed = '', foot = '', ...others] = sectionsIn(text)
    assert.equal(others, [])
    assert.match(
      text,
      /id="before"[\s\S]*?<\/h2>(?:<\/div>)?\s*<section[\s\S]*?<\/section>\s*<(?:p|div)/,
    )
    assert.ok(text.indexOf('</section>') < text.indexOf('Last words'))
    assert.match(placed, `aria-labelledby="~comments-${first.id}"><h3 id="~comments-${first.id}">`)
    assert.match(placed, `<li id="~comment-${first.id}">`)
    assert.match(placed, `<b>Cora</b> <time datetime="${first.postedAt}">`)
    assert.match(placed, 'About <em>before</em>')
    assert.match(
      foot,
      /<h2 id="~comments">Comments on this page<\/h2>[\s\S]*About all of it[\s\S]*cannot be found now[\s\S]*About what is gone[\s\S]*About a cell/,
    )
    assert.not.match(text, /Elsewhere|Of no page|In the space/)
  }
})

test('comments on the change request as a whole stand where it begins', async () => {
  const { id } = await post(cora, 'All in all', { node: 'before' })
  const [foot = '', ...others] = sectionsIn((await open(scope)).text)
  assert.equal(others, [])
  assert.match(foot, /<h2 id="~comments-request">Comments on the change request as a whole<\/h2>/)
  assert.match(foot, `<li id="~comment-${id}">`)
  assert.not.match((await open(`${scope}install`)).text, 'All in all')
})

test('a page that the change request removes shows the comments on it', async () => {
  await post(cora, 'Why is it removed?', { page: await idOf('old') })
  await commitFiles(
    spaceRepository(app.ctx, space),
    { 'SUMMARY.md': summary.replace('* [Old](old.md)\n', ''), 'old.md': null },
    { ref: `refs/heads/change-requests/${request.number}` },
  )
  const { status, text } = await open(`${scope}old`)
  assert.is(status, 200)
  assert.match(sectionsIn(text).join(), 'Why is it removed?')
})

test('a comment shows its replies, that it was edited, and who resolved it', async () => {
  const page = await idOf('readme')
  const { id } = await post(cora, 'First words', { page })
  const at = `${inRequest}/comments/${id}`
  await cora.put(at, { body: { markdown: 'Other words' } })
  assert.not.match((await open(scope)).text, 'Resolved by')
  await admin.put(at, { resolved: true })

  for (let number = 1; number <= 22; number++) {
    const words = `Answer ${number}.`
    const body = number === 1 ? { document: paragraph(words) } : { markdown: words }
    const reply = await admin.post(`${at}/replies`, { body })
    assert.is(reply.status, 200, reply.text)
  }

  const [foot = ''] = sectionsIn((await open(scope)).text)

  assert.match(
    foot,
    /<details><summary>Resolved by Ada, [\s\S]*<\/time> \(edited\)[\s\S]*Other words/,
  )
  assert.match(
    foot,
    /<ol class="plain replies" aria-label="Replies">[\s\S]*<b>Ada<\/b>[\s\S]*Answer 1\./,
  )
  assert.is(foot.match(/Answer \d+\./g)?.length, 20)
  assert.match(foot, 'Replies that are not shown: 2.')
})

test('a comment brings nothing into the page but text and links', async () => {
  const page = await idOf('hostile')
  const texts = [
    '<script>alert(1)</script><img src="https://other.example/a.png" onerror="alert(1)" alt="Picture">',
    '[bad](javascript:alert(1)) and [good](https://other.example/) and [page](install.md)',
    '# Hostile\n\n## Part\n\n<h2 id="part">Part</h2>\n\n<p id="~content" style="color:red">styled</p>',
    '---\nfront: matter\n---\n\n```mermaid\ngraph\n```\n\n{% include "README.md" %}\n\n</div></section><b>open',
    '{% embed url="https://other.example/video" %}\n\n| a |\n| - |\n| <iframe src="https://other.example/"></iframe> |',
    'A note[^1].\n\n[^1]: Text of it.',
  ]
  for (const text of texts) await post(cora, text, { page, node: 'part' })
  const { text } = await open(`${scope}hostile`)
  const [placed = ''] = sectionsIn(text)

  assert.is(placed.match(/<li id="~comment-/g)?.length, texts.length)
  assert.not.match(placed, /<script|<img|<iframe|onerror=|javascript:|style=|mermaid|role="doc/)
  assert.match(placed, '<a href="https://other.example/a.png" rel="noopener nofollow">Picture</a>')
  assert.match(placed, `<a href="${base}${scope}install">page</a>`)
  assert.match(placed, '<p>[^1]: Text of it.</p>')
  assert.match(placed, /<strong>Part<\/strong>[\s\S]*front: matter[\s\S]*<b>open<\/b>/)
  const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
  assert.is(new Set(ids).size, ids.length)
})

test('a page shows 100 comments, open ones first, and says how many there are beside them', async () => {
  const page = await idOf('many')
  const resolved = await post(cora, 'Resolved one', { page })
  await admin.put(`${inRequest}/comments/${resolved.id}`, { resolved: true })
  // One more is on the page already.
  for (let number = 1; number <= 100; number++) await post(cora, `Number ${number}.`, { page })
  const [foot = ''] = sectionsIn((await open(`${scope}many`)).text)
  const shown = [...foot.matchAll(/Number (\d+)\./g)].map(([, number]) => Number(number))

  assert.equal(
    shown,
    Array.from({ length: 100 }, (_, at) => at + 1),
  )
  assert.not.match(foot, 'Resolved one')
  assert.match(foot, 'Comments that are not shown: 2.')
})

test('a page shows fewer posts with long bodies, also where little of them is text', async () => {
  const page = await idOf('long')
  const long = (words: string) => ({
    document: { ...paragraph(words), data: { schemaVersion: 10, note: 'x'.repeat(90_000) } },
  })
  const ids: string[] = []
  for (let number = 1; number <= 12; number++) {
    const posted = await cora.post(`${inRequest}/comments`, { body: long(`Long ${number}.`), page })
    assert.is(posted.status, 200, posted.text)
    ids.push(posted.body.id)
  }
  const foot = async () => sectionsIn((await open(`${scope}long`)).text).join()
  const shown = (html: string, words: RegExp) => [...html.matchAll(words)].map(([, at]) => at)
  const without = await foot()

  assert.equal(shown(without, /Long (\d+)\./g), ['8', '9', '10', '11', '12'])
  assert.match(without, 'Comments that are not shown: 7.')

  for (let number = 1; number <= 12; number++) {
    const body = long(`Reply ${number}.`)
    const reply = await cora.post(`${inRequest}/comments/${ids.at(-1)}/replies`, { body })
    assert.is(reply.status, 200, reply.text)
  }

  const answered = await foot()

  assert.equal(shown(answered, /Long (\d+)\./g), ['12'])
  assert.equal(shown(answered, /Reply (\d+)\./g), ['1', '2', '3', '4'])
  assert.match(answered, 'Replies that are not shown: 8.')
  assert.match(answered, 'Comments that are not shown: 11.')
})

test('only members who may read comments see them, and only in the change request', async () => {
  const shown = async (path: string, cookie?: string) => {
    const page = await open(path, cookie)
    return [page.status, sectionsIn(page.text).length]
  }
  assert.equal(await shown(`${scope}install`), [200, 2])
  assert.equal(await shown('install'), [200, 0])
  assert.equal(await shown(`${scope}install`, ''), [401, 0])
  const { body: token } = await admin.post('/v1/user/tokens', {
    name: 'without comments',
    scopes: ['content:read', 'change-requests:read'],
  })
  const limited = new Browser(app.url)
  await limited.signIn(token.token)

  assert.equal(await shown(`${scope}install`, limited.cookie), [200, 0])
})

test('people with a preview link, and those with the address of a preview, see no comments', async () => {
  const link = await admin.post(`${inRequest}/preview-links`, { site })
  assert.is(link.status, 201, link.text)
  const preview = await admin.get(`/v1/orgs/acme/sites/${site}/publishing/preview`)
  assert.is(preview.status, 200, preview.text)

  for (const url of [link.body.url, preview.body.url] as string[]) {
    const browser = new Browser(app.url)
    const arrived = await browser.get(url.slice(app.url.length))
    assert.is(arrived.status, 303)
    const path = `/~preview/${site}/${scope}install`
    const page = await browser.get(path)

    assert.is(page.status, 200, path)
    assert.match(page.text, 'Run it')
    assert.equal(sectionsIn(page.text), [])
    assert.not.match(page.text, 'About all of it')
  }
})

test.run()
