import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Actor, App } from '../support/app.ts'
import { openPushBench, type PushBench, told } from '../support/git/pushing.ts'

let bench: PushBench
let app: App
let rae: Actor
let bo: Actor
test.before(async () => {
  bench = await openPushBench()
  app = bench.app
  rae = bench.user('Rae', 'review')
  bo = bench.user('Bo', 'edit')
})
test.after(() => bench.stop())

const mergeRules = { type: 'rules', rules: [{ rule: 'require_all_reviews_approved' }] }

/**
 * Makes a space with rules and a change request of Bo, and a clone of a reviewer who has merged it.
 */
async function mergedByReviewer(extra: Record<string, string> = {}) {
  const id = await bench.space({ mergeRules })
  const own = await bench.clone(id, bo)
  await bench.commit(own, { 'a.md': '# A\n' }, 'Add A')
  assert.is((await bench.push(own, 'origin', 'HEAD:refs/for/main')).code, 0)
  const clone = await bench.clone(id, rae)

  await bench.client.ok(['fetch', '-q', 'origin', 'change-requests/1'], { in: clone })
  await bench.client.ok(['merge', '-q', '--no-ff', '-m', 'Merge', 'FETCH_HEAD'], { in: clone })

  if (Object.keys(extra).length > 0) {
    await bench.commit(clone, extra, 'More')
    await bench.client.ok(['reset', '-q', '--soft', 'HEAD~1'], { in: clone })
    await bench.client.ok(['commit', '-q', '--amend', '--no-edit'], { in: clone })
  }

  return { id, clone, request: `/v1/spaces/${id}/change-requests/1` }
}

const approve = async (request: string) => {
  const { body } = await rae.get(request)
  const review = await rae.post(`${request}/reviews`, {
    status: 'approved',
    revision: body.revision,
  })
  assert.ok(review.status < 300, review.text)
}

const reasonOf = (lines: readonly string[]): string =>
  lines.flatMap(line => /\((.+)\)$/.exec(line)?.[1] ?? [])[0] ?? ''

async function refusal(id: string, clone: string): Promise<string> {
  const before = bench.refs(id)
  const pushed = await bench.push(clone, 'origin', 'HEAD:main')
  assert.is(pushed.code, 1, pushed.stderr)
  assert.equal(bench.refs(id), before)
  return reasonOf(told(pushed))
}

test('a pushed merge of a change request is judged by its rules', async () => {
  const { id, clone, request } = await mergedByReviewer()
  assert.match(
    await refusal(id, clone),
    /^Change request #1 does not fulfil the merge rules: .*approval/,
  )
  await approve(request)
  const pushed = await bench.push(clone, 'origin', 'HEAD:main')

  assert.is(pushed.code, 0, pushed.stderr)
  assert.is((await rae.get(request)).body.status, 'merged')
})

test('a pushed merge that brings more than its change request is refused', async () => {
  const { id, clone, request } = await mergedByReviewer({ 'more.md': '# More\n' })
  await approve(request)
  const reason =
    'The space has merge rules: only merges of change requests that fulfil them can be pushed'
  assert.is(await refusal(id, clone), reason)
})

test('a commit beside an approved merge is refused', async () => {
  const { id, clone, request } = await mergedByReviewer()
  await approve(request)
  await bench.commit(clone, { 'b.md': '# B\n' })
  assert.match(await refusal(id, clone), /^The space has merge rules/)
})

test('an admin pushes past the rules, and the audit log says so', async () => {
  const id = await bench.space({ mergeRules })
  const clone = await bench.clone(id)
  await bench.commit(clone, { 'a.md': '# A\n' })
  assert.is((await bench.push(clone, 'origin', 'HEAD:main')).code, 0)
  const { items } = (await app.admin.get('/v1/orgs/acme/audit-events?action=space.content_updated'))
    .body
  assert.is(items[0].details.bypassed, true)
})

test('an admin merges past the rules if they say so, and the audit log says so', async () => {
  const { id, request } = await mergedByReviewer()
  assert.is((await app.admin.post(`${request}/merge`, {})).status, 412)
  assert.is((await rae.post(`${request}/merge`, { bypassRules: true })).status, 412)
  const merged = await app.admin.post(`${request}/merge`, { bypassRules: true })
  assert.is(merged.status, 200, merged.text)
  const { id: requestId } = (await app.admin.get(request)).body
  assert.is(bench.events(requestId).at(-1)?.details.bypassed, true)
  assert.ok(bench.refs(id).main)
})

test.run()
