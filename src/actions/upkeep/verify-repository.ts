import { existsSync } from 'node:fs'
import { objectInfo } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { defaultBranch } from '../../git/refs/default-branch.ts'
import { unreachableCommits } from '../../git/refs/unreachable.ts'
import { checkRepositoryConfig } from '../../git/repositories/repository.ts'
import { fsckRepository } from '../../git/repositories/upkeep.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'

/** A problem and its remedy, a sentence each. */
export type Problem = {
  space?: string
  /** The organization whose OpenAPI specs have the problem. */
  organization?: string
  what: string
  remedy: string
  /** Set if nothing is damaged: the problem is shown, but verification succeeds. */
  harmless?: true
}

/** The owner of the checked repository, and the command that repairs it. */
type Looked = { about: Pick<Problem, 'space' | 'organization'>; command: string }

/** The largest number of lines of `git fsck` that are reported. */
const mostLines = 5

/** Returns the remedy for a repository with missing objects. */
export const repairOf = ({ command }: Looked): string =>
  `Restore missing objects from a backup or a clone: "${command} --from <file or folder>".`

/**
 * Returns the problems of a repository itself. `usable` is false if no further checks are possible.
 */
export async function verifyRepository(
  repo: Repository,
  looked: Looked,
): Promise<{ found: Problem[]; usable: boolean }> {
  const repair = repairOf(looked)
  const say = (remedy: string) => (what: string) => ({ ...looked.about, what, remedy })
  if (!existsSync(repo.dir))
    return { found: [say(repair)('Its repository is missing.')], usable: false }

  const config = await trouble(() => checkRepositoryConfig(repo).then(() => []))
  const look = `Check ${repo.dir}: its configuration was changed from outside and may run foreign commands. Then run "${looked.command}".`
  if (config.length > 0) return { found: config.map(say(look)), usable: false }

  const head = await trouble(async () => {
    defaultBranch(repo)
    return []
  })
  if (head.length > 0) return { found: head.map(say(repair)), usable: false }

  const fsck = async () => (await fsckRepository(repo)).map(line => `git fsck says: ${line}`)
  const broken = await trouble(fsck)
  const found = broken.slice(0, mostLines).map(say(repair))
  if (broken.length > mostLines)
    found.push(say(repair)(`… and ${broken.length - mostLines} more lines.`))

  return { found, usable: true }
}

/** A check of a repository, which returns its findings as sentences. */
type Check = () => Promise<string[]>

/** Runs checks, each with the remedy of its findings. Returns the problems. */
export async function runChecks(
  about: Looked['about'],
  checks: readonly (readonly [remedy: string, check: Check])[],
): Promise<Problem[]> {
  const found: Problem[] = []
  for (const [remedy, check] of checks)
    found.push(...(await trouble(check)).map(what => ({ ...about, what, remedy })))
  return found
}

/**
 * Returns the commits that rows refer to and that are missing or not reachable from a ref, as
 * sentences that begin with the subjects of the commits.
 */
export async function findLost(
  repo: Repository,
  subjects: ReadonlyMap<Oid, string>,
): Promise<string[]> {
  const infos = await objectInfo(repo, [...subjects.keys()])
  const isThere = (oid: Oid) => infos.get(oid)?.type === 'commit'
  const loose = await unreachableCommits(repo, [...subjects.keys()].filter(isThere))

  return [
    ...[...subjects].flatMap(([oid, subject]) =>
      isThere(oid) ? [] : [`${subject} is not in the repository.`],
    ),
    ...loose.map(oid => `${subjects.get(oid)} is not reachable from any ref.`),
  ]
}

/** Returns the findings of a check. An error of Git is a finding, too. */
async function trouble(check: Check): Promise<string[]> {
  try {
    return await check()
  } catch (error) {
    if (!isGitError(error)) throw error
    const { file, ref, oid } = error.detail
    const about = file ?? ref ?? oid
    return [`${error.message}${about === undefined ? '' : ` (${String(about)})`}`]
  }
}
