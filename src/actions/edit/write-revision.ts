import type { Edits } from '../../content/edit/apply.ts'
import type { Change } from '../../content/edit/changes.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import { Fault, invalid } from '../../errors.ts'
import type { Person, Quarantine } from '../../git/commits/quarantine.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../git/values/oid.ts'
import type { ChangeRequestRow, RevisionPathRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { authorOf, service, withTrailers } from '../repositories/commit-signatures.ts'
import { subjectOf } from './edit-subject.ts'

/** A commit that is on no branch yet. */
export type WrittenRevision = { commit: Oid; tree: Oid; author: Person; committer: Person; message: string }

type Writing = {
  space: SpaceRow
  changeRequest: Pick<ChangeRequestRow, 'number'> | undefined
  by: UserRow
  at: Date
  view: RevisionView
  changes: readonly Change[]
  edits: Edits
}

/** Writes the commit of a batch into the quarantine; undefined, and no commit, when its tree is the one before. */
export async function writeRevision(
  quarantine: Quarantine,
  { space, changeRequest, by, at, view, changes, edits }: Writing,
): Promise<WrittenRevision | undefined> {
  if (edits.files.size === 0) return undefined
  const tree = await writeTree(quarantine, view.treeOid as Oid, edits)
  if (tree === view.treeOid) return undefined
  const titleOf = (id: string) => edits.tree?.pageById.get(id)?.title ?? view.content.pageById.get(id)?.title
  const author = authorOf(by, at)
  const committer = service(at)
  const message = withTrailers(subjectOf(changes, edits.outcomes, titleOf), {
    'Stemma-Space': space.id,
    'Stemma-Change-Request': changeRequest?.number,
    'Stemma-Operation': 'edit',
  })
  const commit = await quarantine.writeCommit({
    tree,
    parents: [view.oid as Oid],
    author,
    committer,
    message,
  })
  return { commit, tree, author, committer, message }
}

async function writeTree(quarantine: Quarantine, base: Oid, { files }: Edits): Promise<Oid> {
  const requests = []
  for (const [path, file] of files) {
    if (file?.bytes) await quarantine.writeBlob(file.bytes)
    requests.push({ path, oid: (file?.oid ?? null) as Oid | null, ...(file?.mode && { mode: file.mode }) })
  }
  try {
    return await quarantine.writeTree(base, requests)
  } catch (error) {
    const path = isGitError(error) ? String(error.detail.path ?? '') : ''
    if (isGitError(error, 'path_conflict'))
      throw new Fault('conflict', `"${path}" is a file where a folder is needed, or the other way round.`, {
        path,
      })
    if (isGitError(error, 'path_invalid'))
      throw invalid(`"${path}" cannot be the path of a file: choose a shorter or plainer slug or name.`, {
        path,
      })
    throw error
  }
}

type ChangedPath = Omit<RevisionPathRow, 'seq' | 'space_id'>

/** The files that a batch changed, as the index of revisions tells them. */
export function pathsOf({ files, renamed }: Edits): ChangedPath[] {
  const left = new Set(renamed.values())
  const paths: ChangedPath[] = []
  for (const [path, file] of files) {
    const from = file === null ? undefined : renamed.get(path)
    if (from !== undefined) paths.push({ path, status: 'renamed', from_path: from })
    else if (file) paths.push({ path, status: file.mode ? 'added' : 'modified', from_path: null })
    else if (!left.has(path)) paths.push({ path, status: 'deleted', from_path: null })
  }
  return paths
}
