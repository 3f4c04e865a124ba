import { Fault } from '../../errors.ts'
import type { Oid } from '../../lib/oid.ts'
import type { ContentTree, FileNode } from '../tree/build.ts'
import { type ContentConfig, configPath, isToolSettings } from '../tree/config.ts'
import type { IdOverrides } from '../tree/identity.ts'
import { applyTemplate } from './apply-template.ts'
import type { Change } from './changes.ts'
import { deleteFile, deletePage, prefetchDelete, prefetchDeleteFile } from './delete.ts'
import { type Draft, type EditSource, openDraft } from './draft.ts'
import { insertFiles, prefetchRename, renameFile, setVariables } from './files.ts'
import { updateGroup } from './groups.ts'
import { insertLink, insertNewGroup, insertPage } from './insert.ts'
import { readBlobs, readSnapshots } from './read.ts'
import type { Asking, Prefetch } from './requests.ts'
import { prefetchRevert, revertPage } from './revert.ts'
import { settleSubmitted } from './settle-links.ts'
import { derivedTree, treeInSteps } from './tree.ts'
import { prefetchUpdate, updatePage } from './update.ts'

/** The outcome for a page: its id, and the `ref` that its change gave it. */
export type Outcome = {
  object: 'created_page' | 'updated_page' | 'deleted_page'
  page: string
  ref?: string
}

/**
 * A file to write. `bytes` is present unless a blob of the revision has them; `mode` is present if
 * the path is new.
 */
type FileEdit = { oid: Oid; mode?: string; bytes?: Uint8Array }

/** The result of a batch. */
export type Edits = {
  /** By path; null removes a file. */
  files: Map<string, FileEdit | null>
  /** Files with a new path: new to old. */
  renamed: Map<string, string>
  identity: IdOverrides
  /** The resulting tree; undefined if it was not computed. */
  tree: ContentTree | undefined
  /** One per page, in the order in which the pages were first changed. */
  outcomes: Outcome[]
  insertedFiles: FileNode[]
}

/** A kind of change. */
type Kind<Of extends Change> = {
  apply: (draft: Draft, change: Of) => Asking<void>
  prefetch?: (tree: ContentTree, change: Of) => Prefetch
}

const kinds: {
  [Operation in Change['operation']]: Kind<Extract<Change, { operation: Operation }>>
} = {
  insert_page: { apply: insertPage },
  update_page: { apply: updatePage, prefetch: prefetchUpdate },
  delete_page: { apply: deletePage, prefetch: prefetchDelete },
  revert_page: { apply: revertPage, prefetch: prefetchRevert },
  insert_files: { apply: insertFiles },
  insert_group: { apply: insertNewGroup },
  insert_link: { apply: insertLink },
  update_group: { apply: updateGroup },
  delete_file: { apply: deleteFile, prefetch: prefetchDeleteFile },
  rename_file: { apply: renameFile, prefetch: prefetchRename },
  set_variables: { apply: setVariables },
  apply_template: { apply: applyTemplate },
}

const kindOf = ({ operation }: Change): Kind<Change> => kinds[operation] as Kind<Change>

/**
 * Applies changes in order, all or none, and asks for what they read. Throws the fault of the first
 * change that fails, with its index. Writes nothing to disk.
 */
export function* changeSteps(source: EditSource, changes: readonly Change[]): Asking<Edits> {
  const draft = openDraft(source)
  yield* prefetch(draft, changes)
  checkRefs(source.tree, changes)

  for (const [index, change] of changes.entries()) {
    if (index > 0) yield
    yield* at(index, change, kindOf(change).apply(draft, change))
  }

  yield
  yield* settleSubmitted(draft)

  return yield* finish(draft)
}

/**
 * Reads what the changes are known to need, in one request for all revisions and one for all blobs.
 */
