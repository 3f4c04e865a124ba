import { Fault } from '../../errors.ts'
import { atOnce, type Steps } from '../../lib/slices.ts'
import type { ContentTree, FileNode } from '../tree/build.ts'
import { configPath } from '../tree/config.ts'
import { deriveTree } from '../tree/derive.ts'
import type { Identity } from '../tree/identity.ts'
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

/** What became of a page: its id, and the `ref` that its change gave it. */
export type Outcome = { object: 'created_page' | 'updated_page' | 'deleted_page'; page: string; ref?: string }

/** A file to be written. `bytes` are there when no blob of the revision has them; `mode` when the path is new. */
export type FileEdit = { oid: string; mode?: string; bytes?: Uint8Array }

/** What a batch comes to. */
export type Edits = {
  /** By path; null takes a file away. */
  files: Map<string, FileEdit | null>
  /** Files that got another path: new to old. */
  renamed: Map<string, string>
  identity: Identity
  /** The tree as it is then; undefined when it has not been worked out. */
  tree: ContentTree | undefined
  /** One for each page, in the order in which they were touched first. */
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
 * Applies changes in order, all or none: throws the Fault of the first that cannot be, which names it by its index.
 * Nothing is written anywhere; `needsOf` says what `source` has to hold.
 */
export const applyChanges = (source: EditSource, changes: readonly Change[]): Edits =>
  atOnce(changeSteps(source, changes))

/** The same in steps: in a large space a change of the tree takes a moment. */
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

/** Names the change in what it throws; a template is the only change of its request, which has none by that name. */
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

/** Throws 'invalid' for a `ref` that is given twice, or that could be taken for something else. */
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
      if (refs.has(ref)) refuse(`The ref "${ref}" is given twice.`)
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
  // Other redirects are read with the settings, which the batch does not.
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

/** The tree as a reader of the new revision would find it; undefined when that takes more than is known here. */
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
