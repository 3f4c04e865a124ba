import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openSpace, openSpaces } from '../../../src/actions/heads/open-space.ts'
import { primaryHead } from '../../../src/actions/heads/primary-head.ts'
import { PushWatch } from '../../../src/actions/heads/watch-pushes.ts'
import { beginOpening, forgetOpened, isOpened } from '../../../src/actions/repositories/opened.ts'
import { marksFolder } from '../../../src/actions/repositories/push-marks.ts'
import { removeRepository } from '../../../src/actions/spaces/remove-repository.ts'
import { recover } from '../../../src/actions/upkeep/recover.ts'
import type { Context } from '../../../src/context.ts'
import { findMirroredRef } from '../../../src/store/git/refs.ts'
import { deleteSpace } from '../../../src/store/spaces/spaces.ts'
import { type App, startApp } from '../../support/app.ts'
import { makeSpace, type TestSpace } from '../../support/corpus/corpus.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { holdSearch } from '../../support/hold-search.ts'
import { openReceiver } from '../../support/http/receiver.ts'

let app: App
test.before(async () => {
  app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
  // The index job of a new space opens it, a second later.
  holdSearch(app.ctx)
})
test.after(() => app.stop({ damaged: true }))

const main = 'refs/heads/main'
const files = {
  'README.md': '# Home\n',
  'guide.md': '# Guide\n',
  'SUMMARY.md': '* [Guide](guide.md)\n',
}
const who = ['-c', 'user.name=G', '-c', 'user.email=g@example.org']

/** Pushes an empty commit to a branch while the server does not look. Returns it. */
function push({ dir }: { dir: string }, ref = main): string {
  const tree = gitOutside(dir, ['rev-parse', `${ref}^{tree}`])
  const commit = gitOutside(dir, [...who, 'commit-tree', '-m', 'Pushed', '-p', ref, tree])
  gitOutside(dir, ['update-ref', ref, commit])
  return commit
}

/** Leaves what a killed server of an older version leaves, and starts as another server would. */
async function killed({ repo }: TestSpace): Promise<string> {
  app.ctx.processes.closeRepository(repo.dir)
  const lock = join(repo.dir, 'packed-refs.lock')
  writeFileSync(lock, '')
  rmSync(join(repo.dir, 'hooks'), { recursive: true, force: true })
  await recover(app.ctx)
  return lock
}

/** The same context with a log that is kept. */
function listening(ctx: Context) {
  const lines: { level: number; msg: string; space?: string }[] = []
  const log = pino(
    new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(JSON.parse(String(chunk)))
        done()
      },
    }),
  )

  return { ctx: { ...ctx, log }, errors: () => lines.filter(({ level }) => level >= 50) }
}

test('a start leaves the repositories of spaces alone; concurrent first reads open a space once', async () => {
  const made = await makeSpace(app, files)
  const { space, repo } = made
  const lock = await killed(made)
  const pushed = push(repo)

  assert.ok(existsSync(lock))
  assert.not(isOpened(app.ctx, space.id))
  const replies = await Promise.all(Array.from({ length: 5 }, () => app.admin.get(`${made.api}`)))

  assert.equal(new Set(replies.map(({ body }) => body.revision)), new Set([pushed]))
  assert.not(existsSync(lock))
  assert.match(readFileSync(join(repo.dir, 'hooks/update'), 'utf8'), /Written by Stemma/)
  const { body } = await app.admin.get(`/v1/orgs/acme/audit-events?space=${space.id}&limit=100`)
  const events = body.items.filter(
    (item: { action: string; details?: { revision?: string } }) =>
      item.action === 'space.content_updated' && JSON.stringify(item).includes(pushed),
  )

  assert.is(events.length, 1)
})

type Way = (api: string, request: { id: string; revision: string }) => Promise<unknown>

/** Every kind of request that reads or writes the repository of a space. */
const ways: Record<string, Way> = {
  space: api => app.admin.get(api),
  'page list': api => app.admin.get(`${api}/content/pages`),
  revisions: api => app.admin.get(`${api}/revisions`),
  'page list of a revision': (api, { revision }) =>
    app.admin.get(`${api}/revisions/${revision}/pages`),
  'change request': (api, { id }) => app.admin.get(`${api}/change-requests/${id}`),
  'list of change requests': api => app.admin.get(`${api}/change-requests`),
  'changes of a change request': (api, { id }) =>
    app.admin.get(`${api}/change-requests/${id}/changes`),
  'page list of a change request': (api, { id }) =>
    app.admin.get(`${api}/change-requests/${id}/content/pages`),
  edit: api =>
    app.admin.post(`${api}/content`, {
      changes: [{ operation: 'insert_page', title: 'More', document: { markdown: 'x' } }],
    }),
  'new change request': api => app.admin.post(`${api}/change-requests`, { subject: 'Other' }),
  'edit of the settings of a change request': (api, { id }) =>
    app.admin.patch(`${api}/change-requests/${id}`, { status: 'archived' }),
  update: (api, { id }) => app.admin.post(`${api}/change-requests/${id}/update`),
  merge: (api, { id }) => app.admin.post(`${api}/change-requests/${id}/merge`),
  comment: api => app.admin.post(`${api}/comments`, { body: { markdown: 'Hello' } }),
  duplicate: api => app.admin.post(`${api}/duplicate`),
}

