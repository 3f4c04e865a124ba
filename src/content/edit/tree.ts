import { sharedMapSteps } from '../../lib/shared-map.ts'
import { atOnce, type Steps } from '../../lib/slices.ts'
import { type ContentTree, keyed, keysOf, type PageNode, setIds, treeSteps } from '../tree/build.ts'
import { followRenames, idSteps, settleSteps } from '../tree/identity.ts'
import { readVariables, variablesPath } from '../tree/variables.ts'
import { allFiles, bytesAt, type Draft, factsAt } from './draft.ts'

/** The pages of a tree in order: parents before their children. */
export const pagesInOrder = (tree: ContentTree): PageNode[] => [...tree.pageById.values()]

/** The tree as the changes so far leave it. Whoever has been there before keeps its id. */
export const treeOf = (draft: Draft): ContentTree => atOnce(treeInSteps(draft))

/** The same in steps: where much has changed, in a large space, it takes a moment, and `treeOf` has it at hand then. */
export function* treeInSteps(draft: Draft): Steps<ContentTree> {
  const { input } = draft.source
  if (!draft.stale || !input) return draft.tree
  const before = draft.tree
  const path = input.config.root + variablesPath
  const vars = draft.changed.has(path) ? readVariables(bytesAt(draft, path)) : undefined
  // Who was there before has an id already: it need not be worked out again.
  const known = idsIn(before)
  yield
  const files = allFiles(draft)
  yield
  const tree = yield* treeSteps({
    ...input,
    files,
    identity: known,
    summary: draft.summary,
    facts: oid => factsAt(draft, oid),
    ...(vars && {
      variables: vars.variables,
      issues: [
        ...(input.issues ?? []).filter(issue => issue.path !== path),
        ...vars.issues.map(issue => ({ ...issue, path })),
      ],
    }),
  })
  yield
  const renames = renamesBetween(draft, before, tree)
  yield
  const keysAfter = keysOf(tree)
  const added = [...keysAfter].filter(key => !known.has(key))
  yield
  const change = { keysBefore: known, keysAfter, renames, added }
  const followed = followRenames(draft.source.spaceId, draft.identity, change)
  const born = (key: string) =>
    draft.identity.has(key) || before.displaced.has(key) ? undefined : known.get(key)
  yield
  const identity = yield* settleSteps(draft.source.spaceId, followed, keysAfter, born)
  if (identity !== draft.identity)
    yield* giveIds(tree, yield* idSteps(draft.source.spaceId, identity, keysAfter, born))
  draft.identity = identity
  draft.tree = tree
  draft.moved = new Map()
  draft.order = null
  draft.stale = false
  draft.behind = false
  return tree
}

/** The ids of a tree by their keys. */
const idsIn = (tree: ContentTree): Map<string, string> =>
  new Map([
    ...[...tree.pageById.values()].map(({ key, id }): [string, string] => [key, id]),
    ...[...tree.files, ...tree.includes].map(({ path, id }): [string, string] => [path, id]),
  ])

/** Gives a tree that nobody has seen yet other ids. */
function* giveIds(
  tree: ContentTree,
  { ids, late }: { ids: ReadonlyMap<string, string>; late: ReadonlySet<string> },
): Steps<void> {
  const pages = pagesInOrder(tree)
  setIds(pages, ids)
  for (const file of [...tree.files, ...tree.includes]) file.id = ids.get(file.path)!
  yield
  tree.pageById = yield* sharedMapSteps(keyed(pages, page => page.id))
  tree.displaced = late
  tree.fileById = yield* sharedMapSteps(keyed(tree.files, file => file.id))
}

/** Which key of the new tree was which of the one before. */
function renamesBetween(draft: Draft, before: ContentTree, after: ContentTree): Map<string, string> {
  const renames = new Map(draft.moved)
  const nodes = pagesInOrder(after)
  if (!draft.order || draft.order.length !== nodes.length) return renames
  for (const [i, node] of nodes.entries()) {
    const old = draft.order[i]
    if (!old || old.key === node.key || renames.has(node.key)) continue
    // A file that was there before is the same file, whatever lists it.
    if (!node.key.startsWith('#') && (before.pageByFile.has(node.key) || before.fileByPath.has(node.key)))
      continue
    renames.set(node.key, old.key)
  }
  return renames
}
