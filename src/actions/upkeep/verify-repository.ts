import { existsSync } from 'node:fs'
import type { Repository } from '../../git/process/processes.ts'
import { defaultBranch } from '../../git/refs/default-branch.ts'
import { checkRepositoryConfig } from '../../git/repositories/repository.ts'
import { fsckRepository } from '../../git/repositories/upkeep.ts'
import { isGitError } from '../../git/values/errors.ts'

/** Something that is not as it must be, and what to do about it: two sentences for a person. */
export type Problem = {
  space?: string
  /** The organization whose descriptions it is about. */
  organization?: string
  what: string
  remedy: string
  /** Nothing is damaged: it is shown, and does not make a check fail. */
  harmless?: true
}

/** Whose repository is looked at, and the command that mends it. */
export type Looked = { about: Pick<Problem, 'space' | 'organization'>; command: string }

/** The most lines of `git fsck` that are handed on. */
const mostLines = 5

/** What takes what a repository lacks from elsewhere. */
export const repairOf = ({ command }: Looked): string =>
  `Take what it lacks from a backup or a clone: "${command} --from <file or folder>".`

/** What is wrong with a repository itself. `usable` is false where nothing further can be asked of it. */
export async function verifyRepository(
  repo: Repository,
  looked: Looked,
): Promise<{ found: Problem[]; usable: boolean }> {
  const repair = repairOf(looked)
  const say = (remedy: string) => (what: string) => ({ ...looked.about, what, remedy })
  if (!existsSync(repo.dir)) return { found: [say(repair)('Its repository is not there.')], usable: false }
  const config = await trouble(async () => {
    await checkRepositoryConfig(repo)
    return []
  })
  const look = `Look at ${repo.dir}: somebody else has changed it, and it may run their commands. Then run "${looked.command}".`
  if (config.length > 0) return { found: config.map(say(look)), usable: false }
  const head = await trouble(async () => {
    defaultBranch(repo)
    return []
  })
  if (head.length > 0) return { found: head.map(say(repair)), usable: false }
  const fsck = async () => (await fsckRepository(repo)).map(line => `git fsck says: ${line}`)
  const broken = await trouble(fsck)
  const found = broken.slice(0, mostLines).map(say(repair))
  if (broken.length > mostLines) found.push(say(repair)(`… and ${broken.length - mostLines} lines more.`))
  return { found, usable: true }
}

/** What a check finds; one that Git cannot finish has found something too. */
export async function trouble(check: () => Promise<string[]>): Promise<string[]> {
  try {
    return await check()
  } catch (error) {
    if (!isGitError(error)) throw error
    const { file, ref, oid } = error.detail
    const about = file ?? ref ?? oid
    return [`${error.message}${about === undefined ? '' : ` (${String(about)})`}`]
  }
}
