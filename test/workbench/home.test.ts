import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { insertSpace } from '../../src/store/spaces/spaces.ts'
import { startApp } from '../support/app.ts'
import { commitFiles, gitOutside } from '../support/git/repo.ts'
import { Browser } from '../support/http/browser.ts'

const app = await startApp()
const { admin } = app
test.after(() => app.stop())

const hostile = '<img src=x onerror=alert(1)>'
const lea = app.user('Lea', 'edit')
const grace = app.user('Grace', 'review')
const guest = app.user('Gus', null)
const browserOf = async (token: string): Promise<Browser> => {
  const browser = new Browser(app.url)
  await browser.signIn(token)
  return browser
}
const asLea = await browserOf(lea.token)
const asGrace = await browserOf(grace.token)

/** Returns the home page, or a list of it, of a browser. */
async function home(browser: Browser, query = ''): Promise<string> {
  const { status, text } = await browser.get(`/app${query}`)
  assert.is(status, 200, text)
  return text
}

/** Returns a section of the home page by the id of its heading. */
const section = (text: string, id: string): string =>
  text.split('<section').find(part => part.includes(`<h2 id="${id}"`)) ?? ''

const emptyOf = async (token: string): Promise<string> => home(await browserOf(token))
const empty = { admin: await emptyOf(admin.token), guest: await emptyOf(guest.token) }

test('where nothing is there, cards say what to do first', () => {
  assert.match(empty.admin, 'npx stemma publish')
  assert.match(empty.admin, '/app/people/acme')
  assert.not.match(empty.guest, 'npx stemma publish')
  assert.match(empty.guest, 'Ask for a space')
  assert.match(empty.admin, '/app/new/acme/space')
  assert.not.match(empty.guest, '/app/new/')
})

const { body: space } = await admin.post('/v1/orgs/acme/spaces', { title: `Book ${hostile}` })
const { body: closed } = await admin.post('/v1/orgs/acme/spaces', { title: 'Vault' })
const api = `/v1/spaces/${space.id}`
const repo = spaceRepository(app.ctx, space.id)
await commitFiles(repo, { 'README.md': '# Home\n\nOne.\n', 'SUMMARY.md': '* [Home](README.md)\n' })

const opened = async (subject: string): Promise<{ id: string; number: number }> => {
  const { body } = await lea.post(`${api}/change-requests`, { subject })
  await commitFiles(
    repo,
    { 'README.md': `# Home\n\n${subject}.\n` },
    { ref: `refs/heads/change-requests/${body.number}` },
  )
  return (await lea.get(`${api}/change-requests/${body.number}`)).body
}

test('a request for a review waits until the review is given, then what it asks for does', async () => {
  const request = await opened(`Words ${hostile}`)
  const path = `/app/s/${space.id}/changes/${request.number}`
  assert.match(section(await home(asLea), 'mine'), `href="${path}"`)
  assert.match(await home(asGrace), 'Nothing waits for you')

  await lea.post(`${api}/change-requests/${request.number}/requested-reviewers`, {
    users: ['grace'],
  })
  const asked = await home(asGrace)
  assert.match(section(asked, 'waiting'), `href="${path}"`)
  assert.match(section(asked, 'waiting'), 'Your review is requested')
  assert.not.match(asked, '<img src=x')
  assert.match(await home(asGrace, '?list=reviews'), `href="${path}"`)

  await grace.post(`${api}/change-requests/${request.number}/reviews`, {
    status: 'changes-requested',
    comment: { markdown: 'Shorter, please.' },
  })
  assert.match(await home(asGrace), 'Nothing waits for you')
  const back = section(await home(asLea), 'waiting')
  assert.match(back, 'Changes requested')
  assert.not.match(back, 'Shorter, please.')
  assert.match(await home(asLea, '?list=changes'), `href="${path}"`)
  const { body } = await lea.get(`/v1/orgs/acme/change-requests?changesAskedOf=lea`)
  assert.equal(
    body.items.map((each: { number: number }) => each.number),
    [request.number],
  )

  await grace.post(`${api}/change-requests/${request.number}/reviews`, { status: 'approved' })
  assert.match(await home(asLea), 'Nothing waits for you')
})

