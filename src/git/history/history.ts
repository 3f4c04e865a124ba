import { type Oid, parseOid } from '../../lib/oid.ts'
import { readCommit, readCommits } from '../objects/objects.ts'
import type { Repository } from '../process/processes.ts'
import { runGit, streamGit } from '../process/run.ts'
import { checkRefName } from '../refs/refs.ts'
import { commandError } from '../values/errors.ts'
import type { Commit } from '../values/parse.ts'
import { parseRawChange, pathsAfter, type TreeChange, zeroSplitter } from '../values/parse-diff.ts'

/**
 * A commit of the first-parent line with its changes against its first parent (a root commit: all
 * its files).
 */
export type LoggedCommit = Commit & { changes: TreeChange[] }

export type LogOptions = {
  /** Leaves out commits reachable from this one. */
  until?: Oid
  /** The most commits to yield. */
  limit?: number
}

/**
 * Yields the first-parent line backwards from `head`, in one git process that is read only as far
 * as the caller iterates. Messages are read from the commits themselves, so no byte in them can
 * break the parsing. Throws GitError 'not_found', 'timeout'.
 */
export async function* firstParentLog(
  repo: Repository,
  head: Oid,
  { until, limit }: LogOptions = {},
): AsyncGenerator<LoggedCommit, void, undefined> {
  const args = [
    'log',
    '--first-parent',
    '-m',
    '--raw',
    '-z',
    '-M',
    '--no-abbrev',
    '--no-show-signature',
    '--no-notes',
    '--topo-order',
    '--format=%H',
    ...(limit === undefined ? [] : [`--max-count=${limit}`]),
    '--end-of-options',
    head,
    ...(until ? [`^${until}`] : []),
    '--',
  ]
  const options = { maxStdout: Number.POSITIVE_INFINITY, timeoutMs: 600_000 }
  const failure = (code: number, stderr: string) => commandError('read the history', code, stderr)
  const read = logReader()

  for await (const chunk of streamGit(repo, args, options, failure))
    yield* withCommits(repo, read(chunk))
  yield* withCommits(repo, read(null))
}

/**
 * Returns the ancestors of a commit on its first-parent line, nearest first, up to `limit`. Throws
 * GitError 'not_found'.
 */
export async function firstParents(repo: Repository, oid: Oid, limit: number): Promise<Oid[]> {
  const args = [
    'rev-list',
    '--first-parent',
    `--max-count=${limit + 1}`,
    '--end-of-options',
    oid,
    '--',
  ]
  const { code, stdout, stderr } = await runGit(repo, args)
  if (code !== 0) throw commandError('read the history', code, stderr)

  const line = stdout.toString().split('\n').map(parseOid)
  return line.filter(each => each !== undefined).slice(1)
}

/**
 * Returns the commits on the first-parent line of a head that are not reachable from any of these
 * refs or commits, newest first, up to `limit`. Throws GitError 'not_found'.
 */
export async function firstParentsBeyond(
  repo: Repository,
  head: Oid,
  without: readonly (Oid | string)[],
  limit: number,
): Promise<Oid[]> {
  for (const each of without) if (!parseOid(each)) checkRefName(each)
  if (limit > 0 && (await isNext(repo, head, without))) return [head]
  const { code, stdout, stderr } = await runGit(
    repo,
    ['rev-list', '--first-parent', `--max-count=${limit}`, '--stdin'],
    { input: [head, ...without.map(each => `^${each}`), ''].join('\n') },
  )
  if (code !== 0) throw commandError('read the history', code, stderr)

  const line = stdout.toString().split('\n').map(parseOid)

  return line.filter(each => each !== undefined)
}

/**
 * Returns whether the first parent of a commit is the only known commit: it is the only new one on
 * its first-parent line then, which needs no process.
 */
async function isNext(
  repo: Repository,
  oid: Oid,
  known: readonly (Oid | string)[],
): Promise<boolean> {
  const [only, ...others] = new Set(known)
  if (only === undefined || others.length > 0) return false
  const commit = await readCommit(repo, oid)
  return commit?.oid === oid && commit.parents[0] === only
}

/**
 * Returns the oldest commit on the first-parent line of `head` that is not reachable from `known`,
 * or the first one before it for which `stop` returns true; undefined when `head` itself is
 * reachable. Throws GitError 'not_found', 'timeout'.
 */
export async function lastBeyond(
  repo: Repository,
  head: Oid,
  known: Oid,
  stop: (oid: Oid) => boolean,
): Promise<Oid | undefined> {
  const args = ['rev-list', '--first-parent', '--end-of-options', head, `^${known}`, '--']
  const options = { maxStdout: Number.POSITIVE_INFINITY, timeoutMs: 600_000 }
  const failure = (code: number, stderr: string) => commandError('read the history', code, stderr)
  let rest = ''
  let last: Oid | undefined

  for await (const chunk of streamGit(repo, args, options, failure)) {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      last = parseOid(line) ?? last
      if (last && stop(last)) return last
    }
  }

  return last
}

/**
 * Returns whether a commit is reachable from one of these refs or commits. Throws GitError
 * 'not_found'.
 */
export async function reachable(
  repo: Repository,
  oid: Oid,
  from: readonly (Oid | string)[],
): Promise<boolean> {
  if (from.length === 0) return false
  for (const each of from) if (!parseOid(each)) checkRefName(each)
  const { code, stdout, stderr } = await runGit(repo, ['rev-list', '--max-count=1', '--stdin'], {
    input: [oid, ...from.map(each => `^${each}`), ''].join('\n'),
  })
  if (code !== 0) throw commandError('look for a commit', code, stderr)
  return stdout.length === 0
}

type Entry = { oid: Oid; changes: TreeChange[] }

/**
 * Returns a function that takes chunks of the log and returns the commits completed so far; null
 * marks the end.
 */
function logReader(): (chunk: Buffer | null) => Entry[] {
  const split = zeroSplitter()
  let current: Entry | undefined
  let line: string | undefined
  let paths: Buffer[] = []

  return chunk => {
    const done: Entry[] = []
    for (const token of chunk ? split(chunk) : []) {
      if (line !== undefined) {
        paths.push(token)
        if (paths.length < pathsAfter(line)) continue
        const change = parseRawChange(line, paths)
        if (change) current?.changes.push(change)
        line = undefined
        paths = []
        continue
      }

      const text = token.toString('latin1').trim()
      if (text.startsWith(':')) line = text
      else if (/^[0-9a-f]{40}$/.test(text)) {
        if (current) done.push(current)
        current = { oid: text as Oid, changes: [] }
      }
    }

    if (chunk === null && current) done.push(current)

    return done
  }
}

async function* withCommits(
  repo: Repository,
  entries: readonly Entry[],
): AsyncGenerator<LoggedCommit> {
  const commits = await readCommits(
    repo,
    entries.map(entry => entry.oid),
  )
  for (const { oid, changes } of entries) {
    const commit = commits.get(oid)
    if (commit) yield { ...commit, changes }
  }
}
