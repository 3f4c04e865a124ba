import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openPushBench, type PushBench, told } from '../support/git/pushing.ts'
import { beginPush, pushBody } from '../support/git/raw-push.ts'

let bench: PushBench
test.before(async () => {
  bench = await openPushBench()
})
test.after(() => bench.stop())

const git = (folder: string, ...args: string[]) => bench.client.git(args, { in: folder })
const ok = (folder: string, ...args: string[]) => bench.client.ok(args, { in: folder })

/** A space, and a clone of it with a commit on main. */
async function prepared() {
  const id = await bench.space()
  const clone = await bench.clone(id)
  const base = bench.refs(id).main!
  const commit = await bench.commit(clone, { 'a.md': '# A\n' }, 'Page A')
  return { id, clone, base, commit }
}

/** The lines of `git push --porcelain` about refs. */
const porcelain = (stdout: string): string[] =>
  stdout.split('\n').filter(line => /^[ !=*+-]\t/.test(line))

test('a push follows the version of the client, and version 2 is version 0', async () => {
  for (const [version, says] of [
    ['0', false],
    ['1', true],
    ['2', false],
  ] as const) {
    const { id, clone, commit } = await prepared()
    const { code, stderr } = await bench.client.git(
      ['-c', `protocol.version=${version}`, 'push', 'origin', 'main'],
      {
        in: clone,
        env: { GIT_TRACE_PACKET: '1' },
      },
    )

    assert.is(code, 0, stderr)
    assert.is(/< version 1/.test(stderr), says)
    assert.not.match(stderr, /< version 2/)
    assert.is(bench.refs(id).main, commit)
  }
})

test('a client that negotiates sends only what the server lacks', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)

  // The client does not have the commit that the server offers.
  await bench.edit(id, 'Meanwhile')
  const objects: number[] = []

  for (const negotiate of ['false', 'true']) {
    await bench.commit(clone, { [`${negotiate}.md`]: '# Negotiated\n' })
    const { code, stderr } = await bench.client.git(
      ['-c', `push.negotiate=${negotiate}`, 'push', '--progress', 'origin', 'HEAD~0:refs/for/main'],
      { in: clone, env: { GIT_TRACE_PACKET: '1' } },
    )

    assert.is(code, 0, stderr)
    assert.is(/fetch> wait-for-done/.test(stderr), negotiate === 'true')
    objects.push(Number(/Total (\d+) /.exec(stderr)?.[1]))
    await bench.client.ok(['reset', '-q', '--hard', 'origin/main'], { in: clone })
  }

  assert.ok(objects[1] === 3 && objects[0]! > 3, objects.join(' and '))
})

test('pushes are told to programs as well: done, up to date and refused', async () => {
  const { id, clone, base, commit } = await prepared()
  const first = await git(clone, 'push', '--porcelain', 'origin', 'main')
  assert.equal(porcelain(first.stdout), [
    ` \trefs/heads/main:refs/heads/main\t${base.slice(0, 7)}..${commit.slice(0, 7)}`,
  ])
  assert.match(first.stdout, /^Done$/m)
  await bench.commit(clone, { 'b.md': '# B\n' })
  const mixed = await git(
    clone,
    'push',
    '--porcelain',
    'origin',
    'HEAD~1:main',
    'HEAD:idea',
    'HEAD:refs/tags/v1',
  )

  assert.is(mixed.code, 1)
  assert.equal(porcelain(mixed.stdout).sort(), [
    '!\tHEAD:refs/tags/v1\t[remote rejected] (tags are not taken here)',
    '*\tHEAD:refs/heads/idea\t[new branch]',
    '=\tHEAD~1:refs/heads/main\t[up to date]',
  ])
  assert.equal(Object.keys(bench.refs(id)), ['change-requests/1', 'main'])
})

