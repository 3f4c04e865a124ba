import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { listContributors } from '../../src/store/discussions/change-requests.ts'
import { query } from '../../src/store/store.ts'
import type { Actor, App } from '../support/app.ts'
import { openPushBench, type PushBench, told } from '../support/git/pushing.ts'

let bench: PushBench
let app: App
let bo: Actor
test.before(async () => {
  bench = await openPushBench()
  app = bench.app
  bo = bench.user('Bo', 'create')
})
test.after(() => bench.stop())

const urlOf = (spaceId: string, number: number) =>
  `remote:   ${app.ctx.publicUrl()}/app/s/${spaceId}/changes/${number}`

test('a push to refs/for/main opens a change request, and the next one goes on with it', async () => {
  const id = await bench.space()
  const main = bench.refs(id).main!
  const clone = await bench.clone(id, bo)
  const first = await bench.commit(clone, { 'how.md': '# How\n' }, 'How to install\n\nMore words.')
  const opened = await bench.push(clone, 'origin', 'HEAD:refs/for/main')

  assert.is(opened.code, 0, opened.stderr)
  const [request] = await bench.requests(id)

  assert.equal(told(opened), [
    'remote: Change request #1 opened: How to install',
    urlOf(id, 1),
    ' * [new branch]      HEAD -> change-requests/1',
  ])
  assert.equal(bench.refs(id), { 'change-requests/1': first, main })
  assert.is(request!.status, 'open')
  assert.is(request!.subject, 'How to install')
  assert.is(request!.revision, first)
  assert.is(request!.revisionInitial, main)
  assert.is(request!.createdBy.id, 'bo')
  assert.is(request!.branch, undefined)
  assert.equal(
    bench.events(request!.id).map(({ action, user, details }) => [action, user, details]),
    [
      ['change_request.opened', 'bo', { number: 1, revision: first, pushed: true }],
      ['change_request.content_updated', 'bo', { revision: first, from: main, pushed: true }],
    ],
  )
  const second = await bench.commit(clone, { 'how.md': '# How it works\n' })
  const updated = await bench.push(clone, 'origin', 'HEAD:refs/for/main')

  assert.is(told(updated)[0], 'remote: Change request #1 updated: How to install')
  assert.match(told(updated)[2]!, /HEAD -> change-requests\/1$/)
  assert.is(bench.refs(id)['change-requests/1'], second)
  assert.is(bench.events(request!.id).length, 3)
  const again = await bench.push(clone, 'origin', 'HEAD:refs/for/main')

  assert.is(told(again)[0], 'remote: Change request #1 is up to date: How to install')
  assert.is(bench.events(request!.id).length, 3)
  const contributors = listContributors(app.ctx.store, request!.id)

  assert.equal(
    contributors.map(each => [each.user_id, each.count]),
    [['bo', 2]],
  )
})

test("another user's push to refs/for/main opens a change request of their own", async () => {
  const id = await bench.space()
  const clone = await bench.clone(id, bo)
  await bench.commit(clone, { 'a.md': '# A\n' })
  await bench.push(clone, 'origin', 'HEAD:refs/for/main')
  const other = await bench.clone(id)

  await bench.client.ok(['checkout', '-q', 'change-requests/1'], { in: other })
  const commit = await bench.commit(other, { 'b.md': '# B\n' })

  assert.match(told(await bench.push(other, 'origin', 'HEAD:refs/for/main'))[0]!, /#2 opened/)

  // The branch of a change request takes the commits of everybody who may edit.
  assert.is((await bench.push(other, 'origin', 'HEAD:change-requests/1')).code, 0)
  assert.is(bench.refs(id)['change-requests/1'], commit)
})

test('who pushes has written it, whatever the commits say: the own review does not count', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id, bo)
  await bench.commit(clone, { 'a.md': '# A\n' })
  await bench.push(clone, 'origin', 'HEAD:refs/for/main')
  const [request] = await bench.requests(id)
  const other = await bench.clone(id)

  await bench.client.ok(['checkout', '-q', 'change-requests/1'], { in: other })
  await bench.commit(other, { 'b.md': '# B\n' })
  await bench.push(other, 'origin', 'HEAD:change-requests/1')
  const writers = app.ctx.store.all(
    query
      .selectFrom('change_request_contributor')
      .select('user_id')
      .where('change_request_id', '=', request!.id)
      .where('wrote', '=', 1),
  )
  assert.equal(writers.map(row => row.user_id).sort(), ['ada', 'bo'])
})

