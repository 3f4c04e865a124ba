import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gitLines, tryGit } from './git.ts'

export type Commit = {
  oid: string
  parents: string[]
  /** Whether a person made it, as `commitFiles` does. */
  byPerson: boolean
  /** Whether a server made it to go to a remote, with what was published before as its second parent. */
  isExport: boolean
}

/** What a repository holds, as Git itself says it. */
export type Repository = {
  /** Full name to object. */
  refs: Map<string, string>
  /** The full name of the branch that HEAD names. */
  primary: string
  /** What was published, newest first: the first-parent line of the primary branch, but behind an export its second parent. */
  line: Commit[]
  /** Every commit by its id. */
  commits: Map<string, Commit>
  /** Every commit that a branch holds. */
  onBranches: Set<string>
  /** Every commit that any ref holds. */
  held: Set<string>
  /** Every commit that the primary branch holds. */
  onPrimary: Set<string>
  /** How often each token stands in the files of a branch, by the branch's full name. */
  tokens: Map<string, Map<string, number>>
}

export const repositoryOf = (dataDir: string, spaceId: string): string =>
  join(dataDir, 'spaces', spaceId.slice(0, 2), `${spaceId}.git`)

/** Reads a repository with git. Throws when git cannot. */
export async function readRepository(dir: string): Promise<Repository> {
  const primary = readFileSync(join(dir, 'HEAD'), 'utf8').slice('ref: '.length).trim()
  const named = await gitLines(dir, ['for-each-ref', '--format=%(objectname) %(refname)'])
  const refs = new Map(named.map(line => [line.slice(41), line.slice(0, 40)]))
  if (!refs.has(primary)) throw new Error(`HEAD names ${primary}, which is not there`)
  const branches = [...refs.keys()].filter(name => name.startsWith('refs/heads/'))
  const [commits, tokens] = await Promise.all([readCommits(dir, ['--all']), countTokens(dir, branches)])
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

/** The commits that refs lead to. */
export async function readCommits(dir: string, refs: readonly string[]): Promise<Map<string, Commit>> {
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

/** The commits that some commits lead to, themselves among them. */
export function heldBy(commits: ReadonlyMap<string, Commit>, tips: readonly string[]): Set<string> {
  const found = new Set(tips)
  for (const oid of found) for (const parent of commits.get(oid)?.parents ?? []) found.add(parent)
  return found
}

function publishedLine(commits: ReadonlyMap<string, Commit>, tip: string): Commit[] {
  const line: Commit[] = []
  for (let at = commits.get(tip); at; at = commits.get(at.parents[at.isExport ? 1 : 0] ?? '')) line.push(at)
  return line
}

async function countTokens(dir: string, branches: readonly string[]): Promise<Repository['tokens']> {
  const counts = new Map<string, Map<string, number>>(branches.map(branch => [branch, new Map()]))
  // It ends with 1 when nothing is found.
  const { stdout } = await tryGit(dir, ['grep', '-o', '-I', '-E', 'tok[0-9]+z', ...branches, '--'])
  for (const line of stdout.split('\n').filter(Boolean)) {
    const count = counts.get(line.slice(0, line.indexOf(':')))!
    const token = line.slice(line.lastIndexOf(':') + 1)
    count.set(token, (count.get(token) ?? 0) + 1)
  }
  return counts
}

/** What `git fsck --strict` says against a repository. */
export async function fsck(dir: string): Promise<string[]> {
  const { code, stdout, stderr } = await tryGit(dir, [
    'fsck',
    '--strict',
    '--full',
    '--no-dangling',
    '--no-progress',
  ])
  const said = `${stdout}\n${stderr}`.split('\n').filter(line => line !== '' && !line.startsWith('notice:'))
  return code === 0 && said.length === 0
    ? []
    : [`git fsck ended with ${code}: ${said.slice(0, 5).join(' | ')}`]
}

/** The commits on the first-parent line from one commit (without it) to another. */
export function between(commits: ReadonlyMap<string, Commit>, from: string, to: string): Commit[] {
  const line: Commit[] = []
  for (let at = commits.get(to); at && at.oid !== from; at = commits.get(at.parents[0] ?? '')) line.push(at)
  return line
}