test('a dry run changes nothing', async () => {
  const { id, clone, base } = await prepared()
  for (const ref of ['main', 'HEAD:refs/for/main', 'HEAD:idea']) {
    const dry = await git(clone, 'push', '--dry-run', 'origin', ref)
    assert.is(dry.code, 0, dry.stderr)
  }
  assert.equal(bench.refs(id), { main: base })
  assert.is((await bench.requests(id)).length, 0)
})

test('the branches of the clone are updated with what was pushed, and not with what was refused', async () => {
  const { clone, base, commit } = await prepared()
  assert.is((await bench.push(clone, 'origin', 'main:refs/tags/v1')).code, 1)
  assert.is(await ok(clone, 'rev-parse', 'origin/main'), base)
  assert.is((await bench.push(clone, '-u', 'origin', 'main:idea')).code, 0)
  assert.is(await ok(clone, 'rev-parse', 'origin/idea'), commit)
  assert.is(await ok(clone, 'rev-parse', '--abbrev-ref', 'main@{upstream}'), 'origin/idea')
})

test('tags are refused in every way that Git has for them', async () => {
  const { id, clone, commit } = await prepared()
  await ok(clone, 'tag', 'light')
  await ok(clone, 'tag', '-a', '-m', 'Signed off', 'heavy')
  const refusal =
    /\[remote rejected\] +(?:light|heavy) -> (?:light|heavy) \(tags are not taken here\)/
  const all = await bench.push(clone, '--tags', 'origin')

  assert.is(all.code, 1)
  assert.is(told(all).filter(line => refusal.test(line)).length, 2)

  // The branch goes through: only the tag that follows it is refused.
  const following = await bench.push(clone, '--follow-tags', 'origin', 'main')

  assert.is(following.code, 1)
  assert.is(told(following).filter(line => refusal.test(line)).length, 1)
  assert.is(bench.refs(id).main, commit)
  assert.is(bench.inside(id, 'for-each-ref', 'refs/tags'), '')
  const tag = await ok(clone, 'rev-parse', 'heavy')

  assert.throws(() => bench.inside(id, 'cat-file', '-e', tag), 'the object of the tag was stored')
})

test('a tag is no branch under another name', async () => {
  const { id, clone } = await prepared()
  await ok(clone, 'tag', '-a', '-m', 'A tag', 'heavy')
  const tag = await ok(clone, 'rev-parse', 'heavy')
  const tree = await ok(clone, 'rev-parse', 'HEAD^{tree}')

  for (const oid of [tag, tree]) {
    const pushed = await git(clone, 'push', 'origin', `${oid}:refs/for/main`)
    assert.is(pushed.code, 1, pushed.stderr)
    assert.match(pushed.stderr, /\[remote rejected\]/)
  }

  assert.equal(Object.keys(bench.refs(id)), ['main'])
})

test('a mirror and a pruning push delete nothing', async () => {
  const { id, clone, base } = await prepared()
  await bench.push(clone, 'origin', 'main:idea')
  const idea = bench.refs(id)['change-requests/1']!
  await ok(clone, 'reset', '-q', '--hard', base)

  for (const args of [
    ['--mirror', 'origin'],
    ['--prune', 'origin', 'refs/heads/*:refs/heads/*'],
  ]) {
    const pushed = await bench.push(clone, ...args)
    assert.is(pushed.code, 1)
    const deletions = told(pushed).filter(line =>
      line.endsWith('(branches are not deleted: archive the change request instead)'),
    )
    assert.is(deletions.length, 2, pushed.stderr)
    assert.equal(bench.refs(id), { 'change-requests/1': idea, main: base })
  }
})