test('a new branch is a change request under its name, until it is merged', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  await bench.client.ok(['checkout', '-q', '-b', 'feature/install'], { in: clone })
  const first = await bench.commit(clone, { 'a.md': '# A\n' }, 'Install')
  const opened = await bench.push(clone, '-u', 'origin', 'HEAD')

  assert.is(told(opened)[0], 'remote: Change request #1 opened: Install')
  assert.match(told(opened)[2]!, /\* \[new branch\]\s+HEAD -> feature\/install$/)
  const [request] = await bench.requests(id)

  assert.is(request!.branch, 'feature/install')
  const list = await bench.client.ok(['ls-remote', 'origin'], { in: clone })

  assert.match(
    list,
    new RegExp(`${first}\trefs/heads/change-requests/1\n${first}\trefs/heads/feature/install\n`),
  )
  assert.equal(Object.keys(bench.refs(id)), ['change-requests/1', 'main'])
  const second = await bench.commit(clone, { 'a.md': '# Again\n' })

  assert.is((await bench.push(clone)).code, 0)
  assert.is(bench.refs(id)['change-requests/1'], second)

  // The other ways to the same change request.
  const third = await bench.commit(clone, { 'a.md': '# Three\n' })

  assert.is((await bench.push(clone, 'origin', 'HEAD:refs/for/main/feature/install')).code, 0)
  const fourth = await bench.commit(clone, { 'a.md': '# Four\n' })

  assert.is(
    (await bench.push(clone, '-o', 'topic=feature/install', 'origin', 'HEAD:refs/for/main')).code,
    0,
  )
  assert.is(bench.refs(id)['change-requests/1'], fourth)
  assert.ok(third !== fourth)
  await app.admin.post(`/v1/spaces/${id}/change-requests/1/merge`, {})
  assert.not.match(await bench.client.ok(['ls-remote', 'origin'], { in: clone }), /feature/)
  await bench.commit(clone, { 'a.md': '# Five\n' })
  await bench.client.ok(['fetch', '-q', '--prune'], { in: clone })
  assert.match(told(await bench.push(clone, 'origin', 'HEAD'))[0]!, /#2 opened/)
})

test('the option "draft" does not close an open change request, and says so', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  const remark = 'remote: The option "draft" is for new change requests only: #1 stays open.'
  await bench.commit(clone, { 'a.md': '# A\n' }, 'The subject')
  const opened = await bench.push(clone, 'origin', 'HEAD:refs/for/main')

  assert.not(told(opened).includes(remark))
  await bench.commit(clone, { 'b.md': '# B\n' }, 'More')
  const pushed = await bench.push(clone, '-o', 'draft', 'origin', 'HEAD:refs/for/main')

  assert.ok(told(pushed).includes(remark), told(pushed).join('\n'))
  const quiet = await bench.push(
    clone,
    '--no-progress',
    '-o',
    'draft',
    'origin',
    'HEAD:refs/for/main',
  )

  assert.ok(told(quiet).includes(remark), told(quiet).join('\n'))
  assert.is((await app.admin.get(`/v1/spaces/${id}/change-requests/1`)).body.status, 'open')

  await app.admin.patch(`/v1/spaces/${id}/change-requests/1`, { status: 'draft' })
  const again = await bench.push(clone, '-o', 'draft', 'origin', 'HEAD:refs/for/main')

  assert.not(told(again).includes(remark))
})

