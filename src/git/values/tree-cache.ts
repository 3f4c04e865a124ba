import type { Oid } from '../../lib/oid.ts'
import type { TreeEntry } from './parse.ts'

/** Parsed trees by id. Trees are immutable, so entries never go stale. */
export type TreeCache = {
  get: (oid: Oid) => readonly TreeEntry[] | undefined
  set: (oid: Oid, entries: readonly TreeEntry[], bytes: number) => void
}

/**
 * Returns a least-recently-used cache of parsed trees with an estimated size of at most `maxBytes`.
 */
export function treeCache(maxBytes: number): TreeCache {
  const trees = new Map<Oid, { entries: readonly TreeEntry[]; bytes: number }>()
  let total = 0
  return {
    get: oid => {
      const found = trees.get(oid)
      if (!found) return undefined
      trees.delete(oid)
      trees.set(oid, found)
      return found.entries
    },
    set: (oid, entries, bytes) => {
      // A parsed entry costs several times its raw bytes.
      const cost = bytes * 6 + 200
      if (cost > maxBytes / 4 || trees.has(oid)) return
      trees.set(oid, { entries, bytes: cost })
      total += cost

      for (const [oldest, { bytes: freed }] of trees) {
        if (total <= maxBytes) break
        trees.delete(oldest)
        total -= freed
      }
    },
  }
}
