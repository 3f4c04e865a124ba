import { gitOutside } from '../../../support/git/repo.ts'
import { importOf } from '../../import.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import { file, makeRepository, type RawRepository } from '../../objects.ts'
import type { Stage } from '../../stage.ts'

let made = 0

/** A repository on the host with a page on each of these branches. */
function hosted(stage: Stage, ...branches: string[]): { name: string; repo: RawRepository } {
  const name = `branches-${made++}`
  const repo = makeRepository(stage.folder, name)
  for (const branch of branches)
    repo.commit(repo.tree([file('README.md', repo.blob(`# ${branch}\n`))]), {
      ref: `refs/heads/${branch}`,
    })
  return { name, repo }
}

/** An invalid ref, for an import and for an export. */
const refused = (ref: string) => async (stage: Stage) => {
  const body = { url: `${stage.host.origin}/x.git`, ref }
  const before = stage.host.requests.length
  const seen = await stage.call('POST', '/v1/spaces/{space}/git/import', { body })
  const other = await stage.call('POST', '/v1/spaces/{space}/git/export', {
    body: { ...body, commitMessage: 'x' },
  })

  must(other.status === seen.status, `the export answers ${other.status} ${other.text}`)
  must(stage.host.requests.length === before, 'the host was asked')

  return seen
}

const exportOf = (stage: Stage, name: string, space: string, branch: string) =>
  importOf(stage, name, { space, ref: `refs/heads/${branch}`, direction: 'export' })

/**
 * A branch, and then another as if the first were a folder: on the host the first is gone, the
 * space has seen it.
 */
const folderOfBranch = async (stage: Stage): Promise<Seen> => {
  const { name, repo } = hosted(stage, 'x')
  const first = await importOf(stage, name, { ref: 'refs/heads/x' })
  must(first.status === 'success', first.text)
  gitOutside(repo.dir, ['branch', '-m', 'x', 'x/y'])
  return importOf(stage, name, { ref: 'refs/heads/x/y', space: first.space })
}

/** An export to a branch that conflicts with another branch of the host. */
const inTheWay = async (stage: Stage): Promise<Seen> => {
  const { name, repo } = hosted(stage, 'x')
  const before = gitOutside(repo.dir, ['rev-parse', 'x'])
  const seen = await exportOf(stage, name, await stage.space(), 'x/y')
  must(
    gitOutside(repo.dir, ['for-each-ref', '--format=%(objectname)']) === before,
    'a branch has moved',
  )
  return seen
}

/** A push to the host between the export's read and its push, on every attempt. */
const alwaysMoving = async (stage: Stage): Promise<Seen> => {
  const { name, repo } = hosted(stage, 'main')
  const { space } = await importOf(stage, name)
  const change = { operation: 'insert_page', title: 'Ours', document: { markdown: 'Ours.\n' } }
  await stage.call('POST', `/v1/spaces/${space}/content`, { body: { changes: [change] } })
  let theirs = gitOutside(repo.dir, ['rev-parse', 'main'])
  let pushes = 0

  stage.host.mode = request => {
    if (request.url?.includes('info/refs?service=git-receive-pack')) {
      const page = file(`page-${pushes++}.md`, repo.blob('# Theirs\n'))
      theirs = repo.commit(repo.tree([file('README.md', repo.blob('# main\n')), page]), {
        parents: [theirs],
      })
    }
    return true
  }
  const seen = await exportOf(stage, name, space, 'main').finally(() => {
    stage.host.mode = 'serve'
  })

  must(pushes > 1 && pushes < 10, `there were ${pushes} pushes`)
  must(gitOutside(repo.dir, ['rev-parse', 'main']) === theirs, 'what they pushed is gone')
  gitOutside(repo.dir, ['fsck', '--strict'])

  return seen
}

const notForGit = [
  ...[
    'a..b',
    '.a',
    'a.lock',
    'a b',
    '@{u}',
    'x^',
    'a//b',
    'a\tb',
    'a\nb',
    'a~1',
    'a:b',
    'a?',
    'a*',
    'a[',
    '/a',
  ],
  ...['a/', 'a.', 'a\\b', 'a\u007f', '@{', ''],
]
const misleading = ['HEAD', '-x', 'refs/heads/main', 'x'.repeat(256), 'change-requests/1']

/** Names of branches, and branches that move. */
export const branches: Line[] = [
  ...notForGit.map(name =>
    line('A20', `the branch ${JSON.stringify(name)}`, 400, /ref/, refused(`refs/heads/${name}`)),
  ),
  line('A20', 'a branch with a NUL', 400, /NUL/, refused('refs/heads/a\0b')),
  ...misleading.map(name =>
    line(
      'A21',
      `the branch ${JSON.stringify(name.slice(0, 20))}`,
      400,
      /ref/,
      refused(`refs/heads/${name}`),
    ),
  ),
  ...[
    'main',
    'refs/tags/v1',
    'refs/stemma/keep/x',
    'HEAD',
    'refs/notes/x',
    '+refs/heads/main',
    'a:b',
  ].map(ref => line('A21', `"${ref}" in place of a branch`, 400, /ref/, refused(ref))),
  line('A22', 'a branch "x", and then "x/y"', 'success', 'both are taken', folderOfBranch),
  line(
    'A22',
    'an export to "x/y" when "x" exists',
    'failure',
    /refused the push|in the way/,
    inTheWay,
  ),
  line(
    'A25',
    'a branch that moves at each push',
    'failure',
    /refused the push|moved/,
    alwaysMoving,
  ),
]
