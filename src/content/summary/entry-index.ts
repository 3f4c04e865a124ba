import { parseSummary, type Summary, type SummaryEntry } from './parse.ts'

/** An entry of a table of contents with its key, and that of its parent or group. */
export type IndexedEntry = { key: string; parent: string; group: number; entry: SummaryEntry }

/** A table of contents with its entries by key, and the keys of siblings in order. */
export type EntryIndex = {
  summary: Summary
  entries: ReadonlyMap<string, IndexedEntry>
  /** By the key of the parent or group. */
  lists: ReadonlyMap<string, readonly string[]>
}

/** Keys that stand for other ones: those of entries that a side renamed. */
type Aliases = ReadonlyMap<string, string>

const noAliases: Aliases = new Map()

/**
 * Returns the key of an entry: its target, or its words below its parent. An entry keeps it when it
 * moves.
 */
function keyOf({ kind, title, target, yaml }: SummaryEntry, parent: string): string {
  if (kind === 'computed') return `${parent} = ${yaml ?? ''}`
  return target ? `> ${target}` : `${parent} / ${title}`
}

/**
 * Returns the entries of a table of contents by their keys; undefined if two of them have the same
 * key.
 */
export function indexEntries(source: string, aliases = noAliases): EntryIndex | undefined {
  const summary = parseSummary(source)
  const entries = new Map<string, IndexedEntry>()
  const lists = new Map<string, string[]>()

  const add = (list: readonly SummaryEntry[], parent: string, group: number): boolean => {
    const keys: string[] = []
    lists.set(parent, keys)
    return list.every(entry => {
      const own = keyOf(entry, parent)
      const key = aliases.get(own) ?? own
      if (entries.has(key)) return false
      entries.set(key, { key, parent, group, entry })
      keys.push(key)
      return add(entry.children, key, group)
    })
  }

  const isUnique = summary.groups.every(({ title, entries }, index) => {
    const key = `# ${title ?? index}`
    return !lists.has(key) && add(entries, key, index)
  })

  return isUnique ? { summary, entries, lists } : undefined
}

/** Returns what an entry has behind its bullet, without its children and the final line ending. */
export const contentOf = ({ source }: Summary, { at, lines }: SummaryEntry): string =>
  source.slice(at.content, lines.end).trimEnd()

/**
 * Returns the aliases of entries that a side renamed: an entry with another target under the same
 * title, or the only new one where another is gone.
 */
export function renamedIn(base: EntryIndex, side: EntryIndex): Map<string, string> {
  const aliases = new Map<string, string>()

  for (const [parent, keys] of base.lists) {
    const now = side.lists.get(parent) ?? []
    const gone = keys.filter(key => !side.entries.has(key))
    const fresh = now.filter(key => !base.entries.has(key))

    for (const [spotOf, spotNow] of [
      [titleIn(base), titleIn(side)],
      [gapIn(keys, new Set(now)), gapIn(now, new Set(keys))],
    ] as const)
      for (const key of gone.filter(key => ![...aliases.values()].includes(key))) {
        const rivals = gone.filter(other => spotOf(other) === spotOf(key))
        const found = fresh.filter(other => spotNow(other) === spotOf(key) && !aliases.has(other))
        if (rivals.length === 1 && found.length === 1) aliases.set(found[0] as string, key)
      }
  }

  return aliases
}

type SpotOf = (key: string) => string

const titleIn =
  ({ entries }: EntryIndex): SpotOf =>
  key =>
    entries.get(key)?.entry.title ?? ''

/** Returns between which common siblings an entry is. */
const gapIn =
  (keys: readonly string[], common: ReadonlySet<string>): SpotOf =>
  key => {
    const at = keys.indexOf(key)
    const before = keys.slice(0, at).findLast(other => common.has(other))
    const after = keys.slice(at + 1).find(other => common.has(other))
    return `${before ?? ''}\n${after ?? ''}`
  }
