import type { Oid } from '../../lib/oid.ts'
import type { TreeEntry } from '../values/parse.ts'
import { inGitOrder, isFolder, serializeTree, type TreeStore } from './tree-edit.ts'

/**
 * Writes the tree with every entry of `winner` plus the entries of `other` whose names `winner`
 * lacks; folders that exist in both are united recursively. Entries are copied byte for byte,
 * whatever their names and modes. Where one side has a file and the other a folder of the same
 * name, the entry of `winner` is kept.
 */
export async function uniteTrees(store: TreeStore, winner: Oid, other: Oid): Promise<Oid> {
  const known = new Map<string, Promise<Oid>>()
  // A few trees can reference each other so often that they unfold into billions of pairs.
  const once = (a: Oid, b: Oid): Promise<Oid> => {
    const key = `${a} ${b}`
    const before = known.get(key)
    if (before) return before
    const made = unite(a, b)
    known.set(key, made)
    return made
  }

  const unite = async (a: Oid, b: Oid): Promise<Oid> => {
    if (a === b) return a
    const entries: TreeEntry[] = [...(await store.readTree(a))]
    const places = new Map(entries.map((entry, at) => [entry.raw.toString('latin1'), at]))

    for (const theirs of await store.readTree(b)) {
      const at = places.get(theirs.raw.toString('latin1'))
      const ours = at === undefined ? undefined : entries[at]
      if (!ours || at === undefined) entries.push(theirs)
      else if (isFolder(ours.mode) && isFolder(theirs.mode))
        entries[at] = { ...ours, oid: await once(ours.oid, theirs.oid) }
    }

    return store.writeTree(serializeTree(inGitOrder(entries)))
  }

  return once(winner, other)
}
