import { diff3Merge } from 'node-diff3'
import { linesOf } from './lines.ts'

/** A conflict between two versions of a text; `line` counts from 1 in the base. */
export type MergeHunk = { base: string; ours: string; theirs: string; line: number }
type TextMerge = { clean: true; text: string } | { clean: false; hunks: MergeHunk[] }

type Piece = { ok?: string[]; conflict?: { a: string[]; o: string[]; oIndex: number; b: string[] } }

/** With more pairs of equal lines than this, the comparison would take too long. */
const pairLimit = 20_000_000

// Lines keep their endings. The prefix protects the differ, which uses lines as object keys, from
// lines like "constructor".
const split = (text: string): string[] =>
  linesOf(text).map(line => `=${text.slice(line.start, line.next)}`)
const join = (lines: string[]): string => lines.map(line => line.slice(1)).join('')

function pairs(a: string[], b: string[]): number {
  const counts = new Map<string, number>()
  for (const line of a) counts.set(line, (counts.get(line) ?? 0) + 1)
  return b.reduce((sum, line) => sum + (counts.get(line) ?? 0), 0)
}

/**
 * Merges two texts with a common base line by line. A line's ending is part of the line, so that
 * CRLF and a missing final line ending survive. Texts that are too repetitive to compare are one
 * conflict. `settle` may return the text that resolves a conflict, or undefined to leave it.
 */
export function mergeTexts(
  base: string,
  ours: string,
  theirs: string,
  settle: (hunk: MergeHunk) => string | undefined = () => undefined,
): TextMerge {
  if (ours === theirs || base === theirs) return { clean: true, text: ours }
  if (base === ours) return { clean: true, text: theirs }
  const [a, o, b] = [split(ours), split(base), split(theirs)]
  const shortest = Math.min(a.length, o.length, b.length)
  let head = 0

  while (head < shortest && a[head] === o[head] && b[head] === o[head]) head++
  let tail = 0
  const same = (at: number) => a.at(-1 - at) === o.at(-1 - at) && b.at(-1 - at) === o.at(-1 - at)

  while (tail < shortest - head && same(tail)) tail++

  // One more line of context on each side, so that an insertion beside the common part is compared
  // with its neighbour.
  head = Math.max(0, head - 1)
  tail = Math.max(0, tail - 1)
  const middle = (lines: string[]) => lines.slice(head, lines.length - tail)
  const [ma, mo, mb] = [middle(a), middle(o), middle(b)]

  if (pairs(mo, ma) + pairs(mo, mb) > pairLimit) {
    return {
      clean: false,
      hunks: [{ base: join(mo), ours: join(ma), theirs: join(mb), line: head + 1 }],
    }
  }

  const pieces = diff3Merge(ma, mo, mb, { excludeFalseConflicts: true }) as Piece[]
  const texts: string[] = []
  const hunks: MergeHunk[] = []

  for (const { ok, conflict } of pieces) {
    if (ok) texts.push(join(ok))
    if (!conflict) continue
    const [hunkOurs, hunkBase, hunkTheirs] = [join(conflict.a), join(conflict.o), join(conflict.b)]
    const hunk = {
      base: hunkBase,
      ours: hunkOurs,
      theirs: hunkTheirs,
      line: head + conflict.oIndex + 1,
    }
    const settled = settle(hunk)
    if (settled === undefined) hunks.push(hunk)
    else texts.push(settled)
  }

  if (hunks.length > 0) return { clean: false, hunks }

  return {
    clean: true,
    text: [join(o.slice(0, head)), ...texts, join(o.slice(o.length - tail))].join(''),
  }
}
