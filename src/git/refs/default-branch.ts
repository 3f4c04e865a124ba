import { join } from 'node:path'
import { writeDurably } from '../disk/durable.ts'
import { rememberingFiles } from '../disk/remembered-file.ts'
import type { Repository } from '../process/processes.ts'
import { GitError } from '../values/errors.ts'
import { checkRefName } from './refs.ts'

/**
 * Returns the full ref of the default branch, from HEAD. Throws GitError 'config_changed' when HEAD
 * is not a branch.
 */
export function defaultBranch(repo: Pick<Repository, 'dir'>): string {
  const ref = branchIn(repo.dir)
  if (!ref)
    throw new GitError(
      'config_changed',
      'The repository has no default branch: HEAD does not name a branch.',
      {
        file: 'HEAD',
      },
    )

  return ref
}

const branchOfHead = rememberingFiles(text => /^ref: (refs\/heads\/\S+)\s*$/.exec(text)?.[1], 5_000)

/** Reads HEAD synchronously: it is 20 bytes, and every read of published content waits for it. */
function branchIn(dir: string): string | undefined {
  try {
    return branchOfHead(join(dir, 'HEAD'))
  } catch {
    return undefined
  }
}

/** Sets the default branch (a full ref). Throws GitError 'ref_invalid'. */
export async function setDefaultBranch(repo: Repository, ref: string): Promise<void> {
  checkBranch(ref)
  await writeDurably(join(repo.dir, 'HEAD'), `ref: ${ref}\n`)
}

/** Throws GitError 'ref_invalid' unless this is the full name of a branch. */
export function checkBranch(ref: string): void {
  checkRefName(ref)
  if (!ref.startsWith('refs/heads/'))
    throw new GitError('ref_invalid', 'The default branch must be a branch.', { ref })
}
