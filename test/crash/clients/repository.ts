import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gitLines, tryGit } from './git.ts'

export type Commit = {
  oid: string
  parents: string[]
  /** Whether a user made it, as `commitFiles` does. */
  byPerson: boolean
  /**
   * Whether a server made it for an export, with the previously published commit as its second
   * parent.
   */
  isExport: boolean
}

/** The state of a repository as Git reports it. */
export type Repository = {
  /** Full ref names to object ids. */
  refs: Map<string, string>
  /** The full name of the branch that HEAD names. */
  primary: string
  /**
   * What was published, newest first: the first-parent line of the primary branch, but the second
   * parent after an export.
   */
  line: Commit[]
  /** Every commit by its id. */
  commits: Map<string, Commit>
  /** Every commit reachable from a branch. */
  onBranches: Set<string>
  /** Every commit reachable from any ref. */
  held: Set<string>
  /** Every commit reachable from the primary branch. */
  onPrimary: Set<string>
  /** How often each token occurs in the files of a branch, by the branch's full name. */
  tokens: Map<string, Map<string, number>>
}

/** Returns the repository of a space, or of an organization's specs, by its key. */
export const repositoryOf = (dataDir: string, key: string): string =>
  key.startsWith('specs:')
    ? join(dataDir, 'specs', `${key.slice('specs:'.length)}.git`)
    : join(dataDir, 'spaces', key.slice(0, 2), `${key}.git`)

/** Reads a repository with git. Throws if git fails. */
export async function readRepository(dir: string): Promise<Repository> {
  const primary = readFileSync(join(dir, 'HEAD'), 'utf8').slice('ref: '.length).trim()
  const named = await gitLines(dir, ['for-each-ref', '--format=%(objectname) %(refname)'])
  const refs = new Map(named.map(line => [line.slice(41), line.slice(0, 40)]))
  if (!refs.has(primary)) throw new Error(`HEAD names ${primary}, which does not exist`)

  const branches = [...refs.keys()].filter(name => name.startsWith('refs/heads/'))
  const [commits, tokens] = await Promise.all([
    readCommits(dir, ['--all']),
    countTokens(dir, branches),
  ])
  const tip = (name: string) => refs.get(name)!
  const onBranches = heldBy(commits, branches.map(tip))

  return {
    refs,
    primary,
    commits,
    line: publishedLine(commits, tip(primary)),
    onPrimary: heldBy(commits, [tip(primary)]),
    onBranches,
    held: new Set(commits.keys()),
    tokens,
  }
}

/** The commits reachable from refs. */
export async function readCommits(
  dir: string,
  refs: readonly string[],
): Promise<Map<string, Commit>> {
  const { stdout } = await tryGit(dir, ['log', '-z', '--format=%H %ce %P%n%B', ...refs, '--'])
  const commits = stdout
    .split('\0')
    .filter(Boolean)
    .map((text): [string, Commit] => {
      const head = text.slice(0, text.indexOf('\n'))
      const [oid = '', email, ...parents] = head.trimEnd().split(' ')
      const isExport = /\nStemma-Operation: export\s*$/.test(text)
      return [oid, { oid, parents, byPerson: email === 'grace@example.org', isExport }]
    })

  return new Map(commits)
}

/** The commits reachable from some commits, including themselves. */
export function heldBy(commits: ReadonlyMap<string, Commit>, tips: readonly string[]): Set<string> {
  const found = new Set(tips)
  for (const oid of found) for (const parent of commits.get(oid)?.parents ?? []) found.add(parent)
  return found
}

function publishedLine(commits: ReadonlyMap<string, Commit>, tip: string): Commit[] {
  const line: Commit[] = []
  for (let at = commits.get(tip); at; at = commits.get(at.parents[at.isExport ? 1 : 0] ?? ''))
    line.push(at)
  return line
}

async function countTokens(
  dir: string,
  branches: readonly string[],
): Promise<Repository['tokens']> {
  const counts = new Map<string, Map<string, number>>(branches.map(branch => [branch, new Map()]))
  // git grep exits with 1 if nothing is found.
  const { stdout } = await tryGit(dir, ['grep', '-o', '-I', '-E', 'tok[0-9]+z', ...branches, '--'])
  for (const line of stdout.split('\n').filter(Boolean)) {
    const count = counts.get(line.slice(0, line.indexOf(':')))!
    const token = line.slice(line.lastIndexOf(':') + 1)
    count.set(token, (count.get(token) ?? 0) + 1)
  }

  return counts
}

/** The problems that `git fsck --strict` reports. */
export async function fsck(dir: string): Promise<string[]> {
  const { code, stdout, stderr } = await tryGit(dir, [
    'fsck',
    '--strict',
    '--full',
    '--no-dangling',
    '--no-progress',
  ])
  const said = `${stdout}\n${stderr}`
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('notice:'))
  return code === 0 && said.length === 0
    ? []
    : [`git fsck exited with ${code}: ${said.slice(0, 5).join(' | ')}`]
}

/** The commits on the first-parent line from one commit (exclusive) to another. */
export function between(commits: ReadonlyMap<string, Commit>, from: string, to: string): Commit[] {
  const line: Commit[] = []
  for (let at = commits.get(to); at && at.oid !== from; at = commits.get(at.parents[0] ?? ''))
    line.push(at)
  return line
}
