import type { Edits, Outcome } from '../../content/edit/apply.ts'
import type { Change } from '../../content/edit/changes.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import { Fault } from '../../errors.ts'
import type { Person, Quarantine } from '../../git/commits/quarantine.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import type {
  ChangeRequestRow,
  RevisionPathRow,
  SpaceRow,
  UserRow,
} from '../../store/tables/rows.ts'
import { authorOf, service, withTrailers } from '../repositories/commit-signatures.ts'

/** A commit that is on no branch yet. */
export type WrittenRevision = {
  commit: Oid
  tree: Oid
  author: Person
  committer: Person
  message: string
}

type Writing = {
  space: SpaceRow
  changeRequest: Pick<ChangeRequestRow, 'number'> | undefined
  by: UserRow
  at: Date
  view: RevisionView
  changes: readonly Change[]
  edits: Edits
  /** The first line of the message; undefined: what the changes do. */
  message?: string | undefined
}

/**
 * Writes the commit of a batch into the quarantine; undefined, and no commit, if the tree stays the
 * same.
 */
export async function writeRevision(
  quarantine: Quarantine,
  { space, changeRequest, by, at, view, changes, edits, message: given }: Writing,
): Promise<WrittenRevision | undefined> {
  if (edits.files.size === 0) return undefined
  const tree = await writeTree(quarantine, view.treeOid, edits)
  if (tree === view.treeOid) return undefined
  addFiles(quarantine, changes, edits)

  const titleOf = (id: string) =>
    edits.tree?.pageById.get(id)?.title ?? view.content.pageById.get(id)?.title
  const author = authorOf(by, at)
  const committer = service(at)
  const message = withTrailers(given || subjectOf(changes, edits.outcomes, titleOf), {
    'Stemma-Space': space.id,
    'Stemma-Change-Request': changeRequest?.number,
    'Stemma-Operation': 'edit',
  })

  const commit = await quarantine.writeCommit({
    tree,
    parents: [view.oid],
    author,
    committer,
    message,
  })

  return { commit, tree, author, committer, message }
}

/** Adds the files on disk that became part of the content. */
function addFiles(quarantine: Quarantine, changes: readonly Change[], { files }: Edits): void {
  const written = new Set([...files.values()].map(file => file?.oid))
  for (const change of changes)
    if (change.operation === 'insert_files')
      for (const { unread } of change.files)
        if (unread && written.has(unread.oid)) quarantine.addFile(unread)
}

async function writeTree(quarantine: Quarantine, base: Oid, { files }: Edits): Promise<Oid> {
  const requests = []
  for (const [path, file] of files) {
    if (file?.bytes) await quarantine.writeBlob(file.bytes)
    requests.push({
      path,
      oid: file?.oid ?? null,
      ...(file?.mode && { mode: file.mode }),
    })
  }

  try {
    return await quarantine.writeTree(base, requests)
  } catch (error) {
    const path = isGitError(error) ? String(error.detail.path ?? '') : ''
    if (isGitError(error, 'path_conflict'))
      throw new Fault(
        'path_conflict',
        `"${path}" is a file where a folder is needed, or a folder where a file is needed.`,
        {
          path,
        },
      )

    if (isGitError(error, 'path_invalid'))
      throw new Fault(
        'path_not_allowed',
        `"${path}" is not a valid file path. Choose a shorter or simpler slug or name.`,
        {
          path,
        },
      )

    throw error
  }
}

type ChangedPath = Omit<RevisionPathRow, 'seq' | 'space_id'>

/** Returns the files that a batch changed, as rows of the revision index. */
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

const longest = 72

const verbs: Record<Outcome['object'], string> = {
  created_page: 'Add',
  updated_page: 'Update',
  deleted_page: 'Delete',
}

/** Returns the first line of a batch's commit message, e.g. "Update Install" or "Add 3 pages". */
function subjectOf(
  changes: readonly Change[],
  outcomes: readonly Outcome[],
  titleOf: (id: string) => string | undefined,
): string {
  const [applied] = changes
  if (changes.length === 1 && applied?.operation === 'apply_template')
    return cut(`Apply the template "${applied.template.title}"`)
  const named = new Set(changes.flatMap(change => ('page' in change ? [change.page] : [])))

  // Pages whose links followed a rename, and pages below a deleted one, are not what the commit is
  // about.
  const meant = outcomes.filter(({ object, page }) => object === 'created_page' || named.has(page))
  const shown = meant.length > 0 ? meant : outcomes
  const [first] = shown
  if (!first) return cut(ofFiles(changes))

  const kinds = new Set(shown.map(({ object }) => object))
  const verb = kinds.size === 1 ? verbs[first.object] : 'Change'
  const title = shown.length === 1 ? titleOf(first.page) : undefined

  return cut(title ? `${verb} ${title}` : `${verb} ${count(shown.length, 'page')}`)
}

function ofFiles(changes: readonly Change[]): string {
  const said = changes.flatMap(change => {
    if (change.operation === 'insert_files')
      return [
        change.files.length === 1
          ? `Add ${change.files[0]!.name}`
          : `Add ${change.files.length} files`,
      ]

    if (change.operation === 'delete_file') return ['Delete a file']
    if (change.operation === 'rename_file') return [`Rename a file to ${change.name}`]

    return change.operation === 'set_variables' ? ['Set variables'] : []
  })
  return said.length === 1 ? said[0]! : 'Change files'
}

const count = (n: number, what: string): string => (n === 1 ? `a ${what}` : `${n} ${what}s`)

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  const letters = [...line]
  return letters.length <= longest ? line : `${letters.slice(0, longest - 1).join('')}…`
}
