import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertSection, updateSection } from '../../../src/store/sites/sections.ts'
import { updateSiteSpace } from '../../../src/store/sites/site-spaces.ts'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
import type { SiteSpaceRow } from '../../../src/store/tables/rows.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { publishedSite } from '../../support/sites.ts'
import { until } from '../../support/until.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

const app = await siteApp()
test.after(() => app.stop())

test('a path without a page shows what its words find, or what similar words find', async () => {
  const { base } = await insertPublicSite(app, {
    'README.md': '# Home\n',
    'start.md': '# Start\n\nAbout the walrus and its tusks.\n',
    'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [Start](start.md)\n',
  })
  const open = (path: string) => openPage(app, base + path)
  const page = await until('the page is indexed', async () => {
    const page = await open('gone/walrus.html')
    assert.is(page.status, 404)
    return page.text.includes('class="plain hits"') ? page : undefined
  })

  assert.match(page.text, /<form class="field"[\s\S]*?value="walrus"/)
  assert.match(page.text, `<ol class="plain hits"><li><a href="${base}start"`)
  const similar = await open('gone/strt')

  assert.match(similar.text, `<a href="${base}~gitbook/search?q=start">start</a>`)
  assert.not.match((await open('gone/xyzzy')).text, 'class="results"')

  // A page that is named as one of the nearest is not named twice.
  assert.not.match((await open('gone/start')).text, 'class="results"')
})

const condition = 'visitor.claims.beta'
/** Requests of browsers and of programs, as headers. */
const callers = [{ accept: 'text/html' }, { accept: 'application/json' }, {}]

/** Returns what tells a page from another one, with a word of its path left out. */
async function seen(base: string, hidden: string, below: string, headers: Record<string, string>) {
  const word = hidden.split('/').at(-1)!
  const { status, headers: sent, text } = await openPage(app, base + hidden + below, headers)
  const names = [
    'content-type',
    'cache-control',
    'content-security-policy',
    'vary',
    'location',
    'x-robots-tag',
  ]
  const told = names.map(name => sent.get(name)?.replaceAll(word, 'x'))
  return { status, told, text: text.replaceAll(word, 'x') }
}

/** Checks that each path with the first word is answered like that with the second one. */
async function checkAlike(
  base: string,
  hidden: string,
  absent: string,
  status = 404,
): Promise<void> {
  for (const below of [
    '',
    '/',
    '/open',
    '/rss.xml',
    '/llms.txt',
    '/~gitbook/search?q=a',
    '/~stemma/files/a/b/c',
  ])
    for (const headers of callers) {
      const [one, other] = [
        await seen(base, hidden, below, headers),
        await seen(base, absent, below, headers),
      ]
      assert.is(one.status, status, hidden + below)
      assert.equal(one, other, hidden + below)
      if (status === 404) assert.match(one.text, 'There is no page here')
    }
}

test('a hidden variant or section is answered like one that is not there', async () => {
  const spaces = []
  for (const title of ['Open', 'Beta'])
    spaces.push(
      (await makeSpace(app, { 'README.md': `# ${title}\n`, 'open.md': '# Open\n' }, title)).space,
    )

  const { id, basename } = await publishedSite(
    app,
    spaces.map(space => space.id),
    { visibility: 'public' },
  )
  const { store } = app.ctx
  const [open, beta] = readStructure(store, id).siteSpaces as [SiteSpaceRow, SiteSpaceRow]
  const base = `/sites/acme/${basename}/`

  updateSiteSpace(store, beta.id, { path: 'beta', condition })
  await checkAlike(base, 'beta', 'zeta')

  // More unknown paths than a client may resolve of other sites.
  for (let i = 0; i < 130; i++) assert.is((await openPage(app, `${base}beta/${i}`)).status, 404)
  const insert = (path: string, position: number) =>
    insertSection(store, {
      id: `${path}-${id}`,
      site_id: id,
      title: path,
      path,
      position,
      created_at: '2026-01-01T00:00:00.000Z',
    })
  const [first, second] = [insert('first', 0), insert('team', 1)]

  updateSiteSpace(store, open.id, { section_id: first.id })
  updateSiteSpace(store, beta.id, { section_id: first.id })
  updateSite(store, id, { default_site_space_id: null, default_section_id: first.id })
  await checkAlike(base, 'first/beta', 'first/zeta', 307)
  await checkAlike(base, 'team', 'meat')
  updateSiteSpace(store, beta.id, { section_id: second.id, condition: null })
  assert.is((await openPage(app, `${base}team/open`)).status, 200)
  updateSection(store, second.id, { condition })
  await checkAlike(base, 'team', 'meat')
})

test('what a name of the site does not have is answered with a page of the site', async () => {
  const { base } = await insertPublicSite(app, { 'README.md': '# Home\n', 'open.md': '# Open\n' })
  const missing = [
    'llms-full.txt/9',
    'llms.txt/1',
    'open/rss.xml',
    'gone/rss.xml',
    '~stemma/page/gone',
  ]

  for (const path of [
    ...missing,
    '~stemma/nav/a/gone',
    '~stemma/files/a/b/c',
    '~gitbook/ogimage/gone',
  ]) {
    const { status, text } = await openPage(app, base + path, { accept: 'text/html' })
    assert.is(status, 404, path)
    assert.match(text, 'There is no page here', path)
    assert.match(text, `href="${base}open"`, path)
  }

  const json = await openPage(app, `${base}llms-full.txt/9`, { accept: 'application/json' })

  assert.equal([json.status, JSON.parse(json.text).error.code], [404, 404])
})

test.run()
