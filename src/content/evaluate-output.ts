import { blanksBefore, isBlank, lineAt } from './markdown-lines.ts'

/** A page as it is written anew, from its beginning on: what is not taken out or replaced stays byte for byte. */
export type Output = {
  /** The character that will stand in front of what stands at an offset now; '' for none. */
  before: (at: number) => string
  /** Puts a text in the place of a stretch; one of no characters takes the line with it where it would be blank. */
  replace: (start: number, end: number, text: string) => void
  /** Takes a tag out, with its line when it stands there alone. */
  cut: (start: number, end: number) => void
  /** Takes out all from a tag to a tag, and one of the two blank lines that would meet. */
  drop: (start: number, end: number) => void
  /** All of it, once there is nothing more to be done. */
  finish: () => string
}

/** Whether text of a line would go on in the next one: neither a blank line nor the tag of a block keeps them apart. */
const goesOn = (line: string): boolean => {
  const text = line.replace(/^[ \t>]+/, '').trimEnd()
  return text !== '' && !(text.startsWith('{%') && text.endsWith('%}'))
}

/** Begins to write a page anew whose text begins at `body`. */
export function openOutput(source: string, body: number): Output {
  const pieces = [source.slice(0, body)]
  let at = body
  /** What is written of the last line, and the whole line before it. */
  let line: string[] = []
  let before = ''
  /** Lines were taken out behind one that would go on in what follows. */
  let gap = false

  const put = (text: string): void => {
    if (text === '') return
    pieces.push(text)
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'))
    if (end < 0) {
      line.push(text)
      return
    }
    const stop = text[end] === '\n' && text[end - 1] === '\r' ? end - 1 : end
    const start =
      stop === 0 ? 0 : Math.max(text.lastIndexOf('\n', stop - 1), text.lastIndexOf('\r', stop - 1)) + 1
    before = start === 0 ? line.join('') + text.slice(0, stop) : text.slice(start, stop)
    line = end + 1 < text.length ? [text.slice(end + 1)] : []
  }
  const keepTo = (end: number): void => {
    if (end <= at) return
    if (gap) {
      const next = lineAt(source, at)
      if (goesOn(source.slice(next.start, next.end))) put(eolBefore(source, at))
      gap = false
    }
    put(source.slice(at, end))
    at = end
  }
  /** The whole lines of a stretch, when nothing else stands on them. */
  const linesAround = (start: number, end: number) => {
    let from = start
    while (from > at && (source[from - 1] === ' ' || source[from - 1] === '\t')) from--
    const last = lineAt(source, end)
    const begins = from === body || /[\r\n]/.test(source[from - 1]!)
    return begins && isBlank(source, end, last.end) ? { start: from, end: last.next } : undefined
  }
  const takeOut = (start: number, end: number): void => {
    keepTo(start)
    at = end
  }

  return {
    before: start => (start > at ? source[start - 1]! : (line.at(-1)?.at(-1) ?? '')),
    replace(start, end, text) {
      // A blank line would end the paragraph, or the HTML, in which it stands.
      const lines = text === '' && linesAround(start, end)
      if (lines) return takeOut(lines.start, lines.end)
      keepTo(start)
      if (gap) {
        put(eolBefore(source, start))
        gap = false
      }
      put(text)
      at = end
    },
    cut(start, end) {
      const lines = linesAround(start, end)
      takeOut(lines?.start ?? start, lines?.end ?? end)
      if (lines) gap ||= goesOn(before)
    },
    drop(start, end) {
      const lines = linesAround(start, end)
      if (!lines) return takeOut(start, end)
      const isLast = lines.end >= source.length
      takeOut(isLast ? blanksBefore(source, lines.start, at) : lines.start, lines.end)
      const next = lineAt(source, at)
      if (!gap && isBlank(before, 0, before.length) && isBlank(source, next.start, next.end)) at = next.next
      gap ||= goesOn(before)
    },
    finish() {
      keepTo(source.length)
      return pieces.join('')
    },
  }
}

/** The line end in front of an offset. */
const eolBefore = (source: string, at: number): string =>
  source[at - 1] === '\n' ? (source[at - 2] === '\r' ? '\r\n' : '\n') : source[at - 1] === '\r' ? '\r' : '\n'
