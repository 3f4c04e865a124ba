/** A line of a source as offsets: `end` is before its line ending, `next` after it. */
export type Line = { start: number; end: number; next: number }

/** Returns the line that begins at an offset. LF, CRLF and a lone CR end a line. */
export function lineAt(source: string, start: number): Line {
  let end = start
  while (end < source.length) {
    const code = source.charCodeAt(end)
    if (code === 10) return { start, end, next: end + 1 }
    if (code === 13)
      return { start, end, next: source.charCodeAt(end + 1) === 10 ? end + 2 : end + 1 }
    end++
  }

  return { start, end, next: end }
}

/** Returns where the line begins that contains an offset. Reads no more than that line. */
export function lineStart(source: string, at: number): number {
  let start = at
  while (start > 0) {
    const code = source.charCodeAt(start - 1)
    if (code === 10 || code === 13) break
    start--
  }
  return start
}

/** Returns the lines of a part of a source. */
export function linesOf(source: string, start = 0, end = source.length): Line[] {
  const lines: Line[] = []
  for (let at = start; at < end; ) {
    const line = lineAt(source, at)
    lines.push(line)
    at = line.next
  }
  return lines
}

/** Returns the first line ending of a text, or LF. */
export function eolOf(source: string): string {
  const first = lineAt(source, 0)
  return first.next > first.end ? source.slice(first.end, first.next) : '\n'
}

/** Reports whether a part of a source contains only spaces, tabs and line endings. */
export function isBlank(source: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = source.charCodeAt(at)
    if (code !== 32 && code !== 9 && code !== 10 && code !== 13) return false
  }
  return true
}

/** Returns the offset of the first character from `at` on that is neither a space nor a tab. */
export function skipBlanks(source: string, at: number): number {
  let end = at
  while (source[end] === ' ' || source[end] === '\t') end++
  return end
}

/**
 * Returns the offset at which the blank lines before a line begin; `lineStart` if there are none.
 */
export function blanksBefore(source: string, lineStart: number, floor = 0): number {
  let at = lineStart
  while (at > floor) {
    let start = at - 1
    if (source[start] === '\n' && source[start - 1] === '\r') start--
    while (start > floor && source[start - 1] !== '\n' && source[start - 1] !== '\r') start--
    if (!isBlank(source, start, at)) return at
    at = start
  }

  return at
}

/**
 * Returns the offset at which the blank lines from a line on end; `lineStart` if there are none.
 */
export function blanksAfter(source: string, lineStart: number): number {
  let at = lineStart
  while (at < source.length) {
    const line = lineAt(source, at)
    if (!isBlank(source, line.start, line.end)) return at
    at = line.next
  }
  return at
}

/** A replacement of a part of a source. */
export type Splice = { start: number; end: number; text: string }

/** Applies replacements that do not overlap. Those at the same offset keep their order. */
export const splice = (source: string, ...splices: Splice[]): string => spliceAll(source, splices)

/** Applies a list of replacements of any length, as `splice` does. */
export function spliceAll(source: string, splices: readonly Splice[]): string {
  const sorted = splices
    .map((change, index) => ({ ...change, index }))
    .sort((a, b) => a.start - b.start || a.end - b.end || a.index - b.index)
  const parts: string[] = []
  let at = 0

  for (const change of sorted) {
    parts.push(source.slice(at, change.start), change.text)
    at = change.end
  }

  return parts.join('') + source.slice(at)
}
