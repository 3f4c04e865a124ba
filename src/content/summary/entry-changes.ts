import { contentOf, type EntryIndex, type IndexedEntry } from './entry-index.ts'
import { movedAmong } from './moved-among.ts'

/** How one side changed the entries of the base, by key. */
export type EntryChanges = {
  added: Set<string>
  removed: Set<string>
  /** Entries with other words or another target. */
  edited: Set<string>
  /** Entries under another parent, or at another place among the siblings that stayed. */
  moved: Set<string>
}

/** Returns how a side changed the entries of a table of contents. */
export function entryChanges(base: EntryIndex, side: EntryIndex): EntryChanges {
  const common = [...base.entries.values()].flatMap(before => {
    const after = side.entries.get(before.key)
    return after ? [{ before, after }] : []
  })
  const moved = new Set(
    common
      .filter(({ before, after }) => before.parent !== after.parent)
      .map(({ after }) => after.key),
  )

  for (const [parent, keys] of side.lists) {
    const former = base.lists.get(parent) ?? []
    const now = new Set(keys)
    const stayed = new Set(former.filter(key => now.has(key)))
    const order = (list: readonly string[]) => list.filter(key => stayed.has(key))
    for (const key of movedAmong(order(former), order(keys))) moved.add(key)
  }

  const isEdited = ({ before, after }: { before: IndexedEntry; after: IndexedEntry }) =>
    contentOf(base.summary, before.entry) !== contentOf(side.summary, after.entry)

  return {
    added: new Set([...side.entries.keys()].filter(key => !base.entries.has(key))),
    removed: new Set([...base.entries.keys()].filter(key => !side.entries.has(key))),
    edited: new Set(common.filter(isEdited).map(({ after }) => after.key)),
    moved,
  }
}
