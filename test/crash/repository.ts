import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { git, gitLines, tryGit } from './git.ts'

/** What a repository holds, as Git itself says it. */
export type Repository = {
  /** Full name to object. */
  refs: Map<string, string>
  /** The full name of the branch that HEAD names. */
  primary: string
  /** The first-parent line of the primary branch, newest first, with all parents. */
  line: { oid: string; parents: string[] }[]
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
  const [line, onPrimary, onBranches, held, tokens] = await Promise.all([
    gitLines(dir, ['rev-list', '--first-parent', '--parents', primary]),
    gitLines(dir, ['rev-list', primary]),
    gitLines(dir, ['rev-list', '--branches']),
    gitLines(dir, ['rev-list', '--all']),
    countTokens(dir, branches),
  ])
  return {
    refs,
    primary,
    line: line.map(text => {
      const [oid = '', ...parents] = text.split(' ')
      return { oid, parents }
    }),
    onPrimary: new Set(onPrimary),
    onBranches: new Set(onBranches),
    held: new Set(held),
    tokens,
  }
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

/** How many commits lie on the first-parent line from one commit (without it) to another. */
export const distance = async (dir: string, from: string, to: string): Promise<number> =>
  Number(await git(dir, ['rev-list', '--first-parent', '--count', `${from}..${to}`]))
