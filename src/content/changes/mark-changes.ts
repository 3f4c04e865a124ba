import type { Steps } from '../../lib/slices.ts'
import { markBlocks } from './blocks.ts'
import { comparedParts } from './compared.ts'
import { joinMoved, numberChanges, type PageChange } from './finish.ts'
import { keySteps, newIds, sideOf } from './keys.ts'
import type { Marking } from './marking.ts'
import type { PageElement } from './nodes.ts'

/** A version of a page: its tree, and its footnotes by name. */
export type PageVersion = { root: PageElement; notes: ReadonlyMap<string, string> }

/** Two versions of a page as one. */
export type MarkedPage = {
  /**
   * The new page with the removed blocks in their former places. A changed element has the
   * attributes `change` (`added`, `edited`, `removed`, `moved`) and `change-id`; changed words are
   * in `ins` and `del` with the attribute `words` (`added`, `removed`).
   */
  root: PageElement
  /**
   * The footnotes of both versions; a former one whose name has another text now has a name of its
   * own.
   */
  notes: Map<string, string>
  changes: PageChange[]
  /**
   * What elements of `root` were before: edited and moved ones, and images in words whose
   * attributes changed.
   */
  former: Map<PageElement, PageElement>
}

/**
 * Returns what changed between two versions of a page, in steps. The work is proportional to both.
 * Never throws.
 */
export function* markChanges(before: PageVersion, after: PageVersion): Steps<MarkedPage> {
  const parts = yield* comparedParts(before.root, after.root)
  const ids = newIds()
  const { notes, renamed } = joinNotes(before.notes, after.notes)
  const marking: Marking = {
    before: sideOf(ids, before.notes),
    after: sideOf(ids, after.notes),
    bags: { words: new Map(), labels: new Map() },
    former: new Map(),
    renamed,
    gone: [],
    come: [],
    opened: new Set(),
  }

  yield* keySteps(marking.before, parts.before)
  yield* keySteps(marking.after, parts.after)
  const nodes = yield* markBlocks(marking, parts.before, parts.after)
  const root = { ...parts.after, nodes }
  const dropped = yield* joinMoved(marking)
  const changes: PageChange[] = []

  yield* numberChanges(marking.opened, dropped, root, changes)
  root.nodes = [...parts.head, ...root.nodes, ...parts.tail]

  return { root, notes, changes, former: marking.former }
}

/**
 * Returns the footnotes of both versions, and the new names of former ones whose names are taken.
 */
function joinNotes(before: PageVersion['notes'], after: PageVersion['notes']) {
  const notes = new Map(after)
  const renamed = new Map<string, string>()
  for (const [name, text] of before) {
    if (after.get(name) === text) continue
    let free = name
    while (notes.has(free) || (free !== name && before.has(free))) free += '~'
    if (free !== name) renamed.set(name, free)
    notes.set(free, text)
  }

  return { notes, renamed }
}
