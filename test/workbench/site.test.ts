import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { Browser } from '../support/http/browser.ts'
import { formIn } from './forms.ts'

const app = await startApp()
test.after(() => app.stop())

const { space } = await makeSpace(
  app,
  { 'README.md': '# Home\n', 'new.md': '# New\n', 'deep/page.md': '# Page\n' },
  'Docs',
)
const { body: site } = await app.admin.post('/v1/orgs/acme/sites', {
  title: 'Manual',
  spaces: [space.id],
})
const path = `/app/sites/acme/${site.id}`
const api = `/v1/orgs/acme/sites/${site.id}`

const browser = new Browser(app.url)
assert.is((await browser.signIn(app.admin.token)).status, 303)
const shown = async () => (await browser.get(path)).text
const save = async (lines: string, more: Record<string, string> = {}) =>
  browser.post(`${path}/redirects`, {
    ...formIn(await shown(), `${path}/redirects`),
    lines,
    ...more,
  })
const targetOf = async (source: string) =>
  (await app.admin.get(`${api}/redirect?source=${source}`)).body.target

test('the home page leads to the page of a site', async () => {
  assert.match((await browser.get('/app')).text, path)
})

test('redirects are written as lines, listed and deleted', async () => {
  const lines =
    '# moved\n/a /deep/page\n\n/b,https://example.org/x\n/old/*\thttps://example.org/*\n/c /'
  const saved = await save(lines, { permanent: 'on' })
  assert.equal([saved.status, saved.headers.get('location')], [303, `${path}#redirects`])
  assert.is(await targetOf('/a'), `${app.url}/sites/acme/manual/deep/page`)
  assert.is(await targetOf('/b'), 'https://example.org/x')
  assert.is(await targetOf('/old/X/y'), 'https://example.org/X/y')
  assert.is(await targetOf('/c'), `${app.url}/sites/acme/manual/`)

  const text = await shown()
  assert.match(text, 'to https://example.org/*')
  assert.match(text, 'to /deep/page')
  const { items } = (await app.admin.get(`${api}/redirects`)).body
  const one = `${path}/redirects/${items[0].id}/delete`
  assert.is((await browser.post(one, formIn(text, one))).status, 303)
  assert.is((await app.admin.get(`${api}/redirects`)).body.count, 3)
})

test('nothing is saved of lines with a mistake, which are shown again', async () => {
  const { status, text } = await save('/d https://example.org/\n/e /none\nhttps://x.org /a\n/f')
  assert.is(status, 400)
  for (const problem of [
    'Line 2:',
    'no page at “none”|no page at "none"|no page at &quot;none&quot;',
    'Line 3:',
    'Line 4:',
  ])
    assert.match(text, new RegExp(problem))
  assert.match(text, '/d https://example.org/')
  const wild = await save('/d https://example.org/*\n/g /new')
  assert.is(wild.status, 400)
  assert.is(await targetOf('/g'), undefined)
})

test('a draft is published', async () => {
  const destination = { kind: 'external', url: 'https://example.org/' }
  const { body } = await app.admin.post(`${api}/redirects`, {
    source: '/p',
    destination,
    draft: true,
  })
  const one = `${path}/redirects/${body.id}/publish`
  assert.is((await browser.post(one, formIn(await shown(), one))).status, 303)
  assert.is(await targetOf('/p'), 'https://example.org/')
})

test('a space is duplicated', async () => {
  const { items } = (await app.admin.get(`${api}/site-spaces`)).body
  const one = `${path}/site-spaces/${items[0].id}/duplicate`
  assert.is((await browser.post(one, formIn(await shown(), one))).status, 303)
  assert.match(await shown(), 'Copy of Docs')
})

/** The items of the root, as the API lists them. */
const items = async () => (await app.admin.get(`${api}/structure`)).body.structure
const send = async (to: string, more: Record<string, string>) =>
  browser.post(to, { ...formIn(await shown(), to), ...more })

test('links among the sections are added, published, moved, changed and deleted', async () => {
  const links = `${path}/external-links`
  assert.not.match(await shown(), `${links}"`)
  const { space: guides } = await makeSpace(app, { 'README.md': '# Guides\n' }, 'Guides')
  await app.admin.post(`${api}/sections`, { spaceId: guides.id })
  const add = (url: string, more = {}) => send(links, { title: 'Blog', url, ...more })
  const refused = await add('javascript:alert(1)')
  assert.is(refused.status, 400)
  // The form is unfolded, so that one sees what is wrong.
  assert.match(refused.text, /<details[^>]* open/)
  assert.is((await add('https://status.example.org', { draft: 'on' })).status, 303)
  const { id, draft } = (await items()).at(-1)
  assert.is(draft, true)

  const one = `${path}/structure/${id}`
  const places = []
  for (const step of ['publish', 'up', 'up', 'up', 'down']) {
    assert.is((await send(`${one}/step`, { do: step })).status, 303)
    const now = await items()
    places.push(now.findIndex((item: { id: string }) => item.id === id))
  }
  assert.equal(places, [2, 1, 0, 0, 1])
  const changed = { title: 'Status', url: 'https://example.net', condition: 'visitor.claims.a' }
  assert.is((await send(one, { ...changed, condition: 'secrets.a' })).status, 400)
  assert.is((await send(one, changed)).status, 303)
  const link = (await items())[1]
  assert.equal(
    [link.title, link.url, link.condition, link.draft],
    ['Status', 'https://example.net/', 'visitor.claims.a', false],
  )

  assert.is((await send(`${one}/step`, { do: 'remove' })).status, 303)
  assert.not.match(await shown(), 'example.net')
})

