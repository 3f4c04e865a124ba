import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeSpace } from '../support/corpus/corpus.ts'
import { openPage, siteApp } from './open-page.ts'

const app = await siteApp()
const { admin } = app
test.after(() => app.stop())

/** A published site with sections of these titles, and its API path and base. */
async function siteWith(...titles: string[]) {
  const { space } = await makeSpace(app, { 'README.md': '# Home\n' }, 'First')
  const { body: site } = await admin.post('/v1/orgs/acme/sites', { spaces: [space.id] })
  const path = `/v1/orgs/acme/sites/${site.id}`
  for (const title of titles) {
    const made = await makeSpace(app, { 'README.md': `# ${title}\n\nWord${title}.\n` }, title)
    await admin.post(`${path}/sections`, { spaceId: made.space.id, title })
  }

  await admin.post(`${path}/publish`)
  const { items } = (await admin.get(`${path}/sections`)).body
  const sections = Object.fromEntries(
    items.map((each: { title: string; id: string }) => [each.title, each]),
  )
  return { path, sections, base: `/sites/acme/${site.basename}/` }
}

const statusOf = async (address: string) =>
  (await openPage(app, address, { accept: 'text/html' })).status

test('a draft section is not shown to readers, and members see it marked', async () => {
  const { path, base, sections } = await siteWith('Next')
  assert.is(await statusOf(`${base}next/`), 200)
  assert.match((await openPage(app, base, { accept: 'text/html' })).text, 'Next')

  const one = `${path}/sections/${sections.Next.id}`
  const changed = await admin.patch(one, { draft: true })
  assert.equal([changed.body.draft, changed.body.urls], [true, {}])
  assert.is(await statusOf(`${base}next/`), 404)
  assert.not.match((await openPage(app, base, { accept: 'text/html' })).text, 'Next')
  const structure = (await admin.get(`${path}/structure`)).body.structure
  assert.equal(
    structure.map((each: { draft: boolean }) => each.draft),
    [false, true],
  )

  await admin.patch(one, { draft: false })
  assert.is(await statusOf(`${base}next/`), 200)
})

test('what lies in a draft group is not shown to readers', async () => {
  const { path, base, sections } = await siteWith('Inner', 'Other')
  const group = await admin.post(`${path}/section-groups`, {
    title: 'Group',
    sections: [sections.Inner.id],
    draft: true,
  })
  assert.equal([group.status, group.body.draft], [201, true])
  assert.equal([await statusOf(`${base}inner/`), await statusOf(`${base}other/`)], [404, 200])
  await admin.patch(`${path}/section-groups/${group.body.id}`, { draft: false })
  assert.is(await statusOf(`${base}inner/`), 200)
})

test('a draft variant is found by no search and has no address, also as a duplicate', async () => {
  const { path, base, sections } = await siteWith('Guides')
  const [first] = sections.Guides.siteSpaces
  const search = async (query: string) => {
    const address = `${base}~stemma/search?q=${query}`
    return (await openPage(app, address, { accept: 'application/json' })).text
  }
  assert.match(await search('WordGuides'), 'guides')
  const copy = await admin.post(`${path}/site-spaces/${first.id}/duplicate`, { draft: true })
  assert.equal([copy.status, copy.body.draft, copy.body.urls], [201, true, {}])
  assert.is(await statusOf(`${base}copy-of-guides/`), 404)

  const made = await makeSpace(app, { 'README.md': '# V2\n\nWordV2.\n' }, 'V2')
  const added = await admin.post(`${path}/site-spaces`, {
    spaceId: made.space.id,
    sectionId: sections.Guides.id,
    draft: true,
  })
  assert.is(added.body.draft, true)
  assert.is(await statusOf(`${base}guides/v2/`), 404)
  assert.not.match(await search('WordV2'), 'v2/')
  await admin.patch(`${path}/site-spaces/${added.body.id}`, { draft: false })
  assert.is(await statusOf(`${base}guides/v2/`), 200)
})

test('the address of a draft that is the default is free for no other part', async () => {
  const { path, base, sections } = await siteWith('Second')
  const [first] = Object.values(sections) as { id: string; default: boolean; path: string }[]
  assert.is(first?.default, true)
  await admin.patch(`${path}/sections/${first?.id}`, { draft: true })
  const { status, headers } = await openPage(app, base, { accept: 'text/html' })
  assert.equal([status, headers.get('location')], [307, `${base}second/`])
})

test('links stand among the tabs of a site, unless they are drafts or conditions hide them', async () => {
  const { space } = await makeSpace(app, { 'README.md': '# Home\n' }, 'First')
  const { body: site } = await admin.post('/v1/orgs/acme/sites', { spaces: [space.id] })
  const path = `/v1/orgs/acme/sites/${site.id}`
  const next = await makeSpace(app, { 'README.md': '# Next\n' }, 'Next')
  const section = await admin.post(`${path}/sections`, { spaceId: next.space.id })
  await admin.post(`${path}/publish`)
  const tabs = async () => {
    const { text } = await openPage(app, `/sites/acme/${site.basename}/`, { accept: 'text/html' })
    const [, nav = ''] = /<nav class="sections"[^>]*>(.*?)<\/nav>/s.exec(text) ?? []
    return [...nav.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
  }
  const add = async (name: string, more: object = {}) =>
    (
      await admin.post(`${path}/external-links`, {
        title: name,
        url: `https://${name}.example.org/?a=1&b=2`,
        ...more,
      })
    ).body.id
  const url = (name: string) => `https://${name}.example.org/?a=1&amp;b=2`

  const before = await tabs()
  assert.is(before.length, 2)
  const id = await add('blog')
  const draft = await add('later', { draft: true })
  await add('beta', { condition: 'visitor.claims.beta' })
  assert.equal(await tabs(), [...before, url('blog')])
  await admin.patch(`${path}/external-links/${draft}`, { draft: false })
  assert.equal(await tabs(), [...before, url('blog'), url('later')])

  const group = await admin.post(`${path}/section-groups`, { title: 'More' })
  await admin.patch(`${path}/external-links/${id}`, { parent: group.body.id })
  assert.equal((await tabs()).at(-1), url('blog'))
  await admin.patch(`${path}/section-groups/${group.body.id}`, { draft: true })
  assert.equal(await tabs(), [...before, url('later')])

  await admin.delete(`${path}/sections/${section.body.id}`)
  assert.equal((await tabs()).length, 2, 'One section and one link are tabs.')
})

test.run()
