import { importOf } from './import.ts'
import { must, type Seen } from './line.ts'
import { type Entry, file, folder, makeRepository, type RawRepository } from './objects.ts'
import type { Stage } from './stage.ts'

let made = 0

/**
 * Imports a repository with the tree that `build` makes; then the pages of the space have to be
 * readable.
 */
export const importing =
  (
    build: (repo: RawRepository) => string,
    after?: (stage: Stage, space: string) => Promise<void>,
  ) =>
  async (stage: Stage): Promise<Seen> => {
    const name = `tree-${made++}`
    const repo = makeRepository(stage.folder, name)
    const tree = build(repo)
    if (tree !== '') repo.commit(tree)

    const done = await importOf(stage, name)
    const pages = await stage.call('GET', `/v1/spaces/${done.space}/content/pages`)
    const files = await stage.call('GET', `/v1/spaces/${done.space}/content/files?limit=1000`)

    must(
      pages.status === 200 && files.status === 200,
      `pages ${pages.status}, files ${files.status}`,
    )
    if (after) await after(stage, done.space)
    await stage.call('DELETE', `/v1/spaces/${done.space}`)

    return done
  }

export const home = (repo: RawRepository) => file('README.md', repo.blob('# Home\n'))
export const top = (repo: RawRepository, ...entries: Entry[]) => repo.tree([home(repo), ...entries])

/** Trees that Git itself refuses when it checks them. */
export const refused: [what: string, entries: (repo: RawRepository) => Entry[]][] = [
  ['".."', repo => [folder('..', repo.tree([home(repo)]))]],
  ['"."', repo => [folder('.', repo.tree([home(repo)]))]],
  ['".git"', repo => [folder('.git', repo.tree([home(repo)]))]],
  ['".GIT"', repo => [folder('.GIT', repo.tree([home(repo)]))]],
  ['"git~1"', repo => [folder('git~1', repo.tree([home(repo)]))]],
  ['".g<U+200C>it"', repo => [folder('.g\u200cit', repo.tree([home(repo)]))]],
  [
    '".git::$INDEX_ALLOCATION"',
    repo => [folder('.git::$INDEX_ALLOCATION', repo.tree([home(repo)]))],
  ],
  ['"a/b"', repo => [file('a/b', repo.blob('x'))]],
  ['no name', repo => [file('', repo.blob('x'))]],
  ['the same name twice', repo => [home(repo)]],
  [
    'a .gitmodules that is a link',
    repo => [{ mode: '120000', name: '.gitmodules', oid: repo.blob('/etc/passwd') }],
  ],
  [
    'a .gitmodules with a command',
    repo => [file('.gitmodules', repo.blob('[submodule "x"]\n\tpath = x\n\turl = -u./payload\n'))],
  ],
  [
    'a .gitmodules with "../"',
    repo => [
      file(
        '.gitmodules',
        repo.blob('[submodule "../x"]\n\tpath = x\n\turl = https://example.org/x\n'),
      ),
    ],
  ],
]

export const who = (name: string, when: string) =>
  `author ${name} <m@example.org> ${when}\ncommitter ${name} <m@example.org> ${when}\n\nx\n`

/** Returns a commit with this text after its tree. */
export const commit = (text: string) =>
  importing(repo => {
    repo.commit(top(repo), { text })
    return ''
  })

/** Returns nested folders, each containing the previous one `width` times. */
export function bomb(repo: RawRepository, levels: number, width: number): string {
  let tree = top(repo)
  for (let i = 0; i < levels; i++)
    tree = repo.tree(Array.from({ length: width }, (_, n) => folder(`d${n}`, tree)))
  return tree
}

export const names = (...list: (string | Buffer)[]) =>
  importing(repo =>
    top(repo, ...list.map(name => file(name, repo.blob(`# ${String(name).slice(0, 10)}\n`)))),
  )

export const listsOf =
  (...expected: string[]) =>
  async (stage: Stage, space: string) => {
    const { text } = await stage.call('GET', `/v1/spaces/${space}/content/pages`)
    const decoded = Buffer.from(text, 'latin1').toString('utf8')
    for (const path of expected)
      must(decoded.includes(JSON.stringify(path)), `${JSON.stringify(path)} is not shown`)
  }

/** Asserts that the host received no requests besides those of the import. */
export const quiet = (build: (repo: RawRepository) => string) => async (stage: Stage) => {
  const seen = await importing(build)(stage)
  must(
    stage.host.requests.every(({ url }) => !url.includes('canary')),
    'the host was asked for more',
  )
  return seen
}

export const says = {
  bad: /broken or unsafe/,
  many: /more than 100,000 files/,
  deep: /deeper/,
  large: /too large/,
}
