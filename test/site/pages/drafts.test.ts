import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { jobs } from '../../../src/jobs/all.ts'
import { updateSiteSpace } from '../../../src/store/sites/site-spaces.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { Browser } from '../../support/http/browser.ts'
import { send } from '../../support/http/send.ts'
import { publishedSite, readerOf } from '../../support/sites.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

const app = await siteApp()
const { admin, ctx } = app
test.after(() => app.stop())

const files = {
  'README.md': '# Home\n\nOpenword. See [the plan](plan/README.md).\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [Planword](plan/README.md)\n  * [Belowword](plan/below.md)\n* [Open](open.md)\n',
  'open.md': '# Open\n\nOpenword.\n',
  'plan/README.md': '---\ndraft: true\n---\n\n# Planword\n\nDraftword text.\n',
  'plan/below.md': '# Belowword\n\nDraftword below.\n',
}
const secret = /Draftword|Planword|Belowword/

const { base, site, space } = await insertPublicSite(app, files)
await jobs['index-search']!(
  ctx,
  { spaceId: space },
  { signal: new AbortController().signal, attempt: 1 },
)
const memberCookie = async (name = 'Mia'): Promise<string> => {
  const browser = new Browser(app.url)
  assert.is((await browser.signIn(app.user(name, 'read').token)).status, 303)
  return browser.cookie
}
const draft = (await admin.get(`/v1/spaces/${space}/content/path/plan`)).body
assert.is(draft.draft, true)

const search = '~gitbook/search?q=draftword'

test('a draft, and what is below it, is on no path of a site and of its readers', async () => {
  const paths = ['', 'open', search, 'sitemap.md', 'sitemap-pages.xml', 'llms.txt']
  for (const path of [...paths, 'llms-full.txt', 'rss.xml', 'README.md']) {
    const page = await openPage(app, base + path)
    assert.is(page.status, 200, path)
    // The page says what was searched.
    assert.not.match(page.text.replaceAll('draftword', ''), secret, path)
  }

  for (const path of ['plan', 'plan.md', 'plan/below', 'plan/README', `~stemma/page/${draft.id}`])
    assert.is((await openPage(app, base + path)).status, 404, path)
  for (const path of [`~gitbook/ogimage/${draft.id}`, `~gitbook/pdf?page=${draft.id}`])
    assert.is((await openPage(app, base + path)).status, 404, path)

  const reader = readerOf(app, site)
  const content = `/v1/spaces/${space}/content`

  for (const path of ['', '/pages', '/files'])
    assert.not.match((await reader.get(content + path)).text, secret, path)
  for (const path of [`/page/${draft.id}`, '/path/plan', '/path/plan%2Fbelow'])
    assert.is((await reader.get(content + path)).status, 404, path)
  const found = await reader.get(`/v1/spaces/${space}/search?query=draftword`)
  assert.equal([found.status, found.body.items], [200, []])
})

test('programs of language models are not given a draft', async () => {
  const call = (name: string, given: object) =>
    send(`${app.url}${base}~gitbook/mcp`, {
      method: 'POST',
      headers: {
        Accept: 'application/json, text/event-stream',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name, arguments: given },
      }),
    })
  for (const [name, given] of [
    ['searchDocumentation', { query: 'draftword' }],
    ['getPage', { url: `${app.url}${base}plan` }],
  ] as const)
    assert.not.match((await call(name, given)).text, /Planword|Belowword|Draftword text/, name)
})

test('a member who may read the space sees drafts marked, but not in maps and feeds', async () => {
  const cookie = await memberCookie()
  const front = await openPage(app, base, { cookie })
  const page = await openPage(app, `${base}plan`, { cookie })
  assert.match(front.text, /Planword<\/span><small class="tag draft">draft</)
  assert.match(page.text, /This page is a draft: only members[\s\S]*Draftword text/)
  for (const path of ['sitemap.md', 'sitemap-pages.xml', 'llms.txt', 'llms-full.txt', 'rss.xml'])
    assert.not.match((await openPage(app, base + path, { cookie })).text, secret, path)
  for (const path of ['plan', 'plan/below'])
    assert.not.match(
      (await openPage(app, base + path, { cookie })).text,
      /gitbook\/pdf|stemma\/feedback/,
    )
  assert.is((await openPage(app, `${base}plan`)).status, 404)

  const stranger = new Browser(app.url)
  await stranger.signIn(app.user('Stan').token)
  assert.is((await openPage(app, `${base}plan`, { cookie: stranger.cookie })).status, 404)
})

test('a page of one variant leaves the drafts of another as they are, in either order', async () => {
  const cookie = await memberCookie('Nia')
  for (const order of [
    ['open', 'beta/plan'],
    ['beta/plan', 'open'],
  ]) {
    const spaces: string[] = []
    for (const title of ['First', 'Beta'])
      spaces.push((await makeSpace(app, files, title)).space.id)
    const { id, basename } = await publishedSite(app, spaces)
    const beta = readStructure(ctx.store, id).siteSpaces.find(row => row.space_id === spaces[1])
    updateSiteSpace(ctx.store, beta?.id ?? '', { path: 'beta' })
    const at = `/sites/acme/${basename}/`

    for (const path of order)
      assert.is((await openPage(app, at + path, { cookie })).status, 200, path)
    assert.match((await openPage(app, `${at}beta/plan`, { cookie })).text, 'Draftword text')
    // The menu of variants has no way to a draft of another space.
    const { text } = await openPage(app, `${at}plan`, { cookie })
    assert.not.match(text, `href="${at}beta/plan"`)
  }
})

test('an earlier version of a draft, under another id, is not shown to readers', async () => {
  const made = await insertPublicSite(
    app,
    { 'README.md': '# Home\n', 'b.md': '# Planword\n\nDraftword text.\n' },
    { time_travel: 'readers' },
  )
  const repo = spaceRepository(ctx, made.space)
  const idOf = async (path: string) =>
    (await admin.get(`/v1/spaces/${made.space}/content/path/${path}`)).body.id as string
  const former = await idOf('b')
  const edited = await admin.post(`/v1/spaces/${made.space}/content`, {
    changes: [{ operation: 'update_page', page: former, slug: 'plan' }],
  })
  assert.is(edited.status, 200)
  assert.is(await idOf('plan'), former)
  const first = (await admin.get(`/v1/spaces/${made.space}`)).body.revision as string
  const at = `${made.base}~/revisions/${first}/plan`
  assert.is((await openPage(app, at)).status, 200)
  await commitFiles(repo, { 'plan.md': null })
  await openPage(app, made.base)
  await commitFiles(repo, { 'plan.md': '---\ndraft: true\n---\n\n# Other\n' })
  await openPage(app, made.base)
  assert.is.not(await idOf('plan'), former)
  assert.is((await openPage(app, at)).status, 404)
})

test('a page that stops being a draft is published', async () => {
  await commitFiles(spaceRepository(ctx, space), {
    'plan/README.md': '---\ndraft: false\n---\n\n# Planword\n\nDraftword text.\n',
  })
  const page = await openPage(app, `${base}plan`)
  assert.is(page.status, 200)
  assert.not.match(page.text, /This page is a draft/)
})

test.run()
