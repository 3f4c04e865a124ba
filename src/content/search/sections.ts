import type { Steps } from '../../lib/slices.ts'
import { alertAt } from '../markdown/alerts.ts'
import { headingEnd } from '../markdown/anchor.ts'
import { type Block, blockSteps } from '../markdown/blocks.ts'
import { titledComponent } from '../markdown/components.ts'
import { isMdx } from '../markdown/containers.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { plainText } from '../markdown/plain-text.ts'
import { showsNothing } from '../markdown/shows-nothing.ts'
import { piecesOf } from '../markdown/table-cells.ts'
import { findTags, tagAttributes } from '../markdown/tags.ts'
import { nameOfTarget } from '../text/name-of-target.ts'
import { foldSlug, slugOfTitle, uniqueSlug } from '../text/slug.ts'
import { markTitledLinks, mentionOf, type TitledLink, withoutPlaces } from './titled-links.ts'

/**
 * The plain text under one heading of a page. Heading and anchor are '' for the text before the
 * first heading. `links` are those that a page shows as the title of their target, in the order of
 * `placeOfTitle` in the body; absent for none.
 */
export type Section = { heading: string; anchor: string; body: string; links?: TitledLink[] }

/** A page in sections; `h1` is the page's own heading, which begins no section. */
export type Sections = { h1: string; sections: Section[] }

/** The text under further headings belongs to the last section. */
const mostSections = 2_000

/** Longer ids are ignored. */
const longestId = 200

/**
 * Reads a page as sections of plain text, in steps. Linear in the page. Throws 'too_large' as
 * `blockSteps`. `path` is that of its file: in MDX, lines that import components are no text.
 */
export function* sectionSteps(source: string, path?: string): Steps<Sections> {
  const { body } = splitFrontMatter(source)
  const blocks = yield* blockSteps(source, body, undefined, isMdx(path))
  const sections: Section[] = []
  const taken = new Set<string>()
  const next = new Map<string, number>()
  let h1 = ''
  let parts: string[] = []
  let links: TitledLink[] = []
  let open: Section = { heading: '', anchor: '', body: '' }
  const close = () => {
    open.body = parts.join('\n')
    if (links.length > 0) open.links = links
    if (open.heading !== '' || open.body !== '') sections.push(open)
    parts = []
    links = []
  }

  const shown = blocks.filter(block => !showsNothing(source, block))

  for (const [at, block] of shown.entries()) {
    if (at % 64 === 63) yield

    if (block.kind !== 'heading') {
      const text = yield* textOf(source, block, links)
      if (text !== '') parts.push(text)
      continue
    }

    const ending = headingEnd(source, block.text)
    const heading = withoutPlaces(
      plainText(source, block.text.start, ending?.start ?? block.text.end),
    )
    // A heading within a hint or a list is not that of the page.
    const isOwn = at === 0 && block.level === 1 && !block.quoted && block.item === -1

    if (isOwn) h1 = heading
    else if (heading === '' || sections.length >= mostSections) parts.push(heading)
    else {
      close()
      open = { heading, anchor: anchorOf(ending?.id, heading, taken, next), body: '' }
    }
  }

  close()

  return { h1, sections }
}

function anchorOf(
  own: string | undefined,
  heading: string,
  taken: Set<string>,
  next: Map<string, number>,
): string {
  const isFit = own !== undefined && own !== '' && own.length <= longestId
  const anchor = uniqueSlug(isFit ? own : slugOfTitle(heading), taken, next)
  taken.add(foldSlug(anchor))
  return anchor
}

/**
 * The start tags of HTML elements that begin a block, a line or a cell: the words before and after
 * them are apart.
 */
const boundary = /<(?:td|th|tr|li|p|div|br|hr|h[1-6]|dt|dd|figcaption|summary|blockquote|pre)\b/gi

/** The end of a cell that another one follows. */
const cellEnd = /(<\/t[dh]>)(?=\s*<t[dh]\b)/gi

/** The marks of quotes at the beginning of lines. */
const quoteMarks = /^[ \t]*(?:>[ \t]?)+/gm

function* textOf(
  source: string,
  { kind, quoted, text: { start, end } }: Block,
  links: TitledLink[],
): Steps<string> {
  if (kind === 'fence' || kind === 'code') return withoutPlaces(source.slice(start, end)).trim()
  if (kind !== 'paragraph' && kind !== 'html') return ''
  const alert = quoted ? alertAt(source.slice(start, end)) : undefined
  const own = withoutPlaces(source.slice(start + (alert?.length ?? 0), end))
  const raw = (quoted ? own.replace(quoteMarks, '') : own)
    .replace(cellEnd, `$1${betweenCells}`)
    .replace(boundary, ' $&')
    .replace(titledComponent, '$1$2 $&')
  const tagless = raw.includes('{%') ? withoutTags(raw) : raw
  const written = markTitledLinks(tagless, links)
  const pieces = [...piecesOf(written, { start: 0, end: written.length })]
  if (pieces.length <= 1) return joinEmptyCells(plainText(written)).trim()

  const texts: string[] = []

  for (const [at, piece] of pieces.entries()) {
    if (at % 64 === 63) yield
    const text = plainText(written.slice(piece.start, piece.end).replaceAll('\\|', '|')).trim()
    if (text !== '') texts.push(text)
  }

  return texts.join(betweenCells)
}

/** Shown between the cells of a row: a passage without it would read as one sentence. */
const betweenCells = ' · '

/** Returns a text with the repeated separators around empty cells joined into one. */
const joinEmptyCells = (text: string): string =>
  text.includes('· ·') ? text.replace(/·(?: ·)+/g, '·') : text

/** Returns whether a text is empty, or a link alone whose words are the name of its file. */
function isNameOfFile(text: string): boolean {
  if (text.trim() === '') return true
  const [, words = '', target = ''] = /^\s*\[([^\]]*)\]\(([^)]*)\)\s*$/.exec(text) ?? []
  return words !== '' && words === nameOfTarget(target.replace(/^<|>$/g, ''))
}

/**
 * Replaces the tags of a text by the titles and captions that they show. A link to a page without a
 * title becomes a mention of the page.
 */
function withoutTags(text: string): string {
  let out = ''
  let at = 0
  let target = ''
  for (const tag of findTags(text)) {
    const given = new Map(
      tagAttributes(text, tag).map(({ name, value, raw }) => [name, { value, raw }]),
    )
    const isNameless =
      tag.closes &&
      target !== '' &&
      tag.name === 'content-ref' &&
      isNameOfFile(text.slice(at, tag.start))
    if (isNameless) out += ` ${mentionOf(target)}`
    else out += text.slice(at, tag.start)

    const title = given.get('title') ?? given.get('caption')
    const shown = title ? text.slice(title.raw.start, title.raw.end) : ''
    const page = tag.name === 'page-ref' ? given.get('page')?.value : undefined
    out += ` ${shown === '' ? '' : `${shown} `}${page ? `${mentionOf(page)} ` : ''}`
    target = tag.name === 'content-ref' && !tag.closes ? (given.get('url')?.value ?? '') : ''
    at = tag.end
  }

  return out + text.slice(at)
}
