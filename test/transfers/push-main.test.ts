import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken } from '../../src/actions/people/create-token.ts'
import { listPacks } from '../../src/git/disk/list-packs.ts'
import { writePacks } from '../../src/git/objects/pack.ts'
import { asOid } from '../../src/lib/oid.ts'
import { remoteOf } from '../support/git/client.ts'
import { openPushBench, type PushBench, told } from '../support/git/pushing.ts'
import { until } from '../support/until.ts'

const blobOf = (text: string) => {
  const whole = Buffer.from(`blob ${text.length}\0${text}`)
  return { oid: asOid(createHash('sha1').update(whole).digest('hex')), whole: () => whole }
}

let bench: PushBench
test.before(async () => {
  bench = await openPushBench()
})
test.after(() => bench.stop())

test('a push to main is a revision, with its user in the event', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  const commit = await bench.commit(clone, { 'one.md': '# One\n\nNew words.\n' })
  const pushed = await bench.push(clone, 'origin', 'HEAD')

  assert.is(pushed.code, 0)
  assert.is(told(pushed).length, 1)
  assert.match(told(pushed)[0]!, / main$|HEAD -> main/)
  assert.is(bench.refs(id).main, commit)
  const content = await bench.app.admin.get(`/v1/spaces/${id}/content`)

  assert.is(content.body.id, commit)
  const last = bench.events(id).at(-1)!

  assert.is(last.action, 'space.content_updated')
  assert.is(last.user, 'ada')
  assert.is(last.details.revision, commit)
  assert.is(last.details.pushed, true)
  assert.match((await bench.app.admin.get(`/v1/spaces/${id}/content/path/one`)).text, /New words/)
})

test('an untouched space takes the history as it is, and the name of its branch', async () => {
  for (const branch of ['main', 'trunk']) {
    const id = await bench.untouched()
    const first = bench.refs(id).main!
    await bench.client.ok(['init', '-q', '-b', branch, `own-${branch}`])
    await bench.commit(`own-${branch}`, { 'README.md': '# Mine\n' })
    const commit = await bench.commit(`own-${branch}`, { 'a.md': '# A\n' })
    const { protocol, host } = new URL(bench.app.url)
    const url = `${protocol}//x:${bench.app.admin.token}@${host}/${id}.git`
    const pushed = await bench.push(`own-${branch}`, '-u', url, branch)

    assert.is(pushed.code, 0, pushed.stderr)
    assert.equal(bench.refs(id), { [branch]: commit })
    assert.is(bench.inside(id, 'symbolic-ref', 'HEAD'), `refs/heads/${branch}`)
    assert.is(bench.inside(id, 'rev-parse', `refs/stemma/keep/${first}`), first)
    assert.is((await bench.app.admin.get(`/v1/spaces/${id}/content`)).body.id, commit)
    assert.is(bench.events(id).at(-1)!.details.pushed, true)
    const again = await bench.commit(`own-${branch}`, { 'b.md': '# B\n' })

    assert.is((await bench.push(`own-${branch}`, url, branch)).code, 0)
    assert.is(bench.refs(id)[branch], again)
  }
})

test('of several branches main becomes the primary one, and the others change requests', async () => {
  const id = await bench.untouched()
  await bench.client.ok(['init', '-q', '-b', 'main', 'several'])
  const base = await bench.commit('several', { 'README.md': '# Mine\n' })
  await bench.client.ok(['checkout', '-q', '-b', 'idea'], { in: 'several' })
  const idea = await bench.commit('several', { 'idea.md': '# Idea\n' }, 'An idea')
  const { protocol, host } = new URL(bench.app.url)
  const url = `${protocol}//x:${bench.app.admin.token}@${host}/${id}.git`
  const pushed = await bench.push('several', url, '--all')

  assert.is(pushed.code, 0, pushed.stderr)
  assert.equal(bench.refs(id), { 'change-requests/1': idea, main: base })
  const [request] = await bench.requests(id)

  assert.is(request!.branch, 'idea')
  assert.is(request!.subject, 'An idea')
})

test('a branch from a clone of an untouched space is a change request', async () => {
  const id = await bench.untouched()
  const clone = await bench.clone(id)
  const main = bench.refs(id).main!
  await bench.client.ok(['checkout', '-q', '-b', 'idea'], { in: clone })
  const idea = await bench.commit(clone, { 'idea.md': '# Idea\n' })
  const pushed = await bench.push(clone, 'origin', 'idea')
  assert.is(pushed.code, 0, pushed.stderr)
  assert.equal(bench.refs(id), { 'change-requests/1': idea, main })
})

