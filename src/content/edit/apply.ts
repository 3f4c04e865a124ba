import { Fault } from '../../errors.ts'
import { atOnce, type Steps } from '../../lib/slices.ts'
import type { ContentTree, FileNode } from '../tree/build.ts'
import { configPath } from '../tree/config.ts'
import { deriveTree } from '../tree/derive.ts'
import type { IdOverrides } from '../tree/identity.ts'
import { applyTemplate } from './apply-template.ts'
import type { Change } from './changes.ts'
import { deleteFile, deletePage } from './delete.ts'
import { type Draft, type EditSource, factsAt, filesBefore, openDraft } from './draft.ts'
import { insertFiles, renameFile, setVariables } from './files.ts'
import { updateGroup } from './groups.ts'
import { insertLink, insertNewGroup, insertPage } from './insert.ts'
import { revertPage } from './revert.ts'
import { settleSubmitted } from './settle-links.ts'
import { treeInSteps } from './tree.ts'
import { updatePage } from './update.ts'

/** The outcome for a page: its id, and the `ref` that its change gave it. */
export type Outcome = { object: 'created_page' | 'updated_page' | 'deleted_page'; page: string; ref?: string }

/** A file to write. `bytes` is present unless a blob of the revision has them; `mode` is present if the path is new. */
export type FileEdit = { oid: string; mode?: string; bytes?: Uint8Array }

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

type Appliers = {
  [Operation in Change['operation']]: (
    draft: Draft,
    change: Extract<Change, { operation: Operation }>,
  ) => Steps<void>
}

const appliers: Appliers = {
  insert_page: insertPage,
  update_page: updatePage,
  delete_page: deletePage,
  revert_page: revertPage,
  insert_files: insertFiles,
  insert_group: insertNewGroup,
  insert_link: insertLink,
  update_group: updateGroup,
  delete_file: deleteFile,
  rename_file: renameFile,
  set_variables: setVariables,
  apply_template: applyTemplate,
}

/**
 * Applies changes in order, all or none. Throws the fault of the first change that fails, with its index. Writes nothing to
 * disk; `needsOf` returns what `source` must contain.
 */
export const applyChanges = (source: EditSource, changes: readonly Change[]): Edits =>
  atOnce(changeSteps(source, changes))

/** Does the work of `applyChanges` in steps: a change of a large tree takes a while. */
export function* changeSteps(source: EditSource, changes: readonly Change[]): Steps<Edits> {
  checkRefs(source.tree, changes)
  const draft = openDraft(source)
  for (const [index, change] of changes.entries()) {
    if (index > 0) yield
    const apply = appliers[change.operation] as (draft: Draft, change: Change) => Steps<void>
    yield* at(index, change, apply(draft, change))
  }
  yield
  yield* settleSubmitted(draft)
  return yield* finish(draft)
}

/** Adds the index of the change to its faults; a template is the only change of its request and is not numbered there. */
function* at(index: number, { operation }: Change, work: Steps<void>): Steps<void> {
  try {
    yield* work
  } catch (error) {
    if (!(error instanceof Fault) || operation === 'apply_template') throw error
    throw named(index, operation, error)
  }
}

const named = (index: number, operation: string, { kind, message, detail }: Fault): Fault =>
  new Fault(kind, `Change ${index} (${operation}): ${message}`, { ...detail, index })

/** Throws 'invalid' for a `ref` that is used twice, or that is also the id or address of a page. */
function checkRefs(tree: ContentTree, changes: readonly Change[]): void {
  const refs = new Set<string>()
  for (const [index, change] of changes.entries()) {
    const refuse = (sentence: string) => {
      throw named(index, change.operation, new Fault('invalid', sentence))
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

function* finish(draft: Draft): Steps<Edits> {
  const { input, tree: before } = draft.source
  const known = new Set(input?.files.map(file => file.oid))
  const files: Edits['files'] = new Map()
  for (const [path, file] of draft.changed) {
    const bytes = file && !known.has(file.oid) ? draft.bytes.get(file.oid) : undefined
    const isNew = input !== undefined && !filesBefore(draft).has(path)
    files.set(path, file && { oid: file.oid, ...(isNew && { mode: file.mode }), ...(bytes && { bytes }) })
  }
  // The batch does not read changed settings, so the tree has to be rebuilt.
  const tree = files.size === 0 ? before : files.has(configPath) ? undefined : yield* finalTree(draft)
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

/** Returns the tree of the new revision; undefined if that needs data that the batch does not have. */
function* finalTree(draft: Draft): Steps<ContentTree | undefined> {
  if (draft.source.input) {
    draft.stale ||= draft.behind
    const tree = yield* treeInSteps(draft)
    const unread = [...tree.pageByFile.values()].some(page => !page.facts)
    return unread ? undefined : tree
  }
  if (draft.stale) return undefined
  const changes = [...draft.changed].map(([path, after]) => {
    const file = draft.tree.pageByFile.get(path)?.file
    return { path, before: file && { ...file, mode: '100644' }, after: after ?? undefined }
  })
  return deriveTree(draft.tree, changes, oid => factsAt(draft, oid))
}
