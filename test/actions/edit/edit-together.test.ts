import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { viewCache } from '../../../src/actions/revisions/view-revision.ts'
import { listIntents } from '../../../src/store/git/intents.ts'
import { putPermission } from '../../../src/store/people/permissions.ts'
import { sqlRows } from '../../../src/store/store.ts'
import type { Role } from '../../../src/store/tables/roles.ts'
import { makeSpace, type Space } from '../../api/change-requests/workbench.ts'
import { type Actor, type App, type Reply, startApp } from '../../support/app.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { sendInLine } from '../../support/in-line.ts'

let app: App

test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

const pages = ['a', 'b', 'c', 'd', 'e', 'f']

async function spaceWithPages(): Promise<
  Space & { content: string; idOf: (page: string) => Promise<string> }
> {
  const space = await makeSpace(app)
  const summary = `# Table of contents\n\n${pages.map(page => `* [${page}](${page}.md)\n`).join('')}`
  const texts = pages.map(page => [`${page}.md`, `# ${page}\n\nOne.\n\nTwo.\n\nThree.\n`])
  await space.commit({ ...Object.fromEntries(texts), 'SUMMARY.md': summary })
  const content = `/v1/spaces/${space.id}/content`

  return {
    ...space,
    content,
    idOf: async page => (await app.admin.get(`${content}/path/${page}`)).body.id,
  }
}

const update = (page: string, markdown: string, more: object = {}) => ({
  operation: 'update_page',
  page,
  document: { markdown },
  ...more,
})

/**
 * Sends requests while the space's lock is held, so that they wait together. Returns their replies
 * in order.
 */
async function together(
  space: Space,
  requests: readonly (() => Promise<Reply>)[],
  meanwhile: () => unknown = () => {},
): Promise<Reply[]> {
  const replies: Promise<Reply>[] = []
  await app.ctx.locks.run(space.id, async () => {
    for (const request of requests)
      replies.push((await sendInLine(app.ctx.locks, space.id, request)).reply)
    await meanwhile()
  })
  return Promise.all(replies)
}

const grant = (space: Space, user: Actor, role: Role) =>
  putPermission(app.ctx.store, {
    target_kind: 'space',
    target_id: space.id,
    subject_kind: 'user',
    subject_id: user.id,
    role,
    created_at: space.row.created_at,
  })

const lines = (space: Space, args: string[]) => gitOutside(space.repo.dir, args).trim().split('\n')

test('edits that wait together become one commit each and keep their Idempotency-Keys', async () => {
  const space = await spaceWithPages()
  const ids = await Promise.all(pages.map(space.idOf))
  const before = await space.head()
  const send = (id: string, i: number) =>
    app.admin.post(
      space.content,
      { changes: [update(id, `# ${pages[i]}\n\nNew ${i}.\n`)] },
      { 'idempotency-key': `${space.id}-${i}` },
    )

  const replies = await together(
    space,
    ids.map((id, i) => () => send(id, i)),
  )

  assert.equal(
    replies.map(reply => reply.status),
    pages.map(() => 200),
  )
  const revisions = replies.map(reply => reply.body.revision)

  for (const [i, revision] of revisions.entries()) {
    const again = await send(ids[i]!, i)
    assert.is(again.headers.get('idempotent-replayed'), 'true')
    assert.is(again.body.revision, revision)
    const page = await app.admin.get(`/v1/spaces/${space.id}/revisions/${revision}/page/${ids[i]}`)
    assert.match(page.body.markdown, `New ${i}.`)
  }

  const { body: history } = await app.admin.get(`/v1/spaces/${space.id}/revisions?limit=6`)
  const made = lines(space, ['log', '--first-parent', '--format=%H', `${before}..main`])

  assert.equal(made.toSorted(), revisions.toSorted())
  assert.equal(
    history.items.map((item: { id: string }) => item.id),
    made,
  )
  const changed = lines(space, ['log', '--format=', '--name-only', `${before}..main`])

  assert.equal(
    changed.toSorted(),
    pages.map(page => `${page}.md`),
  )
  assert.is(listIntents(app.ctx.store).length, 0)
})

