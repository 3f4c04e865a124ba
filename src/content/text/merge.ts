import { diff3Merge } from 'node-diff3'
import { linesOf } from './lines.ts'

/** A conflict between two versions of a text; `lines`: where it begins in each, counted from 1. */
export type MergeHunk = {
  base: string
  ours: string
  theirs: string
  lines: { base: number; ours: number; theirs: number }
}
type TextMerge = { clean: true; text: string } | { clean: false; hunks: MergeHunk[] }

type Conflict = {
  a: string[]
  o: string[]
  b: string[]
  aIndex: number
  oIndex: number
  bIndex: number
}
type Piece = { ok?: string[]; conflict?: Conflict }

/** With more pairs of equal lines than this, the comparison would take too long. */
const pairLimit = 20_000_000
/** The same for pairs of lines of two versions: the differ looks at all it found for each line. */
const lineLimit = 100_000_000

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

/** The parts of three texts: those that all share, and what is between them. */
type Parts = { ours: string[]; base: string[]; theirs: string[]; head: number; tail: number }

/** Returns the lines of three texts, and how many at their ends need no comparison. */
function partsOf(base: string, ours: string, theirs: string): Parts {
  const [a, o, b] = [split(ours), split(base), split(theirs)]
  const shortest = Math.min(a.length, o.length, b.length)
  let head = 0

  while (head < shortest && a[head] === o[head] && b[head] === o[head]) head++
  let tail = 0
  const same = (at: number) => a.at(-1 - at) === o.at(-1 - at) && b.at(-1 - at) === o.at(-1 - at)

  while (tail < shortest - head && same(tail)) tail++

  return { ours: a, base: o, theirs: b, head, tail }
}

/** Returns the texts of a merge in order: those that fit, and the conflicts between them. */
function mergePieces(base: string, ours: string, theirs: string): (string | MergeHunk)[] {
  const parts = partsOf(base, ours, theirs)
  // One more line of context on each side, so that an insertion beside the common part is compared
  // with its neighbour.
  const head = Math.max(0, parts.head - 1)
  const tail = Math.max(0, parts.tail - 1)
  const middle = (lines: string[]) => lines.slice(head, lines.length - tail)
  const [ma, mo, mb] = [middle(parts.ours), middle(parts.base), middle(parts.theirs)]

  const isLong = mo.length * (ma.length + mb.length) > lineLimit
  if (isLong || pairs(mo, ma) + pairs(mo, mb) > pairLimit) return wholePieces(parts, { head, tail })

  const pieces = diff3Merge(ma, mo, mb, { excludeFalseConflicts: true }) as Piece[]
  const between = pieces.map(({ ok, conflict }) =>
    conflict ? hunkOf(conflict, head) : join(ok ?? []),
  )

  return around(parts, { head, tail }, between)
}

/** Returns the pieces of texts that are not compared: one conflict between what they share. */
function wholePieces(parts: Parts, { head, tail }: { head: number; tail: number }) {
  const middle = (lines: string[]) => join(lines.slice(head, lines.length - tail))
  const line = head + 1
  const hunk = {
    base: middle(parts.base),
    ours: middle(parts.ours),
    theirs: middle(parts.theirs),
    lines: { base: line, ours: line, theirs: line },
  }
  return around(parts, { head, tail }, [hunk])
}

function around(
  { base }: Parts,
  { head, tail }: { head: number; tail: number },
  between: readonly (string | MergeHunk)[],
): (string | MergeHunk)[] {
  return [join(base.slice(0, head)), ...between, join(base.slice(base.length - tail))]
}

const hunkOf = ({ a, o, b, aIndex, oIndex, bIndex }: Conflict, head: number): MergeHunk => ({
  base: join(o),
  ours: join(a),
  theirs: join(b),
  lines: { base: head + oIndex + 1, ours: head + aIndex + 1, theirs: head + bIndex + 1 },
})

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
  const pieces = mergePieces(base, ours, theirs).map(piece =>
    typeof piece === 'string' ? piece : (settle(piece) ?? piece),
  )
  const hunks = pieces.filter(piece => typeof piece !== 'string')

  return hunks.length > 0 ? { clean: false, hunks } : { clean: true, text: pieces.join('') }
}

/**
 * Returns the texts of a merge that Git found conflicts in: at least one conflict between texts that
 * fit. Where a comparison of lines finds none, everything between the lines that the texts share is
 * one.
 */
function conflictingPieces(base: string, ours: string, theirs: string): (string | MergeHunk)[] {
  const pieces = mergePieces(base, ours, theirs)
  if (pieces.some(piece => typeof piece !== 'string')) return pieces
  const parts = partsOf(base, ours, theirs)
  return wholePieces(parts, parts)
}

/** Returns the conflicts of a merge that Git found conflicts in, at least one. */
export const hunksOf = (base: string, ours: string, theirs: string): MergeHunk[] =>
  conflictingPieces(base, ours, theirs).filter(piece => typeof piece !== 'string')

/** Returns the text of a merge whose conflicts, those of `hunksOf`, get these texts in order. */
export function fillHunks(
  [base, ours, theirs]: readonly [base: string, ours: string, theirs: string],
  textOf: (hunk: MergeHunk, index: number) => string,
): string {
  let index = 0
  return conflictingPieces(base, ours, theirs)
    .map(piece => (typeof piece === 'string' ? piece : textOf(piece, index++)))
    .join('')
}
