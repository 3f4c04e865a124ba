import { Fault } from '../../errors.ts'
import { splice, spliceAll } from '../text/lines.ts'
import { insertContent, moveEntry, removeEntry } from './edit.ts'
import {
  areSeparate,
  contentIn,
  disagreements,
  editedByBoth,
  entryIn,
  type Side,
  versionsOf,
} from './entry-conflicts.ts'
import { contentOf, type EntryIndex, indexEntries } from './entry-index.ts'
import type { Summary } from './parse.ts'
import type { EntryPlace } from './place.ts'

/** The most characters to parse for one merge. */
const mostWork = 2_000_000

/** The changes of one side that are applied to the text of the other one. */
type Replay = { base: EntryIndex; from: Side; onto: Side; aliases: Map<string, string> }

/** Whether the changes of both sides fit, and the merged text where they could be applied. */
type EntryMerge = { fits: boolean; text?: string | undefined }

/** The side whose change of an entry counts, by the key of the entry. */
type Choices = ReadonlyMap<string, 'ours' | 'theirs'>

/**
 * Merges two tables of contents with a common base by their entries: the changes of one side are
 * applied to the text of the other one. Two changes of one entry may not fit, unless `choices` has
 * the side that counts. There is no text for tables in which two entries have the same target, and
 * if both sides changed something beside the entries.
 */
export function mergeEntries(
  base: string,
  ours: string,
  theirs: string,
  choices: Choices = new Map(),
): EntryMerge {
  const versions = versionsOf(base, ours, theirs)
  if (!versions) return { fits: true }
  const { ours: mine, theirs: other } = versions
  const conflicts = disagreements(versions)
  if (!areSeparate(mine, other) || conflicts.some(key => !choices.has(key))) return { fits: false }

  const around = aroundEntries(versions.base.summary)
  const aliases = new Map([...mine.aliases, ...other.aliases])
  const [from, onto] = aroundEntries(other.index.summary) === around ? [other, mine] : [mine, other]
  if (aroundEntries(from.index.summary) !== around) return { fits: true }

  const replayed = { base: versions.base, from, onto, aliases }
  for (const key of conflicts)
    if (choices.get(key) === (from === mine ? 'ours' : 'theirs')) preferFrom(replayed, key)
    else for (const keys of Object.values(from.changes)) keys.delete(key)

  return { fits: true, text: replay(replayed) }
}

/** Lets the change of an entry that is applied replace the one that the text has. */
function preferFrom({ from, onto }: Replay, key: string): void {
  const [wins, loses] = [from.changes, onto.changes]
  if (loses.removed.has(key)) {
    wins.added.add(key)
    wins.edited.delete(key)
    wins.moved.delete(key)
  } else if (loses.added.has(key)) {
    wins.added.delete(key)
    wins.edited.add(key)
    wins.moved.add(key)
  }
  for (const keys of Object.values(loses)) keys.delete(key)
}

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
  if (!index) throw new Fault('merge_conflict', 'Two entries have the same target.')
  return index
}

/** Inserts an entry, or moves it, to the place that it has in the version of its author. */
function put(asked: Replay, text: string, key: string): string {
  const index = current(asked.aliases, text)
  const place = placeFor(asked, index, key)
  const entry = entryIn(index, key)
  if (entry) return moveEntry(index.summary, entry, place)

  const content = contentIn(asked.from, key)
  if (/[\r\n]/.test(content)) throw new Fault('merge_conflict', 'An entry has more than one line.')

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
    throw new Fault('merge_conflict', 'The parent of an entry is gone.')
  if (!holder && group > 0 && isUntitled(index, group) && titles(index) !== titles(base))
    throw new Fault('merge_conflict', 'Groups without a title cannot be told apart.')

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
  if (!entry || content === undefined)
    throw new Fault('merge_conflict', 'An entry cannot be edited.')
  const end = entry.at.content + contentOf(index.summary, entry).length
  return splice(text, { start: entry.at.content, end, text: content })
}

/** Removes an entry. Throws 'conflict' if the other side put entries below it. */
function remove(asked: Replay, text: string, key: string): string {
  const index = current(asked.aliases, text)
  const entry = entryIn(index, key)
  if (!entry) return text
  if (entry.children.length > 0) throw new Fault('merge_conflict', 'An entry has gained children.')
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