test('an edit that fails is refused, and the others waiting with it are made', async () => {
  const space = await spaceWithPages()
  const [a, b, c] = (await Promise.all(['a', 'b', 'c'].map(space.idOf))) as [string, string, string]
  const base = await space.head()
  const post = (change: object, headers = {}) =>
    app.admin.post(space.content, { changes: [change] }, headers)
  const replies = await together(space, [
    () => post(update(a, '# a\n\nOne!\n\nTwo.\n\nThree.\n', { baseRevision: base })),
    () => post(update('nothing', '# x\n')),
    () => post(update(a, '# a\n\nOne.\n\nTwo.\n\nThree!\n', { baseRevision: base })),
    () => post(update(a, '# a\n\nOne?\n\nTwo.\n\nThree.\n', { baseRevision: base })),
    () => post(update(b, '# b\n\nNew.\n'), { 'if-match': `"${base}"` }),
    () => post(update(c, '# c\n\nOne.\n\nTwo.\n\nThree.\n')),
    () => post({ operation: 'insert_page', title: 'New', document: { markdown: 'Text.\n' } }),
    () => post(update(b, '# Other title\n\nNew.\n')),
  ])

  assert.equal(
    replies.map(reply => reply.status),
    [200, 404, 200, 409, 412, 200, 200, 200],
    replies.map(reply => reply.text).join('\n'),
  )

  assert.is(
    gitOutside(space.repo.dir, ['show', 'main:a.md']).trim(),
    '# a\n\nOne!\n\nTwo.\n\nThree!',
  )
  assert.match(gitOutside(space.repo.dir, ['show', 'main:new.md']), 'Text.')
  assert.match(gitOutside(space.repo.dir, ['show', 'main:b.md']), '# Other title')
  assert.is(replies[4]!.body.details.revision, replies[2]!.body.revision)
  assert.is(replies[5]!.body.revision, replies[2]!.body.revision, 'nothing changed')
  assert.equal(lines(space, ['rev-list', '--count', `${base}..main`]), ['4'])
})

test('a user who loses the right to edit while waiting is refused alone', async () => {
  const space = await spaceWithPages()
  const [a, b, c] = (await Promise.all(['a', 'b', 'c'].map(space.idOf))) as [string, string, string]
  const [one, two] = [space.user('Together-one', 'edit'), space.user('Together-two', 'edit')]
  const base = await space.head()
  const replies = await together(
    space,
    [
      () => one.post(space.content, { changes: [update(a, '# a\n\nOne.\n')] }),
      () => two.post(space.content, { changes: [update(b, '# b\n\nTwo.\n')] }),
      () => one.post(space.content, { changes: [update(c, '# c\n\nOne.\n')] }),
    ],
    () => grant(space, two, 'read'),
  )

  assert.equal(
    replies.map(reply => reply.status),
    [200, 403, 200],
  )
  assert.equal(lines(space, ['rev-list', '--count', `${base}..main`]), ['2'])
})

test('only the edits that were begun are reported as unfinished', async () => {
  const space = await spaceWithPages()
  const [a, b] = (await Promise.all(['a', 'b'].map(space.idOf))) as [string, string]
  const post = (change: object, headers = {}) =>
    app.admin.post(space.content, { changes: [change] }, headers)
  const base = await space.head()
  const execute = (text: string) => app.ctx.store.run(sqlRows(sql.raw(text)))

  execute(
    `create trigger broken before update on space when old.id = '${space.id}' begin select raise(abort, 'no room'); end`,
  )
  const replies = await together(space, [
    () => post(update(a, '# a\n\nBegun.\n')),
    () => post(update(b, '# b\n\nRefused.\n'), { 'if-match': `"${base}"` }),
    () => post(update(b, '# b\n\nBegun.\n')),
    () => post({ operation: 'insert_page', title: 'Never', document: { markdown: 'Text.\n' } }),
  ])

  execute('drop trigger broken')
  assert.equal(
    replies.map(({ status, body }) => [status, /was started/.test(body.error.message)]),
    [
      [503, true],
      [412, false],
      [503, true],
      [503, false],
    ],
    replies.map(reply => reply.text).join('\n'),
  )
  assert.is((await post(update(a, '# a\n\nNext.\n'))).status, 200)
  assert.match(gitOutside(space.repo.dir, ['show', 'main:b.md']), 'Begun.')
  assert.not(lines(space, ['ls-tree', '--name-only', 'main']).includes('never.md'))
})

