import type { Steps } from '../../lib/slices.ts'
import { markBlocks } from './blocks.ts'
import { cleanTree } from './clean.ts'
import { sharedEnds } from './ends.ts'
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
  const { head, tail } = yield* sharedEnds(before.root, after.root)
  const one = yield* cleanTree(middleOf(before.root, head, tail))
  const other = yield* cleanTree(middleOf(after.root, head, tail))
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

  yield* keySteps(marking.before, one)
  yield* keySteps(marking.after, other)
  const root = { ...other, nodes: yield* markBlocks(marking, one, other) }
  const dropped = yield* joinMoved(marking)
  const changes: PageChange[] = []

  yield* numberChanges(marking.opened, dropped, root, changes)
  const { nodes } = after.root

  root.nodes = [...nodes.slice(0, head), ...root.nodes, ...nodes.slice(nodes.length - tail)]

  return { root, notes, changes, former: marking.former }
}

const middleOf = (root: PageElement, head: number, tail: number): PageElement => ({
  ...root,
  nodes: root.nodes.slice(head, root.nodes.length - tail),
})

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