test('sections, groups and spaces are made drafts, moved and changed', async () => {
  const [manual, guides] = await items()
  const group = await app.admin.post(`${api}/section-groups`, {
    title: 'More',
    sections: [guides.id],
  })
  const space = guides.siteSpaces[0].id
  for (const id of [group.body.id, guides.id, space]) {
    const to = `${path}/structure/${id}/step`
    assert.is((await send(to, { do: 'draft' })).status, 303)
  }
  const [, more] = await items()
  const [section] = more.children ?? more.sections
  assert.equal([more.draft, section.draft, section.siteSpaces[0].draft], [true, true, true])
  assert.match(await shown(), /Draft/)

  await send(`${path}/structure/${group.body.id}/step`, { do: 'up' })
  await send(`${path}/structure/${group.body.id}`, { title: 'Others' })
  await send(`${path}/structure/${manual.id}`, { title: 'Book', condition: '' })
  assert.equal(
    (await items()).map((item: { title: string }) => item.title),
    ['Others', 'Book'],
  )
  const condition = 'space.vars.shown == 1'
  assert.is((await send(`${path}/structure/${space}`, { condition })).status, 303)
  assert.is((await app.admin.get(`${api}/site-spaces`)).body.items.length > 0, true)
  assert.match(await shown(), 'space.vars.shown == 1')
})

test('an empty site begins with pages from templates', async () => {
  const begin = async (title: string, choice: Record<string, string>) => {
    const { id } = (await app.admin.post('/v1/orgs/acme/sites', { title })).body
    const own = `/app/sites/acme/${id}`
    const { text } = await browser.get(own)
    assert.match(text, 'The site shows nothing yet.')
    const to = `${own}/template`
    const filled = await browser.post(to, { ...formIn(text, to), ...choice })
    assert.equal([filled.status, filled.headers.get('location')], [303, own])
    const after = (await browser.get(own)).text
    assert.not.match(after, to)
    return after
  }

  const all = await begin('All', {})
  for (const title of ['Product documentation', 'API reference', 'Changelog'])
    assert.match(all, `Edit ${title}`)
  const one = await begin('News', { template: 'changelog' })
  assert.match(one, 'Duplicate Changelog')
  assert.not.match(one, 'Duplicate API reference')
})

test('a member who may not create spaces gets no form for an empty site', async () => {
  const { id } = (await app.admin.post('/v1/orgs/acme/sites', { title: 'Bare' })).body
  const editor = app.user('Edda', 'edit')
  await app.admin.post(`/v1/orgs/acme/sites/${id}/permissions`, {
    role: 'create',
    users: [editor.id],
  })
  const theirs = new Browser(app.url)
  await theirs.signIn(editor.token)
  const { status, text } = await theirs.get(`/app/sites/acme/${id}`)
  assert.is(status, 200)
  assert.not.match(text, `${id}/template`)
  assert.not.match(text, 'Duplicate')
})

test('a site is published and unpublished', async () => {
  const to = `${path}/publish`
  assert.match(await shown(), 'Not published')
  const publish = await send(to, { do: 'publish' })
  assert.is(publish.status, 303)
  const { urls } = (await app.admin.get(api)).body
  assert.match(await shown(), `href="${urls.published}"`)
  assert.is((await send(to, { do: 'publish' })).status, 303)
  assert.is((await send(to, { do: 'unpublish' })).status, 303)
  assert.is((await app.admin.get(api)).body.published, false)
})

test('spaces are put on a site, as a section or a variant, and taken off', async () => {
  const to = `${path}/spaces`
  const { space: extra } = await makeSpace(app, { 'README.md': '# Extra\n' }, 'Extra')
  const { space: older } = await makeSpace(app, { 'README.md': '# Older\n' }, 'Older')
  const before = (await items()).length
  assert.is((await send(to, { space: extra.id, as: 'section', draft: 'on' })).status, 303)
  const section = (await items()).at(-1)
  assert.equal([section.title, section.draft], ['Extra', true])
  assert.is((await send(to, { space: older.id, as: 'variant' })).status, 303)
  assert.is((await send(to, { space: older.id, as: 'variant' })).status, 409)
  assert.is((await items()).length, before + 1)

  const listed = (await app.admin.get(`${api}/site-spaces`)).body.items
  const { id } = listed.find((each: { space: { id: string } }) => each.space.id === older.id)
  for (const [type, item] of [
    ['site-space', id],
    ['site-section', section.id],
  ]) {
    const step = `${path}/structure/${item}/step`
    assert.is((await send(step, { type, do: 'remove' })).status, 303)
  }
  assert.is((await items()).length, before)
  assert.is((await app.admin.get(`/v1/spaces/${older.id}`)).status, 200)
})

test.run()