test('a refused edit leaves no objects in the repository', async () => {
  const space = await spaceWithPages()
  const path = `${`${'d'.repeat(240)}/`.repeat(4)}deep.md`
  await space.commit({
    [path]: '# Deep\n',
    'SUMMARY.md': `# Table of contents\n\n* [Deep](${path})\n`,
  })
  const into = (await app.admin.get(`${space.content}/path/deep`)).body.id
  const objects = () =>
    lines(space, ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)'])
  const before = objects()
  const document = { markdown: 'In a path that gets too long.\n' }
  const refused = await app.admin.post(space.content, {
    changes: [{ operation: 'insert_page', title: 'New', slug: 's'.repeat(90), into, document }],
  })

  assert.is(refused.status, 400, refused.text)
  assert.match(refused.body.error.message, 'is not a valid file path')
  assert.equal(objects(), before)
})

test('an edit of the primary content is refused by a merge rule set while it waits', async () => {
  const space = await spaceWithPages()
  const a = await space.idOf('a')
  const editor = space.user('Ruled', 'edit')
  const base = await space.head()
  const rules = { type: 'rules', rules: [{ rule: 'require_change_request_subject' }] }
  const [reply] = await together(
    space,
    [() => editor.post(space.content, { changes: [update(a, '# a\n\nNew.\n')] })],
    async () => {
      const set = await app.admin.patch(`/v1/spaces/${space.id}`, { mergeRules: rules })
      assert.is(set.status, 200, set.text)
    },
  )

  assert.is(reply!.status, 403, reply!.text)
  assert.match(reply!.body.error.message, 'merge rules')
  assert.is(await space.head(), base)
})

test('edits of a change request that wait together are all on its branch and report whether it is outdated', async () => {
  const space = await spaceWithPages()
  const [a, b, c] = (await Promise.all(['a', 'b', 'c'].map(space.idOf))) as [string, string, string]
  const { body: request } = await space.open(app.admin, 'Two edits')
  const content = `${space.path}/${request.id}/content`
  const both = (x: string, y: string) => [
    () => app.admin.post(content, { changes: [update(a, `# a\n\n${x}\n`)] }),
    () => app.admin.post(content, { changes: [update(b, `# b\n\n${y}\n`)] }),
  ]
  const first = await together(space, both('1', '2'))

  assert.equal(
    first.map(({ status, body }) => [status, body.outdated]),
    [
      [200, false],
      [200, false],
    ],
  )

  assert.is(
    (await app.admin.post(space.content, { changes: [update(c, '# c\n\n3\n')] })).status,
    200,
  )
  const second = await together(space, both('4', '5'))

  assert.equal(
    second.map(({ status, body }) => [status, body.outdated]),
    [
      [200, true],
      [200, true],
    ],
  )
  assert.is(await space.head(request.number), second[1]!.body.revision)
  const shown = await app.admin.get(`${space.path}/${request.id}`)

  assert.is(shown.body.revision, second[1]!.body.revision)
  assert.is(shown.body.outdated, true)
  assert.is((await app.admin.post(`${space.path}/${request.id}/update`)).status, 200)
  const [third] = await together(space, both('6', '7'))

  assert.is(third!.body.outdated, false)
  assert.equal(
    lines(space, [
      'rev-list',
      '--count',
      '--no-merges',
      `main..${await space.head(request.number)}`,
    ]),
    ['6'],
  )
})

test('every commit has an identity note if pages kept their ids over a rename', async () => {
  const space = await spaceWithPages()
  const [a, b] = (await Promise.all(['a', 'b'].map(space.idOf))) as [string, string]
  const renamed = await app.admin.post(space.content, {
    changes: [{ operation: 'update_page', page: a, slug: 'other' }],
  })
  assert.is(renamed.status, 200, renamed.text)
  const replies = await together(space, [
    () => app.admin.post(space.content, { changes: [update(a, '# a\n\nX\n')] }),
    () => app.admin.post(space.content, { changes: [update(b, '# b\n\nY\n')] }),
  ])

  for (const { status, body } of replies) {
    assert.is(status, 200)
    app.ctx.caches.get(viewCache).delete(`${space.id} ${body.revision}`)
    const page = await app.admin.get(`/v1/spaces/${space.id}/revisions/${body.revision}/page/${a}`)
    assert.is(page.body.git.path, 'other.md')
    assert.match(
      gitOutside(space.repo.dir, [
        'notes',
        '--ref=refs/notes/stemma/identity',
        'show',
        body.revision,
      ]),
      a,
    )
  }
})

test.run()