test('a deletion of main, of several branches, and of what is not there', async () => {
  const { id, clone } = await prepared()
  await bench.push(clone, 'origin', 'main:idea')
  const refs = bench.refs(id)
  const { stdout } = await git(clone, 'push', '--porcelain', '--delete', 'origin', 'main', 'idea')

  assert.equal(porcelain(stdout).sort(), [
    '!\t:refs/heads/idea\t[remote rejected] (branches are not deleted: archive the change request instead)',
    '!\t:refs/heads/main\t[remote rejected] (branches are not deleted: archive the change request instead)',
  ])
  const absent = await git(clone, 'push', '--delete', 'origin', 'nowhere')

  assert.match(absent.stderr, /unable to delete 'nowhere': remote ref does not exist/)
  assert.equal(bench.refs(id), refs)
})

test('a lease does not make a rewrite possible', async () => {
  const { id, clone, base } = await prepared()
  await bench.push(clone, 'origin', 'main')
  const refs = bench.refs(id)
  await ok(clone, 'reset', '-q', '--hard', base)
  await bench.commit(clone, { 'other.md': '# Other\n' })
  const stale = await bench.push(clone, `--force-with-lease=main:${base}`, 'origin', 'main')

  assert.match(stale.stderr, /\[rejected\] +main -> main \(stale info\)/)
  const right = await bench.push(clone, '--force-with-lease', 'origin', 'main')

  assert.match(
    right.stderr,
    /\[remote rejected\] main -> main \(non-fast-forward: a push only adds\)/,
  )
  assert.equal(bench.refs(id), refs)
})

test('an atomic push that the client refuses is not sent, and one that the server refuses moves nothing', async () => {
  const { id, clone, base } = await prepared()
  await ok(clone, 'branch', 'idea')
  await ok(clone, 'branch', 'other')
  await bench.edit(id, 'Two')
  const moved = bench.refs(id)
  const here = await bench.push(clone, '--atomic', 'origin', 'main', 'idea')

  assert.match(here.stderr, /! \[rejected\] +main -> main \(fetch first\)/)
  assert.not.match(here.stderr, /new branch/)
  assert.equal(bench.refs(id), moved)
  const there = await bench.push(
    clone,
    '--atomic',
    'origin',
    'idea',
    'other',
    `${base}:refs/heads/Main`,
  )

  assert.is(
    told(there).filter(line => /another branch of an atomic push was refused/.test(line)).length,
    2,
  )
  assert.equal(bench.refs(id), moved)
  const both = await bench.push(clone, '--atomic', 'origin', 'idea', 'other')

  assert.is(both.code, 0, both.stderr)
  assert.equal(Object.keys(bench.refs(id)), ['change-requests/1', 'change-requests/2', 'main'])
})

