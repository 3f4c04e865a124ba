import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { gitOutside } from '../../../support/git/repo.ts'
import { importOf } from '../../import.ts'
import { importing } from '../../importing.ts'
import { type Line, line, must, NotHere, type Seen } from '../../line.ts'
import { makeRepository } from '../../objects.ts'
import type { Stage } from '../../stage.ts'
import { repositoryOf } from '../storage.ts'

const who = 'Mallory <m@example.org> 1700000000 +0000'

type Commit = { ref: string; from?: string; files: Record<string, string> }

/** Writes commits into a repository with git fast-import; unnamed files stay. */
async function write(dir: string, commits: Iterable<Commit>): Promise<void> {
  const git = spawn('git', [`--git-dir=${dir}`, 'fast-import', '--quiet', '--force'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  for (const { ref, from, files } of commits) {
    const head = `commit ${ref}\ncommitter ${who}\ndata 0\n${from ? `from ${from}\n` : ''}`
    const changes = Object.entries(files).map(
      ([path, text]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    )
    if (!git.stdin.write(head + changes.join(''))) await once(git.stdin, 'drain')
  }

  git.stdin.end()
  const [code] = await once(git, 'close')

  must(code === 0, `git fast-import ended with ${code}`)
}

let made = 0

/** Imports a history of many commits, of which only the first has a page; then reads it. */
const long = (count: number) => async (stage: Stage) => {
  const name = `history-${made++}`
  const repo = makeRepository(stage.folder, name)
  const ref = 'refs/heads/main'
  const commits = function* () {
    yield { ref, files: { 'README.md': '# Home\n' } }
    for (let i = 1; i < count; i++) yield { ref, files: {} }
  }

  await write(repo.dir, commits())
  const seen = await importOf(stage, name, { ms: 900_000 })
  const at = `/v1/spaces/${seen.space}`

  for (const path of [
    '/content/pages',
    '/revisions',
    '/revisions?path=README.md',
    '/content/path/readme',
  ]) {
    const { status, text } = await stage.call('GET', at + path)
    must(status === 200 || status === 404, `${path} answers ${status} ${text.slice(0, 200)}`)
  }

  await stage.call('DELETE', at)

  return seen
}

/** A space and a change request with generated histories on top of one commit; then the merge. */
const merging =
  (
    base: Record<string, string>,
    ours: Record<string, string>,
    theirs: Record<string, string>,
    onto = true,
  ) =>
  async (stage: Stage): Promise<Seen> => {
    if (stage.shared) throw new NotHere('the folder, into which it commits, is a cache')
    const space = await stage.space()
    const at = `/v1/spaces/${space}`
    const dir = repositoryOf(stage, space)
    await write(dir, [{ ref: 'refs/heads/main', from: 'refs/heads/main^0', files: base }])
    must((await stage.call('GET', `${at}/content`)).status === 200, 'the space cannot be read')
    const request = await stage.call('POST', `${at}/change-requests`, {
      body: { subject: 'Hostile' },
    })
    const { id, number } = JSON.parse(request.text)
    const ref = `refs/heads/change-requests/${number}`

    await write(dir, [{ ref, ...(onto && { from: 'refs/heads/main^0' }), files: theirs }])
    await write(dir, [{ ref: 'refs/heads/main', from: 'refs/heads/main^0', files: ours }])
    const before = gitOutside(dir, ['rev-parse', 'main'])
    const seen = await stage.call('POST', `${at}/change-requests/${id}/merge`)
    const moved = gitOutside(dir, ['rev-parse', 'main']) !== before
    const merged = seen.status === 200 && JSON.parse(seen.text).result === 'merge'

    must(moved === merged, 'the space moved, but was not merged, or the other way round')
    must((await stage.call('GET', `${at}/content/pages`)).status === 200, 'the pages are gone')
    await stage.call('DELETE', at)

    return { ...seen, text: seen.text.slice(0, 2000) }
  }

const named = (count: number, name: (i: number) => string, text: (i: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), text(i)]))

const words = (i: number, salt = '') =>
  Array.from({ length: 20 }, (_, n) => `line ${n} of page ${i} ${n === 7 ? salt : ''}\n`).join('')

/** Returns a file of so many megabytes whose lines all differ. */
const large = (megabytes: number, salt: string) =>
  Array.from({ length: megabytes * 40_000 }, (_, i) => `${salt} ${String(i).padStart(20)}\n`).join(
    '',
  )

/**
 * All pages at new places: removed ones become empty files, because these commits cannot remove
 * files.
 */
const renamed = (count: number, folder: string) => ({
  ...named(
    count,
    i => `old/${i}.md`,
    () => '',
  ),
  ...named(
    count,
    i => `${folder}/${i}.md`,
    i => words(i, folder),
  ),
})

const old = (count: number) =>
  named(
    count,
    i => `old/${i}.md`,
    i => words(i),
  )

/** Two branches that merge each other repeatedly: each pair of merges has two best bases. */
const crossing = (count: number) => async (stage: Stage) => {
  const seen = await importing(repo => {
    const tree = repo.tree([])
    let [a, b] = ['a', 'b'].map(name => repo.commit(tree, { ref: `refs/heads/${name}` }))
    for (let i = 0; i < count; i++) {
      const parents = [a ?? '', b ?? '']
      a = repo.commit(tree, { parents, ref: 'refs/heads/main' })
      b = repo.commit(tree, { parents: parents.reverse(), ref: 'refs/heads/b' })
    }
    return ''
  })(stage)
  return seen
}

/** Histories and merges. */
export const histories: Line[] = [
  line('B15', 'a history of 20,000 empty commits', 'success', 'is shown in pages', long(20_000)),
  line(
    'B15',
    'a history of 1 million empty commits',
    'success|failure',
    'is shown in pages',
    long(1_000_000),
    {
      slow: true,
      mostMs: 900_000,
    },
  ),
  line('B15', '500 criss-cross merges', 'success', 'is shown', crossing(500), { slow: true }),
  line(
    'B19',
    '3,000 pages moved by both sides to different places',
    '200|409|503',
    'is merged, or nothing has moved',
    merging(old(3000), renamed(3000, 'ours'), renamed(3000, 'theirs')),
    { slow: true },
  ),
  line(
    'B19',
    '300 pages moved by both sides to different places',
    '200|409',
    'is merged, or nothing has moved',
    merging(old(300), renamed(300, 'ours'), renamed(300, 'theirs')),
  ),
  line(
    'B19',
    'a file of 10 MB that both sides rewrote',
    '200|413|503',
    /conflicts|large|long/,
    merging(
      { 'big.md': large(10, 'base') },
      { 'big.md': large(10, 'ours') },
      { 'big.md': large(10, 'theirs') },
    ),
    { slow: true },
  ),
  line(
    'B20',
    'a change request whose history has no commit in common with its space',
    '409|422',
    /in common/,
    merging({}, { 'ours.md': '# Ours\n' }, { 'theirs.md': '# Theirs\n' }, false),
  ),
  line('B20', 'a merge of a missing change request', 404, /change request/, stage =>
    stage.call('POST', '/v1/spaces/{space}/change-requests/nothing/merge'),
  ),
]