test('a thread waits for whoever did not write last', async () => {
  const request = await opened('Talk')
  const comments = `${api}/change-requests/${request.number}/comments`
  const { body: comment } = await grace.post(comments, { body: { markdown: `Why? ${hostile}` } })
  const waiting = section(await home(asLea), 'waiting')
  assert.match(
    waiting,
    `/app/s/${space.id}/changes/${request.number}?comment=${comment.id}#comment-${comment.id}`,
  )
  assert.match(waiting, 'Why?')
  assert.match(await home(asGrace), 'Nothing waits for you')

  await lea.post(`${comments}/${comment.id}/replies`, { body: { markdown: 'Because.' } })
  assert.match(await home(asLea), 'Nothing waits for you')
  const answered = section(await home(asGrace), 'waiting')
  assert.match(answered, 'Because.')
  assert.match(await home(asGrace, '?list=comments'), 'Because.')

  await grace.put(`${comments}/${comment.id}`, { resolved: true })
  assert.match(await home(asGrace), 'Nothing waits for you')
})

test('conflicts are shown, and lead to where they are resolved', async () => {
  const request = await opened('Clash')
  assert.not.match(section(await home(asLea), 'waiting'), 'Clash')
  await commitFiles(repo, { 'README.md': '# Home\n\nOther.\n' })
  await admin.get(`${api}/content`)
  // The list tries merges for a short time only; the page of the change request waits for its own.
  await asLea.get(`/app/s/${space.id}/changes/${request.number}`)
  const waiting = section(await home(asLea), 'waiting')
  assert.match(waiting, `href="/app/s/${space.id}/changes/${request.number}/conflicts"`)
  assert.match(await home(asLea, '?list=conflicts'), 'Clash')
})

// A trial makes a folder among the objects, and removes it.
const changedAt = async (): Promise<bigint> =>
  (await stat(join(repo.dir, 'objects'), { bigint: true })).mtimeNs

test('a merge of unrelated histories is tried once', async () => {
  const request = await opened('Stranger')
  const ref = `refs/heads/change-requests/${request.number}`
  const lone = await commitFiles(
    repo,
    { 'README.md': '# Lone\n' },
    { ref, parents: [], base: null },
  )
  const path = `${api}/change-requests/${request.number}`
  const { body } = await lea.get(path)
  assert.is(body.revision, lone)
  assert.is(body.mergeable, undefined)

  for (let view = 0; view < 4; view++) await home(asLea)
  const before = await changedAt()
  for (const query of ['', '?list=conflicts']) await home(asLea, query)
  assert.is((await lea.get(path)).body.mergeable, undefined)
  assert.is(await changedAt(), before)
})

test('a merge that failed for another reason is tried again after a minute', async () => {
  const request = await opened('Damaged')
  const path = `${api}/change-requests/${request.number}`
  const { body } = await lea.get(`${path}`)
  await commitFiles(repo, { 'README.md': '# Home\n\nAnother.\n' })
  await admin.get(`${api}/content`)
  const oid = gitOutside(repo.dir, ['rev-parse', `${body.revision}:README.md`])
  const object = join(repo.dir, 'objects', oid.slice(0, 2), oid.slice(2))
  await rename(object, `${object}.away`)
  try {
    // A view tries at least one merge, and there are five.
    for (let view = 0; view < 5; view++) await home(asLea)
    const before = await changedAt()
    await home(asLea)
    assert.is(await changedAt(), before)
  } finally {
    await rename(`${object}.away`, object)
  }

  assert.not.match(await home(asLea, '?list=conflicts'), 'Damaged')
  const { now } = app.ctx
  Object.assign(app.ctx, { now: () => new Date(now().getTime() + 61_000) })
  assert.match(await home(asLea, '?list=conflicts'), 'Damaged')
  Object.assign(app.ctx, { now })
})

