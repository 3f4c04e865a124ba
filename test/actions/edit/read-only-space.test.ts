import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { recover } from '../../../src/actions/upkeep/recover.ts'
import { listOperations } from '../../../src/store/git/operations.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { makeSpace, type Space } from '../../api/change-requests/bench.ts'
import { type App, startApp } from '../../support/app.ts'
import { fsck } from '../../support/repo.ts'

let app: App

test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

const execute = (text: string) => app.ctx.store.run(sqlRows(sql.raw(text)))

/** Until `mend` is called SQLite refuses the rows that follow from a write of this space, as on a disk that got full. */
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

test('while an edit cannot be finished its space is read, and written to again as soon as it can be', async () => {
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
  // Reads go on, and show what is in Git.
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
  // Other spaces do not notice.
  assert.is((await app.admin.post(`/v1/spaces/${other.id}/content`, insert('Two'))).status, 200)
  // A server that starts meanwhile serves it too.
  await recover(app.ctx)
  assert.equal(await titles(space), ['Docs', 'One'])

  mend()
  const next = await app.admin.post(content, insert('Three'))
  assert.is(next.status, 200, next.text)
  assert.equal(await titles(space), ['Docs', 'One', 'Three'])
  assert.equal(listOperations(app.ctx.store), [])
  fsck(space.repo)
})

test('an edit that could not be finished is not done twice when it is sent again with its key', async () => {
  const space = await makeSpace(app)
  const content = `/v1/spaces/${space.id}/content`
  const send = () => app.admin.post(content, insert('Once'), { 'idempotency-key': `once-${space.id}` })
  const mend = refuseRows(space)
  assert.is((await send()).status, 503)
  assert.is((await send()).status, 503)
  mend()
  const done = await send()
  assert.is(done.status, 200, done.text)
  assert.is(done.headers.get('idempotent-replayed'), 'true')
  assert.equal(await titles(space), ['Docs', 'Once'])
})

/** Lets no rename replace this file, as an error of the disk would; undefined where this machine does not let us. */
function hold(file: string): (() => void) | undefined {
  try {
    execFileSync('mount', ['--bind', file, file], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return () => void execFileSync('umount', [file])
}

test('an edit of which some refs have moved and others cannot is finished later', async () => {
  const space = await makeSpace(app)
  const content = `/v1/spaces/${space.id}/content`
  const made = await app.admin.post(content, insert('One'))
  assert.is(made.status, 200, made.text)
  const page = (await app.admin.get(`${content}/pages`)).body.pages[1]
  const head = await space.head()
  const release = hold(join(space.repo.dir, 'refs/heads/main'))
  if (!release) {
    console.log('skipped: this user may not mount')
    return
  }
  // A new slug is a new path: the page's id is noted, so that two refs move.
  const rename = { changes: [{ operation: 'update_page', page: page.id, slug: 'uno' }] }
  try {
    const refused = await app.admin.post(content, rename)
    assert.is(refused.status, 503, refused.text)
    assert.is(listOperations(app.ctx.store).length, 1)
    assert.is(await space.head(), head)
    assert.equal(await titles(space), ['Docs', 'One'])
    assert.is((await app.admin.post(content, insert('Two'))).status, 503)
  } finally {
    release()
  }
  assert.is((await app.admin.post(content, insert('Two'))).status, 200)
  assert.equal(listOperations(app.ctx.store), [])
  const { body } = await app.admin.get(`${content}/pages`)
  assert.is(body.pages.find((each: { id: string }) => each.id === page.id)?.slug, 'uno')
  fsck(space.repo)
})

test.run()