test('options come from the command line or the settings, an empty one clears the latter', async () => {
  const { id, clone } = await prepared()
  await ok(clone, 'config', 'push.pushOption', 'title=From the settings')
  assert.match(
    told(await bench.push(clone, 'origin', 'main:one'))[0]!,
    /#1 opened: From the settings$/,
  )
  const own = await bench.push(clone, '-o', 'title=From the command', 'origin', 'main:two')

  assert.match(told(own)[0]!, /#2 opened: From the command$/)
  const cleared = await bench.client.git(
    ['-c', 'push.pushOption=', 'push', '--progress', 'origin', 'main:three'],
    {
      in: clone,
    },
  )

  assert.match(told(cleared)[0]!, /#3 opened: Page A$/)
  const line = await git(clone, 'push', '-o', 'a\nb', 'origin', 'main:four')

  assert.match(line.stderr, /push options must not have new line characters/)
  assert.is((await bench.requests(id)).length, 3)
})

test('more options than allowed are refused, and nothing is done', async () => {
  const { id, clone } = await prepared()
  const many = Array.from({ length: 51 }, (_, i) => ['-o', `x${i}`]).flat()
  const pushed = await bench.push(clone, ...many, 'origin', 'main:one')
  assert.is(pushed.code, 1)
  assert.match(pushed.stderr, /HTTP 400/)
  assert.equal(Object.keys(bench.refs(id)), ['main'])
})

test('a signed push is refused by the client, or sent unsigned where that will do', async () => {
  const { id, clone, commit } = await prepared()
  const signed = await bench.push(clone, '--signed=yes', 'origin', 'main')
  assert.is(signed.code, 1)
  assert.match(signed.stderr, /the receiving end does not support --signed push/)
  const pushed = await bench.push(clone, '--signed=if-asked', 'origin', 'main')
  assert.is(pushed.code, 0, pushed.stderr)
  assert.is(bench.refs(id).main, commit)
})

test('a pack beyond the buffer of the client is sent in chunks, after a request that tries the credentials', async () => {
  const { id, clone } = await prepared()
  const commit = await bench.commit(clone, { 'noise.txt': randomBytes(200_000).toString('base64') })
  const { code, stderr } = await bench.client.git(
    ['-c', 'http.postBuffer=65536', 'push', 'origin', 'main'],
    {
      in: clone,
      env: { GIT_TRACE_CURL: '1', GIT_TRACE_CURL_NO_DATA: '1' },
    },
  )

  assert.is(code, 0, stderr)
  assert.match(stderr, /Send header: Content-Length: 4\b/i)
  assert.match(stderr, /Send header: Transfer-Encoding: chunked/i)
  assert.is(bench.refs(id).main, commit)
})

test('many branches are pushed at once, and those of them that cannot be are told alone', async () => {
  const { id, clone, commit } = await prepared()
  const names = Array.from({ length: 8 }, (_, i) => `topic-${i}`)
  for (const name of names)
    await writeFile(join(bench.client.folder, clone, '.git/refs/heads', name), `${commit}\n`)
  await writeFile(join(bench.client.folder, clone, '.git/refs/heads/Topic-1'), `${commit}\n`)
  const pushed = await bench.push(clone, 'origin', 'refs/heads/topic-*', 'Topic-1')

  assert.is(pushed.code, 1)
  assert.is(told(pushed).filter(line => line.startsWith(' !')).length, 1)
  assert.match(
    pushed.stderr,
    /[Tt]opic-1 \(the name of the branch conflicts with "[Tt]opic-1": choose another one\)/,
  )
  assert.is(Object.keys(bench.refs(id)).length, 9)
})

test('pushes of two users at once both arrive', async () => {
  const { id, clone } = await prepared()
  const other = await bench.clone(id, bench.user('Bo', 'edit'))
  await bench.commit(other, { 'b.md': '# B\n' })
  const both = await Promise.all(
    [clone, other].map(each => bench.push(each, 'origin', 'HEAD:refs/for/main')),
  )

  assert.equal(
    both.map(({ code }) => code),
    [0, 0],
  )
  assert.equal(Object.keys(bench.refs(id)), ['change-requests/1', 'change-requests/2', 'main'])
})

test('of two pushes to main at once one arrives, and the other one is told to fetch', async () => {
  const { id, clone, commit } = await prepared()
  const other = await bench.clone(id)
  const its = await bench.commit(other, { 'b.md': '# B\n' })
  const both = await Promise.all([clone, other].map(each => bench.push(each, 'origin', 'main')))
  assert.equal(both.map(({ code }) => code).sort(), [0, 1])
  assert.is(bench.refs(id).main, both[0]!.code === 0 ? commit : its)
  const lost = both.find(({ code }) => code !== 0)!
  assert.match(lost.stderr, /main -> main \(fetch first\)/)
})

test('a gzipped push that is damaged leaves nothing', async () => {
  const { id, base, commit } = await prepared()
  const body = pushBody({ commands: [{ ref: 'refs/heads/main', from: base, to: commit }] })
  const sending = beginPush(bench.app.url, id, bench.app.admin.token, {
    'content-encoding': 'gzip',
  })
  sending.write(body)
  sending.end()
  const { status } = await sending.answer

  assert.is(status, 400)
  assert.is(bench.refs(id).main, base)
})

test.run()