function* prefetch(draft: Draft, changes: readonly Change[]): Asking<void> {
  const known = changes.map(change => kindOf(change).prefetch?.(draft.tree, change) ?? {})
  yield* readSnapshots(
    draft,
    known.flatMap(({ base }) => base?.revision ?? []),
  )
  const formerOf = ({ base }: Prefetch) =>
    draft.snapshots.get(base?.revision ?? '')?.pageById.get(base?.page ?? '')
  yield* readBlobs(
    draft,
    known.flatMap(each => [each.blob ?? [], formerOf(each)?.file?.oid ?? []].flat()),
  )

  const moving = known.flatMap(each => {
    const { linksTo = [] } = each
    return typeof linksTo === 'function' ? linksTo(formerOf(each)) : linksTo
  })

  draft.links = { to: new Set(moving), found: new Map() }
}

/**
 * Adds the index of the change to its faults; a template is the only change of its request and is
 * not numbered there.
 */
function* at(index: number, { operation }: Change, work: Asking<void>): Asking<void> {
  try {
    yield* work
  } catch (error) {
    if (!(error instanceof Fault) || operation === 'apply_template') throw error
    throw named(index, operation, error)
  }
}

const named = (index: number, operation: string, { reason, message, detail }: Fault): Fault =>
  new Fault(reason, `Change ${index} (${operation}): ${message}`, { ...detail, index })

/** Throws 'invalid' for a `ref` that is used twice, or that is also the id or address of a page. */
function checkRefs(tree: ContentTree, changes: readonly Change[]): void {
  const refs = new Set<string>()
  for (const [index, change] of changes.entries()) {
    const refuse = (sentence: string) => {
      throw named(index, change.operation, new Fault('invalid_input', sentence))
    }
    const own =
      change.operation === 'insert_files'
        ? change.files.map(file => file.ref)
        : 'ref' in change
          ? [change.ref]
          : []

    for (const ref of own) {
      if (ref === undefined) continue
      if (refs.has(ref)) refuse(`The ref "${ref}" is used twice.`)
      if (tree.pageByPath.has(ref) || tree.pageById.has(ref))
        refuse(`The ref "${ref}" is the address of a page: choose another one.`)
      refs.add(ref)
    }
  }
}

/** Reports whether other settings may count for these files than before. */
const changesSettings = (
  { decisive = [], settings }: ContentConfig,
  files: Edits['files'],
): boolean =>
  [...files].some(
    ([path, file]) =>
      path === configPath ||
      isToolSettings(path) ||
      settings?.includes(path) ||
      (decisive.includes(path) && (file === null || file.mode !== undefined)),
  )

function* finish(draft: Draft): Asking<Edits> {
  const { source, structure } = draft
  const known = new Set(structure?.input.files.map(file => file.oid))
  const files: Edits['files'] = new Map()

  for (const [path, file] of draft.changed) {
    const bytes = file && !known.has(file.oid) ? draft.bytes.get(file.oid) : undefined
    const isNew = structure !== undefined && !structure.files.has(path)
    files.set(
      path,
      file && { oid: file.oid, ...(isNew && { mode: file.mode }), ...(bytes && { bytes }) },
    )
  }

  // The batch does not read changed settings, so the tree has to be rebuilt.
  const isUnread = changesSettings(source.tree.config, files)
  const tree = files.size === 0 ? source.tree : isUnread ? undefined : yield* finalTree(draft)
  const shown = tree ?? draft.tree

  return {
    files,
    renamed: draft.renamed,
    identity: draft.identity,
    tree,
    outcomes: [...draft.outcomes].map(([page, outcome]) => ({ ...outcome, page })),
    insertedFiles: draft.insertedFiles.flatMap(path => shown.fileByPath.get(path) ?? []),
  }
}

/**
 * Returns the tree of the new revision; undefined if that needs data that the batch does not have.
 */
function* finalTree(draft: Draft): Asking<ContentTree | undefined> {
  if (!draft.structure) return derivedTree(draft)
  draft.stale ||= draft.behind
  const tree = yield* treeInSteps(draft)
  const unread = [...tree.pageByFile.values()].some(page => !page.facts)
  return unread ? undefined : tree
}