test('a token for change requests alone proposes a branch to an untouched space, and cannot begin it', async () => {
  const id = await bench.untouched()
  const clone = await bench.clone(id)
  const main = bench.refs(id).main!
  const idea = await bench.commit(clone, { 'idea.md': '# Idea\n' })
  const urlFor = (...scopes: string[]) => {
    const order = { userId: bench.app.admin.id, name: 'x', scopes: ['content:read', ...scopes] }
    return remoteOf(
      bench.app.url,
      id,
      createToken(bench.app.ctx.store, order, bench.app.ctx.now()).secret,
    )
  }

  await bench.client.ok(['checkout', '-q', '--orphan', 'alone'], { in: clone })
  await bench.commit(clone, { 'alone.md': '# Alone\n' })

  for (const ref of ['alone', 'alone:main']) {
    const refused = await bench.push(clone, '-f', urlFor('change-requests:write'), ref)
    assert.match(refused.stderr, /needs a token with the scope "content:write"/, refused.stderr)
  }

  const wrong = await bench.push(clone, urlFor('content:write'), 'main:idea')

  assert.match(wrong.stderr, /needs a token with the scope "change-requests:write"/, wrong.stderr)
  await bench.app.admin.patch(`/v1/spaces/${id}`, { editMode: 'locked' })
  const locked = await bench.push(clone, urlFor('content:write'), 'alone')

  assert.match(locked.stderr, /The space is locked: change it with a change request/, locked.stderr)
  assert.equal(bench.refs(id), { main })
  const proposed = await bench.push(clone, urlFor('change-requests:write'), 'main:idea')

  assert.is(proposed.code, 0, proposed.stderr)
  assert.equal(bench.refs(id), { 'change-requests/1': idea, main })
})

test('a merge of an open change request merges it; a fast-forward to one does not', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  const merge = async (title: string, ...how: string[]) => {
    await bench.client.ok(['checkout', '-q', '-B', title, 'origin/main'], { in: clone })
    await bench.commit(clone, { [`${title}.md`]: `# ${title}\n` }, title)
    assert.is((await bench.push(clone, 'origin', 'HEAD:refs/for/main')).code, 0)
    await bench.client.ok(['checkout', '-q', 'main'], { in: clone })
    await bench.client.ok(['merge', '-q', ...how, title], { in: clone })
    return bench.push(clone, 'origin', 'main')
  }
  const pushed = await merge('merged', '--no-ff')
  const [request] = (await bench.app.admin.get(`/v1/spaces/${id}/change-requests?status=merged`))
    .body.items

  assert.ok(told(pushed).includes('remote: Change request #1 merged: merged'), pushed.stderr)
  assert.is(request.revisionMerged, bench.refs(id).main)
  assert.equal(Object.keys(bench.refs(id)), ['main'])
  const event = bench.events(request.id).at(-1)!

  assert.is(event.action, 'change_request.merged')
  assert.is(event.user, 'ada')
  assert.equal(event.details, {
    number: 1,
    revision: bench.refs(id).main,
    from: bench.inside(id, 'rev-parse', 'main^1'),
    merged: bench.inside(id, 'rev-parse', 'main^2'),
    pushed: true,
  })
  await bench.client.ok(['fetch', '-q'], { in: clone })
  await merge('forwarded', '--ff-only')
  assert.equal(Object.keys(bench.refs(id)), ['change-requests/2', 'main'])
})

test('a merge of commits that two change requests have merges both', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  await bench.client.ok(['checkout', '-q', '-b', 'mine'], { in: clone })
  await bench.commit(clone, { 'a.md': '# A\n' })
  for (const name of ['mine', 'other']) await bench.push(clone, 'origin', `HEAD:refs/heads/${name}`)
  assert.equal(Object.keys(bench.refs(id)), ['change-requests/1', 'change-requests/2', 'main'])
  await bench.client.ok(['checkout', '-q', 'main'], { in: clone })
  await bench.client.ok(['merge', '-q', '--no-ff', 'mine'], { in: clone })
  const pushed = await bench.push(clone, 'origin', 'main')

  assert.is(pushed.code, 0, pushed.stderr)
  assert.equal(Object.keys(bench.refs(id)), ['main'])
  const { items } = (await bench.app.admin.get(`/v1/spaces/${id}/change-requests?status=merged`))
    .body

  assert.equal(items.map(({ number }: { number: number }) => number).sort(), [1, 2])
})

test('a push of what is there is up to date; one that lost the race is told to fetch', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  assert.match((await bench.push(clone, 'origin', 'main')).stderr, /Everything up-to-date/)
  await bench.commit(clone, { 'a.md': '# A\n' })
  const revision = await bench.edit(id, 'Two')
  const behind = await bench.push(clone, 'origin', 'main')

  assert.match(behind.stderr, /rejected.*fetch first/)
  const forced = await bench.push(clone, '--force', 'origin', 'main')

  assert.ok(
    told(forced).some(line => line.endsWith('(non-fast-forward: a push only adds)')),
    forced.stderr,
  )
  assert.ok(told(forced).includes('remote: Merge main and push again.'), forced.stderr)
  assert.is(bench.refs(id).main, revision)
})

test('many packs of pushes are combined soon after', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  const packs = async () => (await listPacks(bench.repo(id))).length

  // Objects of other pushes that went before.
  const folder = join(bench.repo(id).dir, 'objects/pack')

  for (let i = 0; i < 21; i++) await writePacks(folder, [blobOf(`text ${i}`)])
  await bench.commit(clone, { 'a.md': '# A\n' })
  assert.is((await bench.push(clone, 'origin', 'main')).code, 0)
  await until('the packs are one', async () => ((await packs()) < 20 ? true : undefined))
})

test.run()
