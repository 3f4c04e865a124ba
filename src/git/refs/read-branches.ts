import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Oid } from '../../lib/oid.ts'
import type { Repository } from '../process/processes.ts'
import { isGitError } from '../values/errors.ts'
import { listPacked, readRef } from './refs.ts'

const folder = 'refs/heads'

/**
 * Returns all branches by their full names, read from the files of the repository without a
 * process. Throws GitError 'object_unreadable' for a corrupt one.
 */
export function readBranches(repo: Pick<Repository, 'dir'>): Map<string, Oid> {
  const branches = new Map<string, Oid>()
  // The loose ones first: a branch that is packed meanwhile is then found among the packed ones.
  for (const ref of looseNames(repo.dir, folder)) {
    const oid = readIfValid(repo, ref)
    if (oid) branches.set(ref, oid)
  }

  for (const [ref, oid] of listPacked(repo))
    if (ref.startsWith(`${folder}/`) && !branches.has(ref)) branches.set(ref, oid)

  return branches
}

function readIfValid(repo: Pick<Repository, 'dir'>, ref: string): Oid | undefined {
  try {
    return readRef(repo, ref)
  } catch (error) {
    // Not a branch: the lock of a ref, or a foreign file.
    if (isGitError(error, 'ref_invalid')) return undefined
    throw error
  }
}

function looseNames(dir: string, below: string): string[] {
  let entries: ReturnType<typeof entriesOf>
  try {
    entries = entriesOf(join(dir, below))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }

  return entries.flatMap(entry => {
    const name = `${below}/${entry.name}`
    return entry.isDirectory() ? looseNames(dir, name) : [name]
  })
}

const entriesOf = (path: string) => readdirSync(path, { withFileTypes: true })
