import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Api } from '../../../node_modules/gitbook-api-today/dist/client.d.ts'
import { updateSiteSpace } from '../../../src/store/sites/site-spaces.ts'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { insertPublicSite, openPage } from '../../site/open-page.ts'
import { sitePath } from '../../site/visitors.ts'
import { type Actor, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { clientFor } from '../../support/http/client.ts'
import { publishedSite, readerOf } from '../../support/sites.ts'

const app = await startApp()
const { admin, ctx } = app
test.after(() => app.stop())

type TodaysApi = Api<{ authToken?: string }>

const metaLinks = (lines: string) => `---\nmetaLinks:\n${lines}---\n\n`

/** Creates a public site with variants in English and German. */
async function twoLanguages(texts: (german: string) => Record<string, string>) {
  const german = await makeSpace(
    app,
    {
      'README.md': '# Start\n',
      'guide.md': '# Anleitung\n',
      'einrichten.md': '# Einrichten\n',
      'geheim.md': '---\ndraft: true\n---\n\n# Geheim\n',
    },
    'Deutsch',
  )
  const made = await insertPublicSite(app, texts(german.space.id))
  const added = await admin.post(`${sitePath(made.site)}/site-spaces`, { spaceId: german.space.id })
  assert.is(added.status, 201, added.text)
  for (const [id, language] of [
    [made.space, 'en'],
    [german.space.id, 'de'],
  ])
    assert.is((await admin.patch(`/v1/spaces/${id}`, { language })).status, 200)

  return {
    ...made,
    own: `${ctx.publicUrl()}${made.base}`,
    german: german.space.id,
    siteSpace: added.body.id as string,
  }
}

const pageAt = async (space: string, path: string, by = admin): Promise<string> => {
  const page = await by.get(`/v1/spaces/${space}/content/path/${path}`)
  assert.is(page.status, 200, page.text)
  return page.body.id
}

const linksOf = async (space: string, path: string, by: Actor = admin) => {
  const reply = await by.get(
    `/v1/spaces/${space}/content/page/${await pageAt(space, path)}/meta-links`,
  )
  assert.is(reply.status, 200, reply.text)
  return reply.body
}

/** Returns what the head of a published page says. */
async function headOf(address: string) {
  const { text } = await openPage(app, new URL(address).pathname)
  const [, canonical] = /<link rel="canonical" href="([^"]*)"/.exec(text) ?? []
  const alternates = [...text.matchAll(/<link rel="alternate" hreflang="([^"]*)" href="([^"]*)"/g)]
  return { canonical, alternates: alternates.map(([, language, url]) => ({ language, url })) }
}

test('a page has its address at a site and in other languages, as its head says', async () => {
  const made = await twoLanguages(() => ({ 'README.md': '# Home\n', 'guide.md': '# Guide\n' }))
  const { own, space, german } = made
  const links = await linksOf(space, 'guide')

  assert.equal(links.canonical, { kind: 'url', url: `${own}guide` })
  assert.equal(links.alternates, [
    { kind: 'page', page: await pageAt(german, 'guide'), space: german },
  ])
  const [{ canonical, alternates, site }] = links.sites
  assert.is(links.sites.length, 1)
  assert.is(site, made.site)
  assert.equal({ canonical, alternates }, await headOf(`${own}guide`))
  assert.equal(
    alternates.map(({ language }: { language: string }) => language),
    ['en', 'de', 'x-default'],
  )

  const landing = await linksOf(german, 'readme')
  assert.equal(landing.canonical, { kind: 'url', url: `${own}deutsch/` })
  assert.equal(landing.sites[0].alternates, (await headOf(`${own}deutsch/`)).alternates)
})

