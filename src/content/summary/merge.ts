import { mergeTexts } from '../text/merge.ts'
import { parseSummary, type SummaryEntry } from './parse.ts'

/**
 * Merges two tables of contents that come from the same base. Git sees a conflict where both sides added lines at the
 * same place, which is what two people do who each add a page at the end; a list takes both. Everything else stays a
 * conflict, and so does a result in which an entry would not stand where its author put it: then it is undefined.
 */
export function mergeSummaries(base: string, ours: string, theirs: string): string | undefined {
  for (const oursFirst of [true, false]) {
    const merged = mergeTexts(base, ours, theirs, hunk => {
      if (hunk.base !== '') return undefined
      return oursFirst ? hunk.ours + hunk.theirs : hunk.theirs + hunk.ours
    })
    if (merged.clean && keepsPlaces(merged.text, base, ours, theirs)) return merged.text
  }
  return undefined
}

/** Every entry that a side added stands under the same parent as its author put it, and nothing stands twice. */
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

/** What each entry stands under, by what it leads to; undefined when two entries lead to the same. */
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
  return groups.every((group, index) => walk(group.entries, `# ${group.title ?? index}`)) ? places : undefined
}