test('options name the title, the description and the status', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  await bench.commit(clone, { 'a.md': '# A\n' }, 'The subject')
  const options = [
    '-o',
    'title=A title; $(touch x)\x1b[31m',
    '-o',
    'description=One.\\nTwo.',
    '-o',
    'draft',
    '-o',
    'nonsense=1',
  ]
  const pushed = await bench.push(clone, ...options, 'origin', 'HEAD:refs/for/main')

  assert.is(told(pushed)[0], 'remote: Change request #1 drafted: A title; $(touch x) [31m')
  assert.ok(
    told(pushed).includes(
      'remote: The option "nonsense" is not known: title, description, draft and topic are.',
    ),
  )
  const { body } = await app.admin.get(`/v1/spaces/${id}/change-requests/1`)

  assert.is(body.status, 'draft', JSON.stringify(body))
  assert.is(body.subject, 'A title; $(touch x) [31m')
  assert.equal(
    body.description.nodes.map(
      (node: { nodes: { leaves: { text: string }[] }[] }) => node.nodes[0]?.leaves[0]?.text,
    ),
    ['One.', 'Two.'],
  )
  assert.is(bench.events(body.id)[0]!.action, 'change_request.drafted')
  const renamed = await bench.push(
    clone,
    '-o',
    `title=${'x'.repeat(150)}`,
    'origin',
    'HEAD:refs/for/main',
  )

  assert.match(told(renamed)[0]!, /#1 updated: x{100}$/)
  assert.equal(bench.events(body.id).at(-1), {
    action: 'change_request.updated',
    user: 'ada',
    details: { number: 1, changed: ['subject'] },
  })
})

test('a push without a terminal, and a quiet one, say what they did', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  await bench.commit(clone, { 'a.md': '# A\n' })
  const pushed = await bench.client.git(['push', '-q', 'origin', 'HEAD:refs/for/main'], {
    in: clone,
  })

  assert.is(pushed.code, 0)
  assert.match(told(pushed)[0]!, /^remote: Change request #1 opened/)
  await bench.client.ok(['checkout', '-q', '-b', 'other', 'HEAD~1'], { in: clone })
  await bench.commit(clone, { 'b.md': '# B\n' })
  const url = await bench.client.ok(['remote', 'get-url', 'origin'], { in: clone })
  const args = ['push', '--no-progress', url.trim(), 'HEAD:refs/for/main']
  const logged = await bench.client.git(args, { in: clone })

  assert.match(told(logged)[0]!, /^remote: Change request #2 opened/)
})

test('an atomic push is one operation: all of its branches move, or none', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  const main = await bench.commit(clone, { 'one.md': '# One more\n' })
  await bench.client.ok(['checkout', '-q', '-b', 'idea'], { in: clone })
  const idea = await bench.commit(clone, { 'idea.md': '# Idea\n' })
  const refused = await bench.push(clone, '--atomic', 'origin', 'main', 'idea', 'idea:refs/tags/v1')

  assert.equal(
    told(refused).map(line => line.replace(/\s+/g, ' ')),
    [
      ' ! [remote rejected] main -> main (another branch of an atomic push was refused)',
      ' ! [remote rejected] idea -> idea (another branch of an atomic push was refused)',
      ' ! [remote rejected] idea -> v1 (tags are not taken here)',
    ],
  )
  assert.equal(Object.keys(bench.refs(id)), ['main'])
  assert.is.not(bench.refs(id).main, main)
  const done = await bench.push(clone, '--atomic', 'origin', 'main', 'idea')

  assert.is(done.code, 0, done.stderr)
  assert.equal(bench.refs(id), { 'change-requests/1': idea, main })
})

test('the rest of a push that is not atomic is carried out', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  const main = await bench.commit(clone, { 'one.md': '# One more\n' })
  const pushed = await bench.push(clone, 'origin', 'main', 'main:refs/tags/v1')
  assert.is(pushed.code, 1)
  assert.is(bench.refs(id).main, main)
})

test('the address of a change request is its page in the workbench, also on a site', async () => {
  const id = await bench.space()
  await app.admin.post('/v1/orgs/acme/sites', { spaces: [id] })
  const clone = await bench.clone(id, bo)
  await bench.commit(clone, { 'how.md': '# How\n' }, 'How to install')
  const opened = await bench.push(clone, 'origin', 'HEAD:refs/for/main')
  assert.is(told(opened)[1], urlOf(id, 1))
})

test.run()
