import type { Steps } from '../../lib/slices.ts'
import { alignEqual } from './align.ts'

/** A text as the words of its lines, and the endings between them: one fewer. */
type Split = { lines: string[]; endings: string[] }

/**
 * Returns a text that was edited where line endings are all alike, as in a browser, with those of
 * the text that it was made from: lines that are in both and lines that replace others keep theirs,
 * new ones get that of the line before. A text that was not edited is returned with the same bytes.
 */
export function* keepEndings(old: string, edited: string): Steps<string> {
  const before = split(old)
  const after = split(edited)
  const [first = '\n'] = before.endings
  if (before.endings.every(ending => ending === first)) return after.lines.join(first)

  const partners = replacing(yield* partnersOf(before.lines, after.lines), before.lines.length)
  const parts: string[] = []
  let ending = first

  for (const [at, line] of after.lines.entries()) {
    ending = before.endings[partners[at]!] ?? ending
    parts.push(line)
    if (at + 1 < after.lines.length) parts.push(ending)
  }

  return parts.join('')
}

/** Gives new lines between lines that are in both the lines there that they replace, in order. */
function replacing(partners: Int32Array, count: number): Int32Array {
  const limits = new Int32Array(partners.length)
  let limit = count
  for (let at = partners.length - 1; at >= 0; at--) {
    limits[at] = limit
    if (partners[at] !== -1) limit = partners[at]!
  }

  let last = -1
  for (const [at, partner] of partners.entries()) {
    if (partner === -1 && last + 1 < limits[at]!) partners[at] = last + 1
    if (partners[at] !== -1) last = partners[at]!
  }

  return partners
}

/** Splits a text at LF, CRLF and lone CR, which browsers make one. */
function split(text: string): Split {
  const parts = text.split(/(\r\n?|\n)/)
  return {
    lines: parts.filter((_, at) => at % 2 === 0),
    endings: parts.filter((_, at) => at % 2 === 1),
  }
}

/** Returns for each line of `after` the index of the same line in `before`; -1 for new ones. */
function* partnersOf(before: readonly string[], after: readonly string[]): Steps<Int32Array> {
  const partners = new Int32Array(after.length).fill(-1)
  const shortest = Math.min(before.length, after.length)
  let head = 0
  while (head < shortest && before[head] === after[head]) head++
  let tail = 0
  while (tail < shortest - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++

  for (let at = 0; at < head; at++) partners[at] = at
  for (let at = 1; at <= tail; at++) partners[after.length - at] = before.length - at

  const names = new Map<string, number>()
  const middle = (lines: readonly string[]) =>
    lines.slice(head, lines.length - tail).map(line => {
      const known = names.get(line) ?? names.size
      names.set(line, known)
      return known
    })
  const pairs = yield* alignEqual(middle(before), middle(after))
  for (const [one, other] of pairs) partners[head + other] = head + one

  return partners
}
