import { sharedMap } from '../lib/shared-map.ts'
import { atOnce } from '../lib/slices.ts'
import { allFiles, bytesAt, type Draft, factsAt } from './edit-draft.ts'
import { followRenames, type Identity, idSteps, settleIdentity } from './identity.ts'
import { buildTree, type ContentTree, keyed, keysOf, type PageNode, setIds } from './tree.ts'
import { readVariables, variablesPath } from './variables.ts'

/** The pages of a tree in order: parents before their children. */
export const pagesInOrder = (tree: ContentTree): PageNode[] => [...tree.pageById.values()]

/** The tree as the changes so far leave it. Whoever has been there before keeps its id. */
export function treeOf(draft: Draft): ContentTree {
  const { input } = draft.source
  if (!draft.stale || !input) return draft.tree
  const before = draft.tree
  const path = input.config.root + variablesPath
  const vars = draft.changed.has(path) ? readVariables(bytesAt(draft, path)) : undefined
  const build = (identity: Identity) =>
    buildTree({
      ...input,
      files: allFiles(draft),
      identity,
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
  // Who was there before has an id already: it need not be worked out again.
  const known = idsIn(before)
  const tree = build(known)
  const renames = renamesBetween(draft, before, tree)
  const keysAfter = keysOf(tree)
  const added = [...keysAfter].filter(key => !known.has(key))
  const change = { keysBefore: known, keysAfter, renames, added }
  const followed = followRenames(draft.source.spaceId, draft.identity, change)
  const born = (key: string) =>
    draft.identity.has(key) || before.displaced.has(key) ? undefined : known.get(key)
  const identity = settleIdentity(draft.source.spaceId, followed, keysAfter, born)
  if (identity !== draft.identity)
    giveIds(tree, atOnce(idSteps(draft.source.spaceId, identity, keysAfter, born)))
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
function giveIds(
  tree: ContentTree,
  { ids, late }: { ids: ReadonlyMap<string, string>; late: ReadonlySet<string> },
): void {
  const pages = pagesInOrder(tree)
  setIds(pages, ids)
  for (const file of [...tree.files, ...tree.includes]) file.id = ids.get(file.path)!
  tree.pageById = sharedMap(keyed(pages, page => page.id))
  tree.displaced = late
  tree.fileById = sharedMap(keyed(tree.files, file => file.id))
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
