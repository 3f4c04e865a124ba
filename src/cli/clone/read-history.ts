import { readFile, realpath } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { gitIn } from './run-git.ts'

/** What Git knows of files of a work tree, which it names by their paths on disk. */
export type History = {
  /** The present commit. */
  commit: string
  /** Whether the changes are known: Git may need too long for them. */
  isRead: boolean
  /** The files that differ from it. */
  uncommitted: ReadonlySet<string>
  /**
   * Returns the last change of a file: the seconds from 1970 to the commit, a space, and the name
   * of its author. Null for a change that the clone may not have, undefined for a file that is
   * not committed.
   */
  changeOf: (file: string) => string | null | undefined
}

/** After this, in milliseconds, a command is ended: it takes longer only in a huge history. */
const mostMs = 60_000

/** The changes of files by path, which stay the same for a commit, paths and the end of a clone. */
type Known = { key: string; changes: Map<string, string | null> }

type ReadHistory = (folder: string, beside: readonly string[]) => Promise<History | undefined>

/**
 * Returns a function that returns the history of a folder, and of files and folders beside it;
 * undefined outside of a work tree, without a commit, and without git. Where nothing was committed
 * since the last time, it reads the status alone.
 */
export function historyReader(): ReadHistory {
  let known: Known | undefined

  const read = async (folder: string, beside: readonly string[]): Promise<History> => {
    const own = await realpath(folder)
    const git = await gitIn(own, mostMs)
    const asked = ['--show-toplevel', '--git-path', 'shallow', 'HEAD']
    const [root = '', shallow = '', commit = ''] = (await git('rev-parse', ...asked)).split('\n')
    const paths = [own, ...beside.filter(path => path.startsWith(root + sep))]
    const tops = await readFile(resolve(own, shallow), 'utf8').catch(() => '')
    const key = JSON.stringify([commit, paths, tops])

    const [changed, changes] = await Promise.all([
      git('--literal-pathspecs', ...status, ...paths).then(namesIn),
      known?.key === key
        ? known.changes
        : git('--literal-pathspecs', ...log, commit, '--', ...paths).then(
            listed => changesIn(listed, new Set(tops.split('\n'))),
            () => undefined,
          ),
    ])

    known = changes && { key, changes }
    const uncommitted = new Set(changed.map(path => join(root, path)))

    return {
      commit,
      isRead: changes !== undefined,
      uncommitted,
      changeOf: file =>
        file.startsWith(root + sep) && !uncommitted.has(file)
          ? changes?.get(file.slice(root.length + 1))
          : undefined,
    }
  }

  return (folder, beside) => read(folder, beside).catch(() => undefined)
}

const status = [
  'status',
  '--porcelain',
  '-z',
  '--no-renames',
  '--untracked-files=all',
  '--ignore-submodules=all',
  '--',
]

// Nothing of it reads contents or starts a program, whatever the settings of the clone are. Of a
// merge, "-c" lists the files that differ from all of its parents.
const log = [
  '-c',
  'log.follow=false',
  '-c',
  'log.showRoot=true',
  '-c',
  'diff.relative=false',
  'log',
  '-c',
  '-z',
  '--name-only',
  '--no-renames',
  '--no-ext-diff',
  '--no-show-signature',
  '--no-notes',
  '-O/dev/null',
  // No path in a repository begins with a slash.
  '--format=/%H %ct %aN',
]

/** Returns the paths in a list of `git status`, which are relative to the top folder. */
const namesIn = (listed: string): string[] =>
  listed
    .split('\0')
    .filter(line => line !== '')
    .map(line => line.slice(3))

/**
 * Returns the newest change of each path in a log; null if the clone ends with it. Such a commit of
 * a shallow clone seems to add all files.
 */
function changesIn(listed: string, tops: ReadonlySet<string>): Map<string, string | null> {
  const changes = new Map<string, string | null>()
  let change: string | null = null

  for (const word of listed.split('\0')) {
    if (word.startsWith('/')) {
      const [commit = '', time = '', ...name] = word.slice(1).split(' ')
      change = tops.has(commit) ? null : changeText(time, name.join(' '))
    } else {
      const path = word.replace(/^\n/, '')
      if (path !== '' && !changes.has(path)) changes.set(path, change)
    }
  }

  return changes
}

/** The longest name of an author. */
const longestName = 100

/** Returns a change as `readHistory` does. A name may hold any characters in Git. */
function changeText(time: string, name: string): string {
  const plain = name.replace(/[\s\p{Cc}\p{Cf}\p{Cs}\p{Co}]+/gu, ' ').trim()
  return `${/^\d{1,11}$/.test(time) ? time : 0} ${[...plain].slice(0, longestName).join('')}`.trim()
}