test('metaLinks of the front matter name the page of another variant, and another address', async () => {
  const { own, space, german } = await twoLanguages(id => ({
    'README.md': '# Home\n',
    'setup.md': `${metaLinks(`  alternates:\n    - >-\n      https://app.gitbook.com/s/${id}/einrichten\n    - https://example.org/setup\n    - mailto:a@example.org\n    - gone.md\n    -\n`)}# Set up\n`,
    'copy.md': `${metaLinks('  canonical: setup.md\n')}# Copy\n`,
    'abroad.md': `${metaLinks('  canonical: https://example.org/abroad\n')}# Abroad\n`,
    'lost.md': `${metaLinks('  canonical: gone.md\n  alternates: none\n')}# Lost\n`,
    'secret.md': `${metaLinks(`  alternates: [/spaces/${id}/pages/x, https://app.gitbook.com/s/${id}/geheim]\n`)}# Secret\n`,
  }))
  const setup = await linksOf(space, 'setup')

  assert.equal(setup.alternates, [
    { kind: 'page', page: await pageAt(german, 'einrichten'), space: german },
    { kind: 'url', url: 'https://example.org/setup' },
  ])
  assert.equal(setup.sites[0].alternates, [
    { language: 'en', url: `${own}setup` },
    { language: 'de', url: `${own}deutsch/einrichten` },
    { language: 'x-default', url: `${own}setup` },
  ])
  const { text } = await openPage(app, new URL(`${own}setup`).pathname)
  assert.match(text, /<a href="[^"]*deutsch\/einrichten"[^>]*>Deutsch</)

  const copy = await linksOf(space, 'copy')
  assert.equal(copy.canonical, { kind: 'page', page: await pageAt(space, 'setup') })
  assert.is(copy.sites[0].canonical, `${own}setup`)
  const abroad = await linksOf(space, 'abroad')
  assert.equal(abroad.canonical, { kind: 'url', url: 'https://example.org/abroad' })
  assert.equal(await linksOf(space, 'lost').then(({ canonical }) => canonical), {
    kind: 'url',
    url: `${own}lost`,
  })
  // The draft is not shown to visitors; the address stays as written.
  const secret = await linksOf(space, 'secret')
  assert.equal(secret.alternates, [
    { kind: 'url', url: `https://app.gitbook.com/s/${german}/geheim` },
  ])

  for (const [path, { sites }] of Object.entries({ setup, copy, abroad, secret })) {
    const { canonical, alternates } = sites[0]
    assert.equal({ canonical, alternates }, await headOf(`${own}${path}`), path)
  }
})

test('pages have what their front matter names, in trees and alone', async () => {
  const { site, space, german } = await twoLanguages(id => ({
    'README.md': `${metaLinks('  canonical: setup.md\n')}# Home\n`,
    'setup.md': `${metaLinks(`  alternates: [https://example.org/setup, mailto:a@example.org, gone.md, https://app.gitbook.com/s/${id}/einrichten, /spaces/${id}/pages/x]\n`)}# Set up\n`,
    'draft.md': '---\ndraft: true\n---\n\n# Draft\n',
    'to-draft.md': `${metaLinks('  canonical: draft.md\n')}# To a draft\n`,
    'lost.md': `${metaLinks('  canonical: gone.md\n  alternates: []\n')}# Lost\n`,
    'plain.md': '# Plain\n',
  }))
  const setup = await pageAt(space, 'setup')
  const named: Record<string, unknown> = {
    Home: { canonical: { kind: 'page', page: setup }, alternates: [] },
    'Set up': {
      alternates: [
        { kind: 'url', url: 'https://example.org/setup' },
        { kind: 'url', url: `https://app.gitbook.com/s/${german}/einrichten` },
      ],
    },
    Lost: undefined,
    Plain: undefined,
  }
  const toDraft = {
    canonical: { kind: 'page', page: await pageAt(space, 'draft') },
    alternates: [],
  }
  type Told = { id: string; title: string; pages: Told[]; metaLinks?: unknown }
  const flat = (pages: Told[]): Told[] => pages.flatMap(page => [page, ...flat(page.pages)])

  for (const [who, inDraft] of [
    [admin, toDraft],
    [readerOf(app, site), undefined],
  ] as const) {
    const content = `/v1/spaces/${space}/content`
    const revision = (await who.get(content)).body
    const tree = (await who.get(`${content}/pages`)).body
    for (const pages of [revision.pages, tree.pages]) {
      const told = Object.fromEntries(flat(pages).map(page => [page.title, page.metaLinks]))
      for (const [title, links] of Object.entries({ ...named, 'To a draft': inDraft }))
        assert.equal(told[title], links, title)
    }
    assert.equal((await who.get(`${content}/page/${setup}`)).body.metaLinks, named['Set up'])
  }
})

test('a change request and a revision have the addresses of their own content', async () => {
  const { own, space } = await twoLanguages(() => ({ 'README.md': '# Home\n', 'a.md': '# A\n' }))
  const page = await pageAt(space, 'a')
  const before = (await admin.get(`/v1/spaces/${space}/content`)).body.id
  const request = (await admin.post(`/v1/spaces/${space}/change-requests`, { subject: 'Move' }))
    .body
  const changes = [{ operation: 'update_page', page, slug: 'b' }]
  const edit = await admin.post(`/v1/spaces/${space}/change-requests/${request.id}/content`, {
    changes,
  })
  assert.is(edit.status, 200, edit.text)

  const client = clientFor(app, admin, '0.202.0').client as unknown as TodaysApi
  const { data: changed } = await client.spaces.listChangeRequestPageMetaLinks(
    space,
    request.id,
    page,
  )
  const { data: former } = await client.spaces.listRevisionPageMetaLinks(space, before, page)
  const { data: now } = await client.spaces.listSpacePageMetaLinks(space, page)

  assert.equal(changed.canonical, { kind: 'url', url: `${own}b` })
  assert.equal(former.canonical, { kind: 'url', url: `${own}a` })
  assert.equal(now, former)
})

test('what visitors are not shown has no address', async () => {
  const made = await twoLanguages(() => ({
    'README.md': '# Home\n',
    'draft.md': '---\ndraft: true\n---\n\n# Draft\n',
    'guide.md': '# Guide\n',
  }))
  const nothing = { alternates: [], sites: [] }
  assert.equal(await linksOf(made.space, 'draft'), nothing)

  updateSiteSpace(ctx.store, made.siteSpace, { condition: 'visitor.claims.beta === true' })
  assert.equal(await linksOf(made.german, 'guide'), nothing)
  assert.equal((await linksOf(made.space, 'guide')).sites[0].alternates, [])

  for (const set of [
    { visibility: 'share-link' },
    { visibility: 'public', published: 0 },
  ] as const) {
    updateSite(ctx.store, made.site, set)
    assert.equal(await linksOf(made.space, 'guide'), nothing)
  }
})

test('the sites are those that the caller may see, and other spaces those that they may read', async () => {
  const made = await twoLanguages(() => ({ 'README.md': '# Home\n', 'guide.md': '# Guide\n' }))
  const { space, german, own, site } = made
  const second = await publishedSite(app, [space], { visibility: 'unlisted' })
  const both = await linksOf(space, 'guide')
  assert.equal(
    both.sites.map((each: { site: string }) => each.site),
    [site, second.id],
  )
  assert.is(both.canonical.url, `${own}guide`)

  const guest = app.user('Guest', null)
  await admin.post(`/v1/spaces/${space}/permissions`, { role: 'read', users: [guest.id] })
  assert.equal((await linksOf(space, 'guide', guest)).alternates, [
    { kind: 'url', url: `${own}deutsch/guide` },
  ])

  const reader = readerOf(app, second.id)
  const read = await linksOf(space, 'guide', reader)
  assert.equal(
    read.sites.map((each: { site: string }) => each.site),
    [second.id],
  )
  assert.is((await reader.get(`/v1/spaces/${german}/content/page/x/meta-links`)).status, 404)

  updateSite(ctx.store, site, { visibility: 'visitor-auth', members_only: 1 })
  const member = await linksOf(space, 'guide')
  const own2 = member.sites.find((each: { site: string }) => each.site === site)
  assert.equal([own2.canonical, own2.alternates], [`${own}guide`, []])
})

test('an unknown page is missing', async () => {
  const { space } = await makeSpace(app, { 'README.md': '# Home\n' })
  assert.is((await admin.get(`/v1/spaces/${space.id}/content/page/x/meta-links`)).status, 404)
})

test.run()
