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
    const gone = new Set(keys.filter(key => !side.entries.has(key)))
    const fresh = new Set(now.filter(key => !base.entries.has(key)))
    if (gone.size === 0 || fresh.size === 0) continue

    const titles = [titlesIn(base, gone), titlesIn(side, fresh)] as const
    const gaps = [gapsIn(keys, gone), gapsIn(now, fresh)] as const
    for (const [before, after] of [titles, gaps])
      for (const [spot, was] of before) {
        const is = after.get(spot) ?? []
        const [from, to] = [was.filter(key => gone.has(key)), is.filter(key => fresh.has(key))]
        if (from.length !== 1 || to.length !== 1) continue
        aliases.set(to[0] as string, from[0] as string)
        gone.delete(from[0] as string)
        fresh.delete(to[0] as string)
      }
  }

  return aliases
}

/** Keys by what they have in common. */
type Spots = ReadonlyMap<string, readonly string[]>

function titlesIn({ entries }: EntryIndex, keys: ReadonlySet<string>): Spots {
  const spots = new Map<string, string[]>()
  for (const key of keys) push(spots, entries.get(key)?.entry.title ?? '', key)
  return spots
}

function push(spots: Map<string, string[]>, spot: string, key: string): void {
  const keys = spots.get(spot)
  if (keys) keys.push(key)
  else spots.set(spot, [key])
}

/** Returns these of the siblings by the nearest other ones before and behind them. */
function gapsIn(siblings: readonly string[], keys: ReadonlySet<string>): Spots {
  const behind = new Map<string, string>()
  let next = ''

  for (const key of siblings.toReversed())
    if (keys.has(key)) behind.set(key, next)
    else next = key

  const spots = new Map<string, string[]>()
  let before = ''

  for (const key of siblings)
    if (keys.has(key)) push(spots, `${before}\n${behind.get(key)}`, key)
    else before = key

  return spots
}
