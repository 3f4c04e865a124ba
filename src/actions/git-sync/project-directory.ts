import { invalid } from '../../errors.ts'
import { openQuarantine } from '../../git/commits/quarantine.ts'
import { readCommit } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { findEntry } from '../../git/trees/tree-files.ts'
import type { Oid } from '../../lib/oid.ts'
import { service, withTrailers } from '../repositories/commit-signatures.ts'
import { SyncFailure } from './sync-failure.ts'

/**
 * Returns a directory without surrounding slashes; '' for the whole repository. Throws a Fault if
 * it leaves the repository.
 */
export function projectDirectory(text: string | undefined): string {
  const parts = (text ?? '').split('/').filter(part => part !== '' && part !== '.')
  if (parts.some(part => part === '..' || /^\.git$/i.test(part) || /[\0-\x1f\x7f\\]/.test(part))) {
    throw invalid('"repoProjectDirectory" must be a folder inside the repository, without "..".')
  }
  return parts.join('/')
}

/**
 * Writes the commit that represents a folder of a remote's commit: its tree is that folder, `parent` is
 * the previous one for the same branch. Returns the previous one if the folder has not
 * changed.
 */
export async function commitOfDirectory(
  repo: Repository,
  source: Oid,
  directory: string,
  parent: Oid | undefined,
): Promise<Oid> {
  const commit = await readCommit(repo, source)
  const entry = commit && (await findEntry(repo, commit.tree, directory))
  if (!commit || entry?.mode !== '040000') {
    throw new SyncFailure(
      `The repository has no folder "${directory}" on this branch. Check "repoProjectDirectory".`,
    )
  }

  const previous = parent && (await readCommit(repo, parent))
  if (parent && previous?.tree === entry.oid) return parent

  const quarantine = openQuarantine(repo)
  const made = await quarantine.writeCommit({
    tree: entry.oid,
    parents: parent ? [parent] : [],
    author: commit.author,
    committer: service(new Date(commit.committer.at * 1000)),
    message: withTrailers(commit.message, {
      'Stemma-Source': source,
      'Stemma-Source-Directory': directory,
    }),
  })

  await quarantine.flush()

  return made
}