for (const [name, go] of Object.entries(ways))
  test(`the first request opens the space: ${name}`, async () => {
    const made = await makeSpace(app, files)
    const { body: request } = await app.admin.post(`${made.api}/change-requests`, {
      subject: 'Propose',
      changes: [{ operation: 'insert_page', title: 'New', document: { markdown: 'x' } }],
    })
    const lock = await killed(made)
    const pushed = push(made.repo)
    const reply = (await go(made.api, request)) as { status: number; text: string }

    assert.ok(reply.status < 400, `${reply.status} ${reply.text}`)
    assert.not(existsSync(lock))
    assert.ok(isOpened(app.ctx, made.space.id))
    const { items } = (await app.admin.get(`${made.api}/revisions?limit=100`)).body

    assert.ok(items.some((item: { id: string }) => item.id === pushed))
  })

test('a push made while no server ran arrives as a webhook without a request', async () => {
  const receiver = await openReceiver()
  try {
    const hook = {
      url: receiver.url,
      events: ['space_content_updated'],
      secret: 'a secret of the receiver',
    }

    assert.is((await app.admin.post('/v1/orgs/acme/webhooks', hook)).status, 201)
    const made = await makeSpace(app, files)
    await app.admin.get(made.api)
    const before = receiver.received.length

    await killed(made)
    const pushed = push(made.repo)

    await new PushWatch(app.ctx).lookAtAll()
    for (let at = before + 1; ; at++)
      if ((await receiver.until(at)).at(-1)?.body.revisionId === pushed) break
  } finally {
    await receiver.stop()
  }
})

test('a push opens its space and no other', async () => {
  const [made, other] = [await makeSpace(app, files), await makeSpace(app, files)]
  await app.admin.get(other.api)
  await killed(made)
  const pushed = push(made.repo)
  writeFileSync(join(marksFolder(app.dataDir), made.space.id), '')
  const watch = new PushWatch(app.ctx)

  await watch.lookAtMarked()
  assert.is(findMirroredRef(app.ctx.store, made.space.id, main), pushed)
  await watch.lookAtAll()
  assert.ok(isOpened(app.ctx, made.space.id))
  assert.not(isOpened(app.ctx, other.space.id))
})

test('a branch that was deleted while no server ran is restored at the first use', async () => {
  const made = await makeSpace(app, files)
  const { head } = await primaryHead(app.ctx, made.space)
  gitOutside(made.repo.dir, ['update-ref', '-d', main])
  await killed(made)
  assert.is((await app.admin.get(made.api)).body.revision, head)
})

test('a damaged repository is logged once and does not prevent others from being opened', async () => {
  const [damaged, sound] = [await makeSpace(app, files), await makeSpace(app, files)]
  const head = join(damaged.repo.dir, 'HEAD')
  const text = readFileSync(head)
  await killed(sound)
  const pushed = push(sound.repo)

  writeFileSync(head, 'nothing')

  // A job of the app may have opened the space before the damage, or opens it now and logs the
  // damage itself.
  forgetOpened(app.ctx, damaged.space.id)
  const { ctx, errors } = listening(app.ctx)
  const { log } = app.ctx

  Object.assign(app.ctx, { log: ctx.log })
  await openSpaces(ctx)
  await openSpace(ctx, damaged.space.id)
  Object.assign(app.ctx, { log })
  assert.equal(
    errors()
      .filter(({ space }) => space === damaged.space.id)
      .map(({ msg }) => msg),
    ['the repository of a space is damaged: run "stemma verify"'],
  )
  assert.is(findMirroredRef(app.ctx.store, sound.space.id, main), pushed)
  writeFileSync(head, text)
  assert.is((await app.admin.get(damaged.api)).status, 200)
})

test('a space that is created again under its id is opened again', async () => {
  const { space } = await makeSpace(app, files)
  assert.ok(isOpened(app.ctx, space.id))
  app.ctx.store.transact(() => deleteSpace(app.ctx.store, space.id))
  await removeRepository(app.ctx, space.id)
  beginOpening(app.ctx)
  assert.not(isOpened(app.ctx, space.id))
})

test.run()
