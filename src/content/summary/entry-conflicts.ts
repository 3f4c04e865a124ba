import { type EntryChanges, entryChanges } from './entry-changes.ts'
import { contentOf, type EntryIndex, indexEntries, renamedIn } from './entry-index.ts'

/** The most changes of one side: each is applied to a table of contents that is parsed again. */
const mostChanges = 200

/** A version of the table of contents with what changed in it since the base. */
export type Side = { index: EntryIndex; changes: EntryChanges; aliases: Map<string, string> }

/** Three versions of a table of contents as entries. */
type Versions = { base: EntryIndex; ours: Side; theirs: Side }

/** Returns the versions; undefined for those that cannot be compared by entries. */
export function versionsOf(base: string, ours: string, theirs: string): Versions | undefined {
  const root = indexEntries(base)
  const [mine, other] = root ? [sideOf(root, ours), sideOf(root, theirs)] : []
  if (!root || !mine || !other || mine === 'many' || other === 'many') return undefined
  return { base: root, ours: mine, theirs: other }
}

/** An entry of one version: its parent (or group) and the sibling before it by their titles. */
type EntryPlaced = { title: string; target?: string; parent?: string; after?: string }

/** An entry that both sides changed in ways that do not fit, in each version that has it. */
export type EntryConflict = {
  entry: string
  base?: EntryPlaced
  ours?: EntryPlaced
  theirs?: EntryPlaced
}

/**
 * Returns the entries that both sides changed in ways that do not fit; none for tables of contents
 * that cannot be merged by entries.
 */
export function entryConflicts(base: string, ours: string, theirs: string): EntryConflict[] {
  const versions = versionsOf(base, ours, theirs)
  if (!versions || !areSeparate(versions.ours, versions.theirs)) return []

  return disagreements(versions).map(key => {
    const [before, mine, other] = [versions.base, versions.ours.index, versions.theirs.index].map(
      index => placedIn(index, key),
    )
    return {
      entry: key,
      ...(before && { base: before }),
      ...(mine && { ours: mine }),
      ...(other && { theirs: other }),
    }
  })
}

function placedIn(index: EntryIndex, key: string): EntryPlaced | undefined {
  const found = index.entries.get(key)
  if (!found) return undefined
  const { entry, parent, group } = found
  const siblings = index.lists.get(parent) ?? []
  const before = siblings[siblings.indexOf(key) - 1]
  const above = entryIn(index, parent)?.title ?? index.summary.groups[group]?.title
  const after = before === undefined ? undefined : entryIn(index, before)?.title

  return {
    title: entry.title,
    ...(entry.target && { target: entry.target }),
    ...(above && { parent: above }),
    ...(after !== undefined && { after }),
  }
}

/** Returns a side with its changes, 'many' above the limit; undefined for repeated targets. */
function sideOf(base: EntryIndex, source: string): Side | 'many' | undefined {
  const plain = indexEntries(source)
  if (!plain) return undefined
  const { added, removed, edited, moved } = entryChanges(base, plain)
  if (added.size + removed.size + edited.size + moved.size > mostChanges) return 'many'
  const aliases = renamedIn(base, plain)
  const index = aliases.size === 0 ? plain : indexEntries(source, aliases)
  return index && { index, changes: entryChanges(base, index), aliases }
}

/** Returns whether no side has an entry of its own with the target that the other one renamed to. */
export const areSeparate = (a: Side, b: Side): boolean =>
  [a, b].every((side, at) => {
    const { index, aliases } = at === 0 ? b : a
    return [...side.aliases].every(
      ([name, key]) => !index.entries.has(name) && (aliases.get(name) ?? key) === key,
    )
  })

/** Returns the keys of the entries that both sides changed in ways that do not fit. */
export function disagreements({ base, ours: a, theirs: b }: Versions): string[] {
  const touches = ({ changes: { edited, moved } }: Side, key: string) =>
    edited.has(key) || moved.has(key)
  const goneFrom = (one: Side, two: Side) =>
    [...one.changes.removed].filter(key => touches(two, key))
  const twice = (kind: keyof EntryChanges) =>
    [...a.changes[kind]].filter(key => b.changes[kind].has(key))

  return [
    ...new Set([
      ...goneFrom(a, b),
      ...goneFrom(b, a),
      ...twice('added').filter(
        key => contentIn(a, key) !== contentIn(b, key) || !sameParent(a, b, key),
      ),
      ...twice('moved').filter(key => spotIn(a, key) !== spotIn(b, key)),
      ...twice('edited').filter(key => editedByBoth(base, a, b, key) === undefined),
    ]),
  ]
}

/** Returns the entry with a key; undefined without one. */
export const entryIn = ({ entries }: EntryIndex, key: string) => entries.get(key)?.entry

/** Returns what the entry with a key has behind its bullet in one version; '' without one. */
export function contentIn({ index }: Side, key: string): string {
  const entry = entryIn(index, key)
  return entry ? contentOf(index.summary, entry) : ''
}

const sameParent = (a: Side, b: Side, key: string): boolean =>
  a.index.entries.get(key)?.parent === b.index.entries.get(key)?.parent

/** Returns the parent of an entry and the sibling before it. */
function spotIn({ index }: Side, key: string): string {
  const parent = index.entries.get(key)?.parent ?? ''
  const siblings = index.lists.get(parent) ?? []
  return `${parent}\n${siblings[siblings.indexOf(key) - 1] ?? ''}`
}

/**
 * Returns what an entry has behind its bullet after the edits of both sides: the words of one and
 * the target of the other. Undefined for edits that do not fit.
 */
export function editedByBoth(base: EntryIndex, a: Side, b: Side, key: string): string | undefined {
  const [one, two] = [contentIn(a, key), contentIn(b, key)]
  if (one === two) return one
  const [before, mine, other] = [base, a.index, b.index].map(index => partsIn(index, key))
  if (!before || !mine || !other) return undefined

  const merged = before.map((text, at) => {
    if (mine[at] === other[at]) return mine[at]
    return mine[at] === text ? other[at] : other[at] === text ? mine[at] : undefined
  })

  // The words and the target are the second and fourth part; the text around them stays.
  const isSame = [0, 2, 4].every(at => mine[at] === before[at] && other[at] === before[at])

  return isSame && !merged.includes(undefined) ? merged.join('') : undefined
}

/** Returns the content of an entry around and in its words and its target; undefined without them. */
function partsIn({ summary, entries }: EntryIndex, key: string): string[] | undefined {
  const entry = entries.get(key)?.entry
  if (!entry?.at.text || !entry.at.target) return undefined
  const { text, target, content } = entry.at
  const end = content + contentOf(summary, entry).length
  const ends = [content, text.start, text.end, target.start, target.end, end]
  return ends.slice(1).map((to, at) => summary.source.slice(ends[at], to))
}
