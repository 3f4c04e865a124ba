import { mustGet } from '../../lib/must-get.ts'
import { baseName, directoryOf } from '../files.ts'
import type { Link } from '../links/find.ts'
import type { Inline } from '../markdown/inline.ts'
import { escapeText, plainText } from '../markdown/plain-text.ts'
import { findTags } from '../markdown/tags.ts'
import type { Splice } from '../text/lines.ts'
import type { Range } from '../text/range.ts'
import { type Draft, fileAt } from './draft.ts'
import { type Inbound, inboundTo, putRelinked, respell } from './follow-move.ts'
import { splitTarget } from './paths.ts'
import type { Asking } from './requests.ts'
import { inlinesOf, relink } from './settle-links.ts'

/**
 * The distance in characters within which the end of a block and the start of a tag are searched.
 */
const reach = 4096

/**
 * Removes links to files that are about to be removed from all other files: the text of a link
 * stays, a block that consists of the link is removed. `titles` has the titles of the removed
 * pages. A link that cannot become text (definitions, attributes of HTML and of other tags, front
 * matter) is left alone and becomes broken. Call before removing the files.
 */
export function* unlinkOthers(draft: Draft, titles: ReadonlyMap<string, string>): Asking<void> {
  for (const inbound of yield* inboundTo(draft, new Set(titles.keys()))) {
    yield
    const { path, text, links } = inbound
    if (titles.has(path)) continue
    const blocks = links.flatMap(({ link }) => blockOf(text, link) ?? [])
    const inline = inlineSplices(inbound, titles, blocks)
    const whole = blocks.map(block => ({ ...block, text: '' }))
    putRelinked(draft, path, text, [...whole, ...inline])
  }
}

/** Redirects links from removed files to their replacement, without their fragment. */
export function* replaceOthers(
  draft: Draft,
  gone: ReadonlySet<string>,
  replacement: string,
): Asking<void> {
  if (!fileAt(draft, replacement)) return
  for (const { path, text, links } of yield* inboundTo(draft, gone)) {
    yield
    const folder = directoryOf(path)
    const splices = links.map(({ link, to }) => {
      const { written } = splitTarget(link.target, to)
      return relink(text, link, respell(draft, written, folder, replacement))
    })
    putRelinked(draft, path, text, splices)
  }
}

/** Returns the lines of a block that consists of a page link, with the blank line behind it. */
function blockOf(text: string, { how, tag, raw }: Link): Range | undefined {
  if (how !== 'tag' || (tag !== 'content-ref' && tag !== 'page-ref')) return undefined
  const from = Math.max(0, raw.start - reach)
  const tags = findTags(text.slice(from, raw.end + reach))
  const index = tags.findIndex(({ start, end }) => from + start < raw.start && raw.end < from + end)
  const own = tags[index]
  if (!own) return undefined

  const next = tags.slice(index + 1).find(({ name }) => name === 'content-ref')
  if (tag === 'content-ref' && !next?.closes) return undefined

  const start = from + own.start
  const end = from + (tag === 'content-ref' ? next!.end : own.end)

  return linesAround(text, start, end)
}

const isPad = (char: string | undefined): boolean => char === ' ' || char === '\t'

/**
 * Returns the lines of a range with the blank line behind it; undefined if they contain anything
 * else.
 */
function linesAround(text: string, start: number, end: number): Range | undefined {
  let first = start
  while (isPad(text[first - 1])) first--
  if (first > 0 && !/[\r\n]/.test(text[first - 1]!)) return undefined
  const last = lineEnd(text, end)
  if (last === undefined) return undefined
  return { start: first, end: (last < text.length ? lineEnd(text, last) : undefined) ?? last }
}

/** Returns the start of the next line if only blanks precede it. */
function lineEnd(text: string, from: number): number | undefined {
  let at = from
  while (isPad(text[at])) at++
  if (at === text.length) return at
  if (text[at] === '\n') return at + 1
  if (text[at] !== '\r') return undefined
  return text[at + 1] === '\n' ? at + 2 : at + 1
}

/**
 * Returns the splices that reduce Markdown links to their text, or to the page's title if the text
 * is a path or a mention.
 */
function inlineSplices(
  { text, links }: Inbound,
  titles: ReadonlyMap<string, string>,
  blocks: readonly Range[],
): Splice[] {
  const dead = new Map(
    links.flatMap(({ link, to }) =>
      link.how === 'md-link' || link.how === 'md-image'
        ? [[link.raw.start, { link, to }] as const]
        : [],
    ),
  )
  if (dead.size === 0) return []
  const splices: Splice[] = []
  let block = 0
  let taken = 0

  for (const inline of inlinesOf(text).sort((a, b) => a.start - b.start)) {
    const found = inline.target && dead.get(inline.target.start)
    if (!found || inline.start < taken) continue
    while (block < blocks.length && blocks[block]!.end <= inline.start) block++
    if (block < blocks.length && blocks[block]!.start <= inline.start) continue
    const words = wordsAlone(text, inline, mustGet(titles, found.to))
    splices.push(...words)
    if (words.length === 1) taken = inline.end
  }

  return splices
}

function wordsAlone(text: string, inline: Inline, title: string): Splice[] {
  const words = plainText(text, inline.text.start, inline.text.end)
  const isMention =
    inline.kind === 'link' && /"mention"/.test(text.slice(inline.target!.end, inline.end))
  const path = text.slice(inline.target!.start, inline.target!.end)

  if (
    isMention ||
    (inline.kind === 'link' && (words === path || words === baseName(path.replace(/\/$/, ''))))
  )
    return [{ start: inline.start, end: inline.end, text: escapeText(title) }]

  return [
    { start: inline.start, end: inline.text.start, text: '' },
    { start: inline.text.end, end: inline.end, text: '' },
  ]
}
