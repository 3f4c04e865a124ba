import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { query } from '../../../src/store/store.ts'
import { type Actor, actor, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { Browser } from '../../support/http/browser.ts'

const app = await startApp()
const { admin } = app
test.after(() => app.stop())

const files = { 'README.md': '# Home\n\nWelcome.\n', 'old.md': '# Old\n\nOldword.\n' }
const { api, space } = await makeSpace(app, files, 'Guide')
const { space: other } = await makeSpace(app, { 'README.md': '# Other\n\nOtherword.\n' }, 'Other')
const { body: site } = await admin.post('/v1/orgs/acme/sites', { spaces: [space.id, other.id] })
const repo = spaceRepository(app.ctx, space.id)

/** Opens a change request that adds a word to the first page. */
async function request(word: string): Promise<{ number: number; path: string }> {
  const { body } = await admin.post(`${api}/change-requests`, { subject: word })
  const ref = `refs/heads/change-requests/${body.number}`
  await commitFiles(repo, { 'README.md': `# Home\n\nWelcome, ${word}.\n` }, { ref })
  return { number: body.number, path: `${api}/change-requests/${body.number}` }
}

const shown = await request('Shownword')
const hidden = await request('Hiddenword')

async function linkOf({ path }: { path: string }, body = {}, by: Actor = admin) {
  const made = await by.post(`${path}/preview-links`, body)
  assert.is(made.status, 201, made.text)
  return made.body as { id: string; url: string; expiresAt: string; site: string }
}

/** Opens an address like a person without an account, in a browser of their own. */
async function opened(url: string) {
  const browser = new Browser(app.url)
  const arrived = await browser.get(url.slice(app.url.length))
  const to = arrived.headers.get('location')
  return { browser, arrived, page: to === null ? arrived : await browser.get(to) }
}

const preview = `/~preview/${site.id}/`

test('everyone with the address reads the change request, without an account', async () => {
  const link = await linkOf(shown)
  assert.match(link.url, `${app.url}${preview}~/changes/${shown.number}/?token=`)
  assert.is(link.site, site.id)
  const { arrived, page, browser } = await opened(link.url)
  assert.is(arrived.status, 303)
  assert.is(page.status, 200)
  assert.match(page.text, 'Shownword')
  assert.match(page.text, `Change request #${shown.number}`)
  assert.equal(
    [page.headers.get('cache-control'), page.headers.get('x-robots-tag')],
    ['private, no-store', 'noindex'],
  )
  assert.is((await browser.get(`${preview}~/changes/${shown.number}/old`)).status, 200)
})

test('the address opens no other change request, space, version or history, and no API', async () => {
  const link = await linkOf(shown)
  const { browser } = await opened(link.url)
  const head = (await admin.get(`${api}/content`)).body.id
  for (const path of [
    `~/changes/${hidden.number}/`,
    '~/changes/999/',
    `~/revisions/${head}/`,
    `~/compare/${head}...${head}/`,
    '',
    'old',
    'old.md',
    'llms-full.txt',
    'sitemap.md',
    'rss.xml',
    '~gitbook/search?q=Oldword',
    '~gitbook/pdf',
    '~gitbook/mcp',
    '~stemma/history/x',
    'other/',
  ]) {
    const { status, text } = await browser.get(preview + path)
    assert.ok([401, 404].includes(status), `${path}: ${status}`)
    assert.not.match(text, /Hiddenword|Otherword|Oldword/)
  }
  const elsewhere = await admin.post('/v1/orgs/acme/sites', { spaces: [space.id] })
  const key = new URL(link.url).searchParams.get('token') ?? ''
  const foreign = `/~preview/${elsewhere.body.id}/~/changes/${shown.number}/?token=${key}`
  assert.is((await new Browser(app.url).get(foreign)).status, 404)
  const headers = { authorization: `Bearer ${key}` }
  assert.is((await fetch(`${app.url}/v1/user`, { headers })).status, 401)
  const resolved = await app.anonymous.post('/v1/urls/published', { url: link.url })
  assert.is(resolved.status, 403, resolved.text)
})

test('the changes name only what the reader is shown, also where readers see earlier versions', async () => {
  const secret = await request('Listed')
  const ref = `refs/heads/change-requests/${secret.number}`
  await commitFiles(
    repo,
    {
      'README.md': '# Home\n\nListed. ![](seen.svg)\n',
      'seen.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'draft.md': '---\ndraft: true\n---\n\n# Unseen\n',
      'infra.tf': 'Secretword',
    },
    { ref },
  )
  await admin.patch(`/v1/orgs/acme/sites/${site.id}`, { timeTravel: 'readers' })
  const { browser, page } = await opened((await linkOf(secret)).url)
  assert.not.match(page.text, /draft|infra|Unseen/)
  const [, image = ''] = /src="([^"]*seen\.svg[^"]*)"/.exec(page.text) ?? []
  const head = (await admin.get(`${api}/content`)).body.id
  const base = `${preview}~/changes/${secret.number}/`
  assert.is((await browser.get(new URL(image, app.url + base).pathname)).status, 200)
  assert.is((await browser.get(`${base}~gitbook/search?q=Listed`)).status, 200)
  for (const path of [`~/revisions/${head}/`, `~/compare/${head}...${head}/`])
    assert.ok([401, 404].includes((await browser.get(preview + path)).status))
  await admin.patch(`/v1/orgs/acme/sites/${site.id}`, { timeTravel: 'members' })
})

test('a link is listed without its key, and ends when it is deleted', async () => {
  const made = await linkOf(hidden, { days: 3, site: site.id })
  const days = (Date.parse(made.expiresAt) - app.ctx.now().getTime()) / 86_400_000
  assert.ok(days > 2.9 && days <= 3)
  const listed = (await admin.get(`${hidden.path}/preview-links`)).body
  assert.equal(
    listed.items.map(({ id, url }: { id: string; url?: string }) => [id, url]),
    [[made.id, undefined]],
  )
  const { browser, page } = await opened(made.url)
  assert.match(page.text, 'Hiddenword')
  const path = `${hidden.path}/preview-links/${made.id}`
  assert.is((await admin.delete(path)).status, 204)
  assert.is((await admin.delete(path)).status, 204)
  const after = await browser.get(`${preview}~/changes/${hidden.number}/`, { accept: 'text/html' })
  assert.ok([401, 404].includes(after.status))
  assert.not.match(after.text, 'Hiddenword')
  assert.not.match((await opened(made.url)).page.text, 'Hiddenword')
})

test('admins of a site list the links of all its change requests, page by page', async () => {
  const { body: own } = await admin.post('/v1/orgs/acme/sites', { spaces: [space.id, other.id] })
  const { body: elsewhere } = await admin.post(`/v1/spaces/${other.id}/change-requests`, {})
  const path = `/v1/spaces/${other.id}/change-requests/${elsewhere.number}`
  const made = []
  for (const each of [shown, hidden, { path }]) made.push(await linkOf(each, { site: own.id }))
  const list = `/v1/orgs/acme/sites/${own.id}/preview-links`

  const { body: first } = await admin.get(`${list}?limit=2`)
  const { body: rest } = await admin.get(`${list}?limit=2&page=${first.next.page}`)
  assert.is(first.count, 2)
  assert.equal([...first.items, ...rest.items], made.map(({ url, ...link }) => link).reverse())
  assert.equal(
    [first.items[0].space, first.items[0].changeRequest, rest.items[0].space],
    [other.id, elsewhere.id, space.id],
  )
  assert.is(rest.next, undefined)
  assert.is((await app.user('Cara', 'create').get(list)).status, 403)
})

test('the list of a site leaves out links of spaces that its admin may not read', async () => {
  const shut = await makeSpace(app, files, 'Shut')
  const { body: own } = await admin.post('/v1/orgs/acme/sites', {
    spaces: [shut.space.id, other.id],
  })
  const linkIn = async (spaceId: string) => {
    const requests = `/v1/spaces/${spaceId}/change-requests`
    const { body } = await admin.post(requests, { subject: 'Linked' })
    return (await linkOf({ path: `${requests}/${body.number}` }, { site: own.id })).id
  }
  const link = await linkIn(other.id)
  const inShut = await linkIn(shut.space.id)
  const guest = app.user('Gus', null)
  const at = `/v1/orgs/acme/sites/${own.id}`
  await admin.post(`${at}/permissions`, { role: 'admin', users: [guest.id] })
  await admin.post(`/v1/spaces/${other.id}/permissions`, { role: 'read', users: [guest.id] })
  const listed = async (by: Actor) => {
    const { body } = await by.get(`${at}/preview-links`)
    return [body.count, body.items.map(({ id }: { id: string }) => id)]
  }

  assert.equal(await listed(guest), [1, [link]])
  assert.equal(await listed(admin), [2, [inShut, link]])
  await admin.delete(`/v1/spaces/${other.id}/permissions/users/${guest.id}`)
  assert.equal(await listed(guest), [0, []])
})

test('a link ends on its day, and like a share link outlives the membership of its maker', async () => {
  const maker = app.user('Max', 'create')
  const [late, own] = [await linkOf(shown), await linkOf(shown, {}, maker)]
  const set = { expires_at: new Date(Date.now() - 1000).toISOString() }
  app.ctx.store.run(query.updateTable('preview_link').set(set).where('id', '=', late.id))
  assert.not.match((await opened(late.url)).page.text, 'Shownword')
  assert.match((await opened(own.url)).page.text, 'Shownword')
  await admin.delete(`/v1/orgs/acme/members/${maker.id}`)
  assert.match((await opened(own.url)).page.text, 'Shownword')
})

test('a link ends with its change request and with what ends the tokens of readers', async () => {
  const archived = await request('Archivedword')
  const link = await linkOf(archived)
  assert.match((await opened(link.url)).page.text, 'Archivedword')
  await admin.patch(archived.path, { status: 'archived' })
  assert.not.match((await opened(link.url)).page.text, 'Archivedword')
  assert.is((await admin.post(`${archived.path}/preview-links`)).status, 409)

  const before = await linkOf(shown)
  await admin.patch(`/v1/orgs/acme/sites/${site.id}`, { visibility: 'share-link' })
  assert.not.match((await opened(before.url)).page.text, 'Shownword')
  assert.match((await opened((await linkOf(shown)).url)).page.text, 'Shownword')
})

test('expired links make room for others', async () => {
  const { number, path } = await request('Roomy')
  await linkOf({ path })
  const row = query.selectFrom('preview_link').selectAll().orderBy('seq', 'desc').limit(1)
  const made = app.ctx.store.get(row)
  if (!made) throw new Error('There is no link.')
  const { seq: _, ...rest } = made
  const at = new Date(Date.now() - 1000).toISOString()
  for (let n = 0; n < 100; n++)
    app.ctx.store.run(
      query
        .insertInto('preview_link')
        .values({ ...rest, id: `${number}-${n}`, key_hash: `${number}-${n}`, expires_at: at }),
    )
  await linkOf({ path })
  assert.is((await admin.get(`${path}/preview-links`)).body.count, 2)
})

test('making a link needs a site of the space and the role to publish on it', async () => {
  const alone = await makeSpace(app, files, 'Alone')
  const { body } = await admin.post(`${alone.api}/change-requests`, { subject: 'x' })
  const refused = await admin.post(`${alone.api}/change-requests/${body.number}/preview-links`)
  assert.is(refused.status, 409)
  assert.match(refused.body.error.message, 'No site shows the space')
  const unknown = await admin.post(`${shown.path}/preview-links`, { site: 'nothing' })
  assert.is(unknown.status, 404)
  const editor = app.user('Eve', 'edit')
  assert.is((await editor.post(`${shown.path}/preview-links`)).status, 403)
  assert.is((await admin.post(`${shown.path}/preview-links`, { days: 91 })).status, 400)
  const scopes = ['change-requests:write', 'sites:admin']
  const { body: made } = await admin.post('/v1/user/tokens', { name: 'narrow', scopes })
  const narrow = await actor(app.url, '', made.token).post(`${shown.path}/preview-links`)
  assert.is(narrow.status, 403, narrow.text)
  assert.match(narrow.body.error.message, 'content:read')
})

test.run()
