import { Fault } from '../../errors.ts'
import { splice, spliceAll } from '../text/lines.ts'
import { insertContent, moveEntry, removeEntry } from './edit.ts'
import { type EntryChanges, entryChanges } from './entry-changes.ts'
import { contentOf, type EntryIndex, indexEntries, renamedIn } from './entry-index.ts'
import type { Summary } from './parse.ts'
import type { EntryPlace } from './place.ts'

/** The most changes of one side: each is applied to a table of contents that is parsed again. */
const mostChanges = 200
/** The most characters to parse for one merge. */
const mostWork = 2_000_000

/** A version of the table of contents with what changed in it since the base. */
type Side = { index: EntryIndex; changes: EntryChanges; aliases: Map<string, string> }

/** The changes of one side that are applied to the text of the other one. */
type Replay = { base: EntryIndex; from: Side; onto: Side; aliases: Map<string, string> }

/** Whether the changes of both sides fit, and the merged text where they could be applied. */
type EntryMerge = { fits: boolean; text?: string | undefined }

/**
 * Merges two tables of contents with a common base by their entries: the changes of one side are
 * applied to the text of the other one. Two changes of one entry may not fit. There is no text for
 * tables in which two entries have the same target, and if both sides changed something beside the
 * entries.
 */
export function mergeEntries(base: string, ours: string, theirs: string): EntryMerge {
  const root = indexEntries(base)
  const [mine, other] = root ? [sideOf(root, ours), sideOf(root, theirs)] : []
  if (!root || !mine || !other || mine === 'many' || other === 'many') return { fits: true }
  if (!areSeparate(mine, other) || disagree(root, mine, other)) return { fits: false }

  const around = aroundEntries(root.summary)
  const aliases = new Map([...mine.aliases, ...other.aliases])
  const [from, onto] = aroundEntries(other.index.summary) === around ? [other, mine] : [mine, other]
  if (aroundEntries(from.index.summary) !== around) return { fits: true }

  return { fits: true, text: replay({ base: root, from, onto, aliases }) }
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
const areSeparate = (a: Side, b: Side): boolean =>
  [a, b].every((side, at) => {
    const { index, aliases } = at === 0 ? b : a
    return [...side.aliases].every(
      ([name, key]) => !index.entries.has(name) && (aliases.get(name) ?? key) === key,
    )
  })

/** Returns the text around the entries, without blank lines. */
function aroundEntries({ source, groups }: Summary): string {
  const entries = groups.flatMap(group =>
    group.entries.map(({ range }) => ({ ...range, text: '' })),
  )
  return spliceAll(source, entries)
    .split(/\r\n|\n|\r/)
    .filter(line => line.trim() !== '')
    .join('\n')
}

/** Returns whether both sides changed an entry in ways that do not fit. */
function disagree(base: EntryIndex, a: Side, b: Side): boolean {
  const touches = ({ changes: { edited, moved } }: Side, key: string) =>
    edited.has(key) || moved.has(key)
  const isGone = ([one, two]: [Side, Side]) =>
    [...one.changes.removed].some(key => touches(two, key))
  const addedTwice = [...a.changes.added].filter(key => b.changes.added.has(key))
  const movedTwice = [...a.changes.moved].filter(key => b.changes.moved.has(key))
  const editedTwice = [...a.changes.edited].filter(key => b.changes.edited.has(key))

  return (
    isGone([a, b]) ||
    isGone([b, a]) ||
    addedTwice.some(key => contentIn(a, key) !== contentIn(b, key) || !sameParent(a, b, key)) ||
    movedTwice.some(key => spotIn(a, key) !== spotIn(b, key)) ||
    editedTwice.some(key => editedByBoth(base, a, b, key) === undefined)
  )
}

const entryIn = ({ entries }: EntryIndex, key: string) => entries.get(key)?.entry

function contentIn({ index }: Side, key: string): string {
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
function editedByBoth(base: EntryIndex, a: Side, b: Side, key: string): string | undefined {
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

/** Applies the changes; undefined where an entry would not be where its author put it. */
function replay(asked: Replay): string | undefined {
  const { from, onto } = asked
  const { added, removed, edited, moved } = from.changes
  const count = added.size + removed.size + edited.size + moved.size
  if (count * onto.index.summary.source.length > mostWork) return undefined

  try {
    let text = onto.index.summary.source
    // Parents come before their children, and siblings in their order.
    for (const key of from.index.entries.keys()) {
      if (added.has(key) && !onto.changes.added.has(key)) text = put(asked, text, key)
      if (moved.has(key) && !onto.changes.moved.has(key)) text = put(asked, text, key)
      if (edited.has(key)) text = edit(asked, text, key)
    }

    // Children come before their parents.
    for (const key of [...removed].reverse()) text = remove(asked, text, key)

    return isAsAsked(asked, text) ? text : undefined
  } catch (error) {
    // A place that is not there any more, or an entry that shares its line.
    if (error instanceof Fault) return undefined
    throw error
  }
}

function current(aliases: Replay['aliases'], text: string): EntryIndex {
  const index = indexEntries(text, aliases)
  if (!index) throw new Fault('conflict', 'Two entries have the same target.')
  return index
}

/** Inserts an entry, or moves it, to the place that it has in the version of its author. */
function put(asked: Replay, text: string, key: string): string {
  const index = current(asked.aliases, text)
  const place = placeFor(asked, index, key)
  const entry = entryIn(index, key)
  if (entry) return moveEntry(index.summary, entry, place)

  const content = contentIn(asked.from, key)
  if (/[\r\n]/.test(content)) throw new Fault('conflict', 'An entry has more than one line.')

  return insertContent(index.summary, place, content)
}

/** Returns the place behind the sibling that precedes an entry in the version of its author. */
function placeFor({ base, from }: Replay, index: EntryIndex, key: string): EntryPlace {
  const parent = from.index.entries.get(key)?.parent ?? ''
  const siblings = (index.lists.get(parent) ?? []).filter(other => other !== key)
  const there = new Set(siblings)
  const wanted = from.index.lists.get(parent) ?? []
  const before = wanted.slice(0, wanted.indexOf(key)).findLast(other => there.has(other))
  let at = before === undefined ? 0 : siblings.indexOf(before) + 1

  // What the other side added at the same place stays before it.
  while (at < siblings.length && !from.index.entries.has(siblings[at] as string)) at++

  const holder = entryIn(index, parent)
  const group = index.summary.groups.findIndex(({ title }, at) => `# ${title ?? at}` === parent)
  if (!holder && group < 0 && index.summary.groups.length > 0)
    throw new Fault('conflict', 'The parent of an entry is gone.')
  if (!holder && group > 0 && isUntitled(index, group) && titles(index) !== titles(base))
    throw new Fault('conflict', 'Groups without a title cannot be told apart.')

  return { group: Math.max(group, 0), ...(holder && { parent: holder }), index: at }
}

const isUntitled = ({ summary }: EntryIndex, group: number): boolean =>
  summary.groups[group]?.title === null

const titles = ({ summary }: EntryIndex): string =>
  JSON.stringify(summary.groups.map(({ title }) => title))

/** Gives an entry the words and target that its author gave it. */
function edit({ base, from, onto, aliases }: Replay, text: string, key: string): string {
  const index = current(aliases, text)
  const entry = entryIn(index, key)
  const isTwice = onto.changes.edited.has(key)
  const content = isTwice ? editedByBoth(base, onto, from, key) : contentIn(from, key)
  if (!entry || content === undefined) throw new Fault('conflict', 'An entry cannot be edited.')
  const end = entry.at.content + contentOf(index.summary, entry).length
  return splice(text, { start: entry.at.content, end, text: content })
}

/** Removes an entry. Throws 'conflict' if the other side put entries below it. */
function remove(asked: Replay, text: string, key: string): string {
  const index = current(asked.aliases, text)
  const entry = entryIn(index, key)
  if (!entry) return text
  if (entry.children.length > 0) throw new Fault('conflict', 'An entry has gained children.')
  return removeEntry(index.summary, entry)
}

/** Returns whether a merged text has the entries of both sides, with the parents that they have. */
function isAsAsked(asked: Replay, text: string): boolean {
  const { from, onto, aliases } = asked
  const merged = indexEntries(text, aliases)
  const keys = new Set(
    [...onto.index.entries.keys(), ...from.changes.added].filter(
      key => !from.changes.removed.has(key),
    ),
  )
  if (merged?.entries.size !== keys.size) return false

  return [...keys].every(key => {
    const isTheirs = from.changes.added.has(key) || from.changes.moved.has(key)
    const { index } = isTheirs ? from : onto
    return merged.entries.get(key)?.parent === index.entries.get(key)?.parent
  })
}
