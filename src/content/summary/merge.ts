import { Fault } from '../../errors.ts'
import { mergeTexts } from '../text/merge.ts'
import { type EntryConflict, entryConflicts } from './entry-conflicts.ts'
import { mergeEntries } from './merge-entries.ts'
import { parseSummary, type SummaryEntry } from './parse.ts'

/**
 * Merges two tables of contents with a common base that Git could not merge: by entries, or by
 * lines where both sides changed text around them. Returns undefined for changes that do not fit,
 * and if an entry would not be where its author put it.
 */
export const mergeSummaries = (base: string, ours: string, theirs: string): string | undefined =>
  unlessTooLarge(() => {
    const { fits, text } = mergeEntries(base, ours, theirs)
    return text ?? (fits ? mergeLines(base, ours, theirs) : undefined)
  })

function unlessTooLarge<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof Fault && error.kind === 'too_large') return undefined
    throw error
  }
}

/** Three versions of a table of contents. */
type Texts = readonly [base: string, ours: string, theirs: string]

/**
 * Merges two tables of contents by their entries, where `choices` decide on those that both sides
 * changed in ways that do not fit. Returns undefined if that is not all that does not fit.
 */
export const mergeChosen = (
  [base, ours, theirs]: Texts,
  choices: ReadonlyMap<string, 'ours' | 'theirs'>,
): string | undefined => unlessTooLarge(() => mergeEntries(base, ours, theirs, choices).text)

/**
 * Returns the entries that both sides changed in ways that do not fit; undefined if a choice for
 * each of them would not be enough to merge the tables of contents.
 */
export function summaryConflicts(texts: Texts): EntryConflict[] | undefined {
  const conflicts = unlessTooLarge(() => entryConflicts(...texts)) ?? []
  const merges = (side: 'ours' | 'theirs') =>
    mergeChosen(texts, new Map(conflicts.map(({ entry }) => [entry, side]))) !== undefined
  return conflicts.length > 0 && merges('ours') && merges('theirs') ? conflicts : undefined
}

/** Merges lines; both sides may add some at the same place. */
function mergeLines(base: string, ours: string, theirs: string): string | undefined {
  for (const oursFirst of [true, false]) {
    const merged = mergeTexts(base, ours, theirs, hunk => {
      if (hunk.base !== '') return undefined
      return oursFirst ? hunk.ours + hunk.theirs : hunk.theirs + hunk.ours
    })
    if (merged.clean && keepsPlaces(merged.text, base, ours, theirs)) return merged.text
  }
  return undefined
}

/**
 * Reports whether every entry that a side added has the parent that its author gave it, and no
 * entry is duplicated.
 */
function keepsPlaces(merged: string, base: string, ours: string, theirs: string): boolean {
  const before = placesOf(base)
  const after = placesOf(merged)
  if (after === undefined || before === undefined) return false

  for (const side of [ours, theirs]) {
    const places = placesOf(side)
    if (places === undefined) return false
    for (const [entry, parent] of places) {
      if (before.get(entry) !== parent && after.get(entry) !== parent) return false
    }
  }

  return true
}

/**
 * Returns the parent of each entry by the entry's target; undefined if two entries have the same
 * target.
 */
function placesOf(source: string): Map<string, string> | undefined {
  const places = new Map<string, string>()
  const walk = (entries: readonly SummaryEntry[], parent: string): boolean =>
    entries.every(entry => {
      const name = entry.target ? `> ${entry.target}` : `${parent} / ${entry.title}`
      if (places.has(name)) return false
      places.set(name, parent)
      return walk(entry.children, name)
    })
  const { groups } = parseSummary(source)

  return groups.every((group, index) => walk(group.entries, `# ${group.title ?? index}`))
    ? places
    : undefined
}
