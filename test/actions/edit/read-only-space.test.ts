import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { listIntents } from '../../../src/store/git/intents.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { makeSpace, type Space } from '../../api/change-requests/workbench.ts'
import { type App, startApp } from '../../support/app.ts'
import { fsck } from '../../support/git/repo.ts'
import { restart } from '../../support/restart.ts'
import { skip } from '../../support/skip.ts'

let app: App

test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

const execute = (text: string) => app.ctx.store.run(sqlRows(sql.raw(text)))

/**
 * Makes SQLite refuse the rows that follow from a write to this space, as on a full disk, until the
 * returned function is called.
 */
function refuseRows({ id }: Space): () => void {
  execute(
    `create trigger broken before update on space when old.id = '${id}' begin select raise(abort, 'no room'); end`,
  )
  return () => execute('drop trigger broken')
}

const insert = (title: string) => ({ changes: [{ operation: 'insert_page', title, document: {} }] })

const titles = async (space: Space): Promise<string[]> => {
  const { body, status } = await app.admin.get(`/v1/spaces/${space.id}/content/pages`)
  assert.is(status, 200)
  return body.pages.map((page: { title: string }) => page.title)
}

/** Sends the first request of a push or a fetch. */
const infoRefs = ({ id }: Pick<Space, 'id'>, service: string): Promise<Response> =>
  fetch(`${app.url}/${id}.git/info/refs?service=${service}`, {
    headers: { authorization: `Bearer ${app.admin.token}` },
  })

test('while an edit cannot be finished its space is read-only, and becomes writable once it can be', async () => {
  const space = await makeSpace(app)
  const other = await makeSpace(app)
  const { body: request } = await space.open(app.admin, 'Guide', { 'guide.md': '# Guide\n' })
  const content = `/v1/spaces/${space.id}/content`
  const mend = refuseRows(space)
  const first = await app.admin.post(content, insert('One'))

  assert.is(first.status, 503, first.text)
  assert.match(first.body.error.message, /could not be finished.*stemma verify/s)
  const head = await space.head()

  const writes = [
    () => app.admin.post(content, insert('Two')),
    () => app.admin.post(space.path, { subject: 'New' }),
    () => app.admin.patch(`${space.path}/${request.id}`, { subject: 'Other' }),
    () => app.admin.post(`${space.path}/${request.id}/update`),
    () => app.admin.post(`${space.path}/${request.id}/merge`),
    () => app.admin.post(`${space.path}/${request.id}/content`, insert('Two')),
  ]

  for (const write of writes) {
    const reply = await write()
    assert.is(reply.status, 503, reply.text)
    assert.match(reply.body.error.message, /read-only.*stemma verify/)
  }

  assert.is(await space.head(), head)

  // Reads still work and show the state of Git.
  assert.equal(await titles(space), ['Docs', 'One'])

  for (const path of [
    `/v1/spaces/${space.id}`,
    `/v1/spaces/${space.id}/revisions`,
    space.path,
    `${space.path}/${request.id}/changes`,
  ]) {
    const reply = await app.admin.get(path)
    assert.is(reply.status, 200, `${path}: ${reply.text}`)
  }

  // A push is refused before it sends anything; a fetch is not.
  const push = await infoRefs(space, 'git-receive-pack')

  assert.is(push.status, 503)
  assert.match(await push.text(), /^The space is read-only: .*stemma verify/)
  assert.is((await infoRefs(space, 'git-upload-pack')).status, 200)

  // Other spaces are not affected.
  assert.is((await infoRefs(other, 'git-receive-pack')).status, 200)
  assert.is((await app.admin.post(`/v1/spaces/${other.id}/content`, insert('Two'))).status, 200)

  // A server that starts in this state serves the space too.
  await restart(app.ctx)
  assert.equal(await titles(space), ['Docs', 'One'])

  mend()
  const next = await app.admin.post(content, insert('Three'))

  assert.is(next.status, 200, next.text)
  assert.equal(await titles(space), ['Docs', 'One', 'Three'])
  assert.equal(listIntents(app.ctx.store), [])
  fsck(space.repo)
})

test('an unfinished edit that is sent again with its Idempotency-Key is made once', async () => {
  const space = await makeSpace(app)
  const content = `/v1/spaces/${space.id}/content`
  const send = () =>
    app.admin.post(content, insert('Once'), { 'idempotency-key': `once-${space.id}` })
  const mend = refuseRows(space)

  assert.is((await send()).status, 503)
  assert.is((await send()).status, 503)
  mend()
  const done = await send()

  assert.is(done.status, 200, done.text)
  assert.is(done.headers.get('idempotent-replayed'), 'true')
  assert.equal(await titles(space), ['Docs', 'Once'])
})

/**
 * Prevents renames from replacing this file, like a disk error would. Undefined if this machine
 * does not permit it.
 */
function hold(file: string): (() => void) | undefined {
  try {
    execFileSync('mount', ['--bind', file, file], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return () => void execFileSync('umount', [file])
}

test('an edit with only some of its refs moved is finished later', async () => {
  const space = await makeSpace(app)
  const content = `/v1/spaces/${space.id}/content`
  const made = await app.admin.post(content, insert('One'))
  assert.is(made.status, 200, made.text)
  const page = (await app.admin.get(`${content}/pages`)).body.pages[1]
  const head = await space.head()
  const release = hold(join(space.repo.dir, 'refs/heads/main'))
  if (!release) return skip('mounting a file needs root')

  // A new slug is a new path, so that the identity note and the branch both move.
  const rename = { changes: [{ operation: 'update_page', page: page.id, slug: 'uno' }] }

  try {
    const refused = await app.admin.post(content, rename)
    assert.is(refused.status, 503, refused.text)
    assert.is(listIntents(app.ctx.store).length, 1)
    assert.is(await space.head(), head)
    assert.equal(await titles(space), ['Docs', 'One'])
    assert.is((await app.admin.post(content, insert('Two'))).status, 503)
  } finally {
    release()
  }

  assert.is((await app.admin.post(content, insert('Two'))).status, 200)
  assert.equal(listIntents(app.ctx.store), [])
  const { body } = await app.admin.get(`${content}/pages`)

  assert.is(body.pages.find((each: { id: string }) => each.id === page.id)?.slug, 'uno')
  fsck(space.repo)
})

test.run()
