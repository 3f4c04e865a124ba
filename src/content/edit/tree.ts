import { mustGet } from '../../lib/must-get.ts'
import { sharedMapSteps } from '../../lib/shared-map.ts'
import { atOnce, type Steps } from '../../lib/slices.ts'
import { type ContentTree, keyed, keysOf, type PageNode, setIds, treeSteps } from '../tree/build.ts'
import { deriveTree } from '../tree/derive.ts'
import { followRenames, type IdOverrides, idSteps, settleSteps } from '../tree/identity.ts'
import { readVariables, variablesPath } from '../tree/variables.ts'
import { allFiles, type Draft, factsAt } from './draft.ts'
import { structureOf } from './read.ts'
import type { Asking, Structure } from './requests.ts'

/** Returns the pages of a tree in order: parents before their children. */
export const pagesInOrder = (tree: ContentTree): PageNode[] => [...tree.pageById.values()]

/**
 * Returns the tree after the changes so far. Pages and files that existed before keep their ids.
 * Before `structureOf`, it is the tree that `treeInSteps` returned last.
 */
export function treeOf(draft: Draft): ContentTree {
  const { structure, stale, tree } = draft
  return stale && structure ? atOnce(rebuild(draft, structure.input)) : tree
}

/**
 * Does the work of `treeOf` in steps. A change that affects many pages of a large space calls this
 * first, so that `treeOf` finds the tree up to date.
 */
export function* treeInSteps(draft: Draft): Asking<ContentTree> {
  if (!draft.stale) return draft.tree
  const derived = draft.structure ? undefined : derivedTree(draft)
  if (!derived) return yield* rebuild(draft, yield* structureOf(draft))
  draft.tree = derived
  draft.stale = false
  draft.behind = false
  return derived
}

/**
 * Returns the tree after changes of the text of pages alone; undefined if it has to be rebuilt. It
 * is derived from the tree before the batch: a later change may have restored the text that an
 * earlier one changed.
 */
export function derivedTree(draft: Draft): ContentTree | undefined {
  const { tree } = draft.source
  const changes = [...draft.changed].map(([path, after]) => {
    const file = tree.pageByFile.get(path)?.file
    return { path, before: file && { ...file, mode: '100644' }, after: after ?? undefined }
  })
  return deriveTree(tree, changes, oid => factsAt(draft, oid))
}

function* rebuild(draft: Draft, input: Structure): Steps<ContentTree> {
  const before = draft.tree
  // Keys that exist already are built with their id as an override, which saves computing it.
  const known = idsIn(before)
  yield
  const files = allFiles(draft)

  yield
  const tree = yield* treeSteps({ ...currentInput(draft, input), files, identity: known })

  yield
  yield* settleIds(draft, tree, known)
  draft.tree = tree
  draft.moved = new Map()
  draft.order = null
  draft.stale = false
  draft.behind = false

  return tree
}

/**
 * Returns the input of the tree, its files aside, with the table of contents and the variables of
 * the draft.
 */
function currentInput(draft: Draft, input: Structure): Structure {
  const current = { ...input, summary: draft.summary, facts: (oid: string) => factsAt(draft, oid) }
  const path = input.config.root + variablesPath
  const written = draft.changed.get(path)
  if (written === undefined) return current

  const { variables, issues } = readVariables(written ? draft.bytes.get(written.oid) : undefined)
  const others = (input.issues ?? []).filter(issue => issue.path !== path)

  return {
    ...current,
    variables,
    issues: [...others, ...issues.map(issue => ({ ...issue, path }))],
  }
}

/**
 * Carries the id overrides of the draft over to a new tree, and sets its ids where that changes
 * them.
 */
function* settleIds(
  draft: Draft,
  tree: ContentTree,
  known: ReadonlyMap<string, string>,
): Steps<void> {
  const { tree: before, source, identity: overrides } = draft
  const renames = renamesBetween(draft, before, tree)
  yield
  const keysAfter = keysOf(tree)
  const added = [...keysAfter].filter(key => !known.has(key))

  yield
  const followed = followRenames(source.spaceId, overrides, {
    keysBefore: known,
    keysAfter,
    renames,
    added,
  })
  const defaultIdOf = (key: string) =>
    overrides.has(key) || before.displaced.has(key) ? undefined : known.get(key)

  yield
  const settled: IdOverrides = yield* settleSteps(source.spaceId, followed, keysAfter, defaultIdOf)
  if (settled !== overrides)
    yield* replaceIds(tree, yield* idSteps(source.spaceId, settled, keysAfter, defaultIdOf))
  draft.identity = settled
}

/** Returns the ids of a tree by key. */
const idsIn = (tree: ContentTree): Map<string, string> =>
  new Map([
    ...[...tree.pageById.values()].map(({ key, id }): [string, string] => [key, id]),
    ...[...tree.files, ...tree.includes].map(({ path, id }): [string, string] => [path, id]),
  ])

/** Replaces the ids of a tree in place, before anything else refers to it. */
function* replaceIds(
  tree: ContentTree,
  { ids, displaced }: { ids: ReadonlyMap<string, string>; displaced: ReadonlySet<string> },
): Steps<void> {
  const pages = pagesInOrder(tree)
  setIds(pages, ids)
  for (const file of [...tree.files, ...tree.includes]) file.id = mustGet(ids, file.path)
  yield
  tree.pageById = yield* sharedMapSteps(keyed(pages, page => page.id))
  tree.displaced = displaced
  tree.fileById = yield* sharedMapSteps(keyed(tree.files, file => file.id))
}

/** Returns the keys of the new tree that have another key in the one before: new to old. */
function renamesBetween(
  draft: Draft,
  before: ContentTree,
  after: ContentTree,
): Map<string, string> {
  const renames = new Map(draft.moved)
  const nodes = pagesInOrder(after)
  if (!draft.order || draft.order.length !== nodes.length) return renames

  for (const [i, node] of nodes.entries()) {
    const old = draft.order[i]
    if (!old || old.key === node.key || renames.has(node.key)) continue

    // A file that existed before is the same file, wherever it is listed.
    if (
      !node.key.startsWith('#') &&
      (before.pageByFile.has(node.key) || before.fileByPath.has(node.key))
    )
      continue

    renames.set(node.key, old.key)
  }

  return renames
}
