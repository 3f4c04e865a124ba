import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { run } from '../support/git/client.ts'
import { openPushBench, type PushBench, told } from '../support/git/pushing.ts'

let bench: PushBench
test.before(async () => {
  bench = await openPushBench()
})
test.after(() => bench.stop())

/** A space, and a clone of it with a commit on main. */
async function prepared() {
  const id = await bench.space()
  const clone = await bench.clone(id)
  const commit = await bench.commit(clone, { 'a.md': '# A\n' })
  return { id, clone, commit }
}

/** Pushes with arguments whose octal escapes become bytes: those of a process are UTF-8. */
const pushBytes = (clone: string, ...args: string[]) =>
  run(
    'sh',
    ['-c', `git push --progress ${args.map(each => `"$(printf -- '${each}')"`).join(' ')}`],
    join(bench.client.folder, clone),
    { HOME: bench.client.folder, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
  )

/** Returns why a push of main to a branch was refused. */
async function reason(clone: string, branch: string): Promise<string> {
  const lines = told(await bench.push(clone, 'origin', `HEAD:refs/heads/${branch}`))
  return /\((.+)\)$/.exec(lines.at(-1) ?? '')?.[1] ?? ''
}

test('a name that is not UTF-8 is refused with words, and the other branches are pushed', async () => {
  const { id, clone, commit } = await prepared()
  const pushed = await pushBytes(clone, 'origin', 'HEAD:refs/heads/caf\\351', 'HEAD:refs/heads/tea')
  assert.is(pushed.code, 1)
  assert.match(
    pushed.stderr,
    /\[remote rejected\] HEAD -> caf\S+ \(the name of the branch is not UTF-8\)/,
    pushed.stderr,
  )
  assert.match(pushed.stderr, /\[new branch\] +HEAD -> tea/)
  assert.is(bench.refs(id)['change-requests/1'], commit)
  const topic = await pushBytes(clone, '-o', 'topic=caf\\351', 'origin', 'HEAD:refs/for/main')

  assert.match(topic.stderr, /\(the name of the branch is not UTF-8\)/)
  const title = await pushBytes(clone, '-o', 'title=Caf\\351', 'origin', 'HEAD:refs/heads/coffee')

  assert.is(told(title)[0], 'remote: Change request #2 opened: Caf\ufffd')
})

test('names that are the same to a file system are not taken beside each other', async () => {
  const { clone } = await prepared()
  for (const taken of ['caf\u00e9', 'Stra\u00dfe', 'o\ufb03ce', 'ab', '\u0130ki'])
    assert.is((await bench.push(clone, 'origin', `HEAD:refs/heads/${taken}`)).code, 0, taken)
  const names = [
    'cafe\u0301',
    'CAF\u00c9/x',
    'STRASSE',
    'stra\u1e9ee',
    'OFFICE/x',
    'AB',
    'i\u0307ki',
    '\uff4dain',
  ]

  for (const name of names) assert.match(await reason(clone, name), /conflicts with/, name)
  assert.is(await reason(clone, 'cafe'), '')
})

test('a name does not turn the direction of text, and has no control characters', async () => {
  const { clone } = await prepared()
  for (const hidden of ['\u202e', '\u2067', '\u200f', '\u061c', '\u200c', '\u0085', '\u2028'])
    assert.match(
      await reason(clone, `a${hidden}b`),
      /not valid|invisible character/,
      hidden.codePointAt(0)?.toString(16),
    )
  assert.is(await reason(clone, '\u05e9\u05dc\u05d5\u05dd'), '')
})

test('a name that looks like another one is not taken beside it', async () => {
  const { clone } = await prepared()
  for (const name of ['m\u0430in', 'm\u0430\u0456n', '\u039cain', 'm\u0430in/x'])
    assert.match(await reason(clone, name), /looks like "main"/, name)
  assert.match(await reason(clone, '\u0441hange-requests/1'), /looks like "change-requests"/)
  assert.is(await reason(clone, 'feature/x'), '')
  assert.match(await reason(clone, 'fe\u0430ture'), /looks like "feature\/x"/)
  for (const name of ['\u043c\u0438\u0440', '\u03bb\u03cc\u03b3\u03bf\u03c2'])
    assert.is(await reason(clone, name), '', name)
})

test('a path that hides or looks like another one is refused, and a page without a twin is taken', async () => {
  const { id, clone } = await prepared()
  for (const [path, why] of [
    ['x\u202e.md', /invisible character \(U\+202E\)/],
    ['\u0430.md', /looks like "/],
  ] as const) {
    await bench.commit(clone, { [path]: 'x' })
    const pushed = await bench.push(clone, 'origin', 'HEAD:main')
    assert.match(pushed.stderr, why, pushed.stderr)
    await bench.client.ok(['reset', '-q', '--hard', 'HEAD~1'], { in: clone })
  }

  const commit = await bench.commit(clone, { '\u043c\u0438\u0440.md': 'x' })
  assert.is((await bench.push(clone, 'origin', 'HEAD:main')).code, 0)
  assert.is(bench.refs(id).main, commit)
})

test('a name in the ref counts, and an option that names another one is told to be without effect', async () => {
  const { clone } = await prepared()
  const push = async (topic: string, ref: string) =>
    told(await bench.push(clone, '-o', `topic=${topic}`, 'origin', `HEAD:${ref}`))
  const ignored = 'remote: The option "topic=other" has no effect: the ref names "one".'
  assert.ok((await push('other', 'refs/for/main/one')).includes(ignored))
  assert.equal(
    (await push('one', 'refs/for/main/one')).filter(line => line.includes('topic')),
    [],
  )
  await bench.commit(clone, { 'b.md': '# B\n' })
  assert.ok((await push('other', 'refs/heads/one')).includes(ignored))
  await bench.commit(clone, { 'c.md': '# C\n' })
  for (const ref of ['refs/heads/change-requests/1', 'refs/for/main'])
    assert.not.match((await push('one', ref)).join(), /topic/)
})

test.run()
