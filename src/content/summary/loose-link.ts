import type { Inline } from '../markdown/inline.ts'
import { lineAt } from '../text/lines.ts'
import type { Range } from '../text/range.ts'

/** How the name of a page ends. */
const pageEnding = /\.(?:md|mdx|markdown)$/i

/** What follows a link whose target goes on behind its first `)`, as in `[A](a (1).md)`. */
const restOfPath = /^[^(]*\.(?:md|mdx|markdown)\)[ \t]*$/i

/**
 * Returns the link that the first line of a text begins, written as one but none by the rules of
 * CommonMark: its path has spaces or parentheses without `<>`, or a blank stands before it. The path
 * reaches to the last `)` of the line. `strict` are the inline elements of the text by the rules.
 * Linear in the length of the line.
 */
export function looseLink(
  source: string,
  { start, end }: Range,
  strict: readonly Inline[],
): Inline | undefined {
  const line = { start, end: Math.min(end, lineAt(source, start).end) }
  const words = linkWords(source, line)
  if (!words) return undefined
  const first = strict.find(({ kind, start: at }) => kind === 'link' && at <= words.start)
  if (first && !isCut(source, first, line.end)) return undefined
  if (strict.some(each => isAround(each, words.start))) return undefined

  const reach = lastOfLink(source, words.path, line.end)
  const close = words.path + source.slice(words.path, reach).lastIndexOf(')')
  const isClosed = close >= words.path
  const raw = trimmed(source, { start: words.path, end: isClosed ? close : reach })
  const { target, linkTitle } = targetIn(source, raw)
  const path = source.slice(target.start, target.end)
  // Words in brackets, with a remark in parentheses behind them, are no link.
  if (!(isClosed && words.isTight) && !/^[a-z][a-z0-9+.-]+:/i.test(path) && !pageEnding.test(path))
    return undefined

  return {
    kind: 'link',
    start: words.start,
    end: isClosed ? close + 1 : reach,
    text: words.text,
    target,
    angle: false,
    ...(linkTitle && { linkTitle }),
  }
}

/** Reports whether code, HTML or an image of the text is around an offset. */
const isAround = ({ kind, start, end }: Inline, at: number): boolean =>
  kind !== 'link' && start <= at && at < end

/** Reports whether the path of a link ends in the text behind it. */
function isCut(source: string, { end, target }: Inline, to: number): boolean {
  const path = target ? source.slice(target.start, target.end) : ''
  return path !== '' && !pageEnding.test(path) && restOfPath.test(source.slice(end, to))
}

/** The most images before a link: each costs a look back at its bracket. */
const mostImages = 20

/**
 * Returns the first text in brackets with a parenthesis behind it that is no image, and where the
 * path begins.
 */
function linkWords(
  source: string,
  line: Range,
): { start: number; text: Range; path: number; isTight: boolean } | undefined {
  let images = 0
  const indexOf = (from: number) => {
    const found = source.slice(from, line.end).indexOf(']')
    return found < 0 ? line.end : from + found
  }

  for (let at = indexOf(line.start); at < line.end; ) {
    let next = at + 1
    while (next < line.end && /[ \t]/.test(source[next]!)) next++

    if (source[next] === '(' && next < line.end && source[at - 1] !== '\\') {
      const open = bracketBefore(source, at, line.start)
      if (open === undefined) return undefined
      const text = { start: open + 1, end: at }
      if (source[open - 1] !== '!')
        return { start: open, text, path: next + 1, isTight: next === at + 1 }
      if (++images > mostImages) return undefined
    }
    at = indexOf(next)
  }

  return undefined
}

function bracketBefore(source: string, close: number, floor: number): number | undefined {
  let depth = 0
  for (let at = close - 1; at >= floor; at--) {
    if (source[at - 1] === '\\') continue
    if (source[at] === ']') depth++
    else if (source[at] === '[' && depth-- === 0) return at
  }
  return undefined
}

/** Returns where a link ends at the latest: at the end of its line, or before the next link. */
function lastOfLink(source: string, from: number, to: number): number {
  const next = source.slice(from, to).indexOf('](')
  if (next < 0) return to
  const open = source.slice(from, from + next).lastIndexOf('[')
  return open > 0 ? from + open : to
}

function trimmed(source: string, { start, end }: Range): Range {
  let [from, to] = [start, end]
  while (from < to && /\s/.test(source[from]!)) from++
  while (to > from && /\s/.test(source[to - 1]!)) to--
  return { start: from, end: to }
}

/** Returns the target of a link without the title in quotes behind it. */
function targetIn(source: string, raw: Range): { target: Range; linkTitle?: Range } {
  const quote = source[raw.end - 1]
  const isQuote = quote === '"' || quote === "'"
  const open = isQuote ? raw.start + source.slice(raw.start, raw.end - 1).lastIndexOf(quote) : -1
  if (open <= raw.start || !/\s/.test(source[open - 1]!)) return { target: raw }
  return {
    target: trimmed(source, { start: raw.start, end: open }),
    linkTitle: { start: open + 1, end: raw.end - 1 },
  }
}
