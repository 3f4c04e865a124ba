import type { Steps } from '../../lib/slices.ts'
import { alignEqual, segmentsOf } from '../text/align.ts'

/** A part of a line; `isChanged` if the other version has other words there. */
type Piece = { text: string; isChanged: boolean }

/** A line of a text in two versions, with its number in each that has it. */
export type SourceLine = {
  kind: 'same' | 'removed' | 'added'
  before: number | undefined
  after: number | undefined
  pieces: readonly Piece[]
}

/** Longer lines, and lines with more of them in a row, are not compared word by word. */
const longestLine = 5_000
const mostInRow = 200

/** Returns two versions of a text as one list of lines, with the words that differ, in steps. */
export function* sourceLines(before: string, after: string): Steps<SourceLine[]> {
  const [old, now] = [linesOf(before), linesOf(after)]
  const keys = new Map<string, number>()
  const keyOf = (line: string): number => {
    const known = keys.get(line)
    if (known !== undefined) return known
    keys.set(line, keys.size)
    return keys.size - 1
  }
  const pairs = yield* alignEqual(old.map(keyOf), now.map(keyOf))
  const lines: SourceLine[] = []
  let [from, start] = [1, 1]

  for (const { gone, come, pair } of segmentsOf(old, now, pairs)) {
    yield
    const words = yield* wordsOfLines(gone, come)
    for (const pieces of words.gone)
      lines.push({ kind: 'removed', before: from++, after: undefined, pieces })
    for (const pieces of words.come)
      lines.push({ kind: 'added', before: undefined, after: start++, pieces })
    if (pair)
      lines.push({
        kind: 'same',
        before: from++,
        after: start++,
        pieces: [{ text: pair[1], isChanged: false }],
      })
  }

  return lines
}

/** Returns the lines of a text: line endings are not part of them, and the last one may be empty. */
function linesOf(text: string): string[] {
  if (text === '') return []
  const lines = text.split(/\r\n|\r|\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

type Pieces = readonly (readonly Piece[])[]

/** Marks the words that differ between lines that stand in place of each other. */
function* wordsOfLines(
  gone: readonly string[],
  come: readonly string[],
): Steps<{ gone: Pieces; come: Pieces }> {
  const whole = (line: string): Piece[] => [{ text: line, isChanged: false }]
  if (gone.length === 0 || come.length === 0 || Math.max(gone.length, come.length) > mostInRow)
    return { gone: gone.map(whole), come: come.map(whole) }

  const both = Math.min(gone.length, come.length)
  const left: Piece[][] = []
  const right: Piece[][] = []

  for (let at = 0; at < both; at++) {
    const [one, other] = [gone[at]!, come[at]!]
    const marked =
      Math.max(one.length, other.length) > longestLine ? undefined : yield* wordsIn(one, other)
    left.push(marked?.[0] ?? whole(one))
    right.push(marked?.[1] ?? whole(other))
  }

  return {
    gone: [...left, ...gone.slice(both).map(whole)],
    come: [...right, ...come.slice(both).map(whole)],
  }
}

const word = /\s+|[\p{L}\p{N}\p{M}_]+|[^\s]/gu

/** Returns two lines in pieces; undefined for lines that have too little in common. */
function* wordsIn(one: string, other: string): Steps<[Piece[], Piece[]] | undefined> {
  const [old, now] = [one.match(word) ?? [], other.match(word) ?? []]
  const keys = new Map<string, number>()
  for (const each of [...old, ...now]) if (!keys.has(each)) keys.set(each, keys.size)
  const ids = (words: readonly string[]) => words.map(each => keys.get(each) ?? -1)
  const pairs = yield* alignEqual(ids(old), ids(now))
  const shared = pairs.reduce((sum, [at]) => sum + old[at]!.trim().length, 0)
  if (shared * 4 < Math.min(one.trim().length, other.trim().length)) return undefined
  const [oldSame, nowSame] = [new Set(pairs.map(([at]) => at)), new Set(pairs.map(([, at]) => at))]
  return [piecesOf(old, oldSame), piecesOf(now, nowSame)]
}

function piecesOf(words: readonly string[], same: ReadonlySet<number>): Piece[] {
  const pieces: Piece[] = []
  for (const [at, text] of words.entries()) {
    const last = pieces.at(-1)
    const isChanged = !same.has(at)
    if (last?.isChanged === isChanged) last.text += text
    else pieces.push({ text, isChanged })
  }
  return pieces
}