test('what one may not read is not listed, whatever one wrote in it', async () => {
  const { body: request } = await lea.post(`/v1/spaces/${closed.id}/change-requests`, {
    subject: 'Hidden',
  })
  const comments = `/v1/spaces/${closed.id}/change-requests/${request.number}/comments`
  await admin.post(comments, { body: { markdown: 'Secret.' } })
  assert.match(await home(asLea), 'Secret.')
  await admin.patch(`/v1/spaces/${closed.id}`, { defaultLevel: null })
  for (const query of ['', '?list=mine', '?list=comments', '?list=spaces&of=acme']) {
    const text = await home(asLea, query)
    assert.not.match(text, 'Secret.', query)
    assert.not.match(text, 'Hidden', query)
    assert.not.match(text, 'Vault', query)
  }
})

test('a session limited to content shows spaces without change requests', async () => {
  const { body } = await lea.post('/v1/user/tokens', { name: 'few', scopes: ['content:read'] })
  const text = await home(await browserOf(body.secret ?? body.token))
  assert.match(section(text, 'spaces-acme'), `/app/s/${space.id}`)
  assert.match(text, 'You have no open change request')
})

test('lists are read in parts, also those of 5,000 spaces', async () => {
  const at = '2026-01-01T00:00:00.000Z'
  app.ctx.store.transact(() => {
    for (let n = 0; n < 5_000; n++)
      insertSpace(app.ctx.store, {
        ...{ id: `many-${n}`, organization_id: 'acme', title: `Many ${n} ${hostile}` },
        ...{ created_at: at, updated_at: at, position: n + 10 },
      })
  })
  const first = await home(asGrace)
  assert.match(section(first, 'spaces-acme'), 'All spaces')
  assert.ok(first.length < 60_000, `${first.length}`)

  const seen = new Set<string>()
  let path: string | undefined = '?list=spaces&of=acme'
  for (let parts = 0; path !== undefined && parts < 3; parts++) {
    const text = await home(asGrace, path)
    for (const [, id] of text.matchAll(/href="\/app\/s\/([\w-]+)"/g)) seen.add(id!)
    path = /href="\/app(\?list=spaces[^"]*after=[^"]*)"[^>]*>\s*Older/
      .exec(text)?.[1]
      ?.replaceAll('&amp;', '&')
  }
  assert.is(seen.size, 150)
  const found = await home(asGrace, '?list=spaces&of=acme&title=MANY%204999')
  assert.match(found, '/app/s/many-4999')
  assert.is(found.split('/app/s/').length - 1, 1)
  assert.match(await home(asGrace, '?list=spaces&title=%3Cb%3E'), 'No space that you may read')
})

test('own change requests are listed by status, in parts', async () => {
  for (let n = 0; n < 30; n++) await lea.post(`${api}/change-requests`, { subject: `Own ${n}` })
  const shown = (text: string) => [...text.matchAll(/>Own (\d+) /g)].map(([, n]) => Number(n))
  const part = await home(asLea, '?list=mine&status=open')
  assert.is(shown(part).length, 25)
  const older = /href="\/app(\?[^"]*before=\d+)"/.exec(part)?.[1]?.replaceAll('&amp;', '&')
  const rest = await home(asLea, older)
  assert.equal(
    [...shown(part), ...shown(rest)],
    Array.from({ length: 30 }, (_, n) => 29 - n),
  )
  assert.match(await home(asLea, '?list=mine&status=merged'), 'You have no change request')
  assert.is(shown(await home(asLea)).length, 8)
})

test('a query that does not fit is a page that says so', async () => {
  for (const query of ['?list=all', '?before=x&list=mine', '?list=spaces&after=1', '?status=lost'])
    assert.is((await asLea.get(`/app${query}`)).status, 400, query)
  assert.is((await asLea.get('/app?list=spaces&of=nowhere')).status, 404)
})

test.run()
