import type { Steps } from '../../lib/slices.ts'
import { hasWords, takeNamed } from '../markup/blocks.ts'
import { blocksAndLines, isBlank, onlyImage } from '../markup/lines.ts'
import { isElement, type MarkupElement, type MarkupNode, wordsIn } from '../markup/tree.ts'
import { withEmoji } from '../text/emoji.ts'
import { slugOfTitle } from '../text/slug.ts'
import { fragmentOf } from './anchors.ts'
import { boxWriter } from './boxes.ts'
import { alignOf, attributesOf, closeChange, idAttribute, openChange } from './change.ts'
import { writePre } from './code.ts'
import { escapeHtml } from './escape.ts'
import { writeFormula } from './formula.ts'
import { writeOnlyImage } from './image.ts'
import { shownInstead, writeInlines } from './inline.ts'
import { linkTo, openLink } from './link.ts'
import { writeList, writeTerms } from './list.ts'
import { headingText, isHeadingMark } from './outline.ts'
import { writeEmbed, writeReference } from './references.ts'
import { deeper, hasRoom, isFull, put, type Sheet } from './sheet.ts'
import { writeTable } from './table.ts'

const longestSummary = 200

/** Keeps the beginning of the first paragraph of the page. */
function summarize(sheet: Sheet, nodes: readonly MarkupNode[]): void {
  if (sheet.summary !== '' || sheet.removed || sheet.depth > 0) return
  const paragraph: MarkupElement = { name: 'p', attributes: {}, nodes: [...nodes], blocks: false }
  const text = withEmoji(headingText(paragraph, false, node => shownInstead(sheet, node)))

  if (text.length <= longestSummary) {
    sheet.summary = text
    return
  }

  const cut = text.slice(0, longestSummary - 1)
  const blank = cut.lastIndexOf(' ')

  sheet.summary = `${cut
    .slice(0, blank > longestSummary / 2 ? blank : undefined)
    .toWellFormed()
    .trimEnd()}…`
}

/** Writes a line that has only an image or a frame. Returns false for other lines. */
function writeAlone(
  sheet: Sheet,
  nodes: readonly MarkupNode[],
  bare: boolean,
  attributes: string,
): boolean {
  const image = onlyImage(nodes)
  if (image) {
    put(sheet, bare ? '' : `<figure${attributes}>`)
    writeOnlyImage(sheet, image, 'block')
    const caption = bare ? undefined : image.attributes.title
    if (image.name === 'img' && caption)
      put(sheet, `<figcaption>${escapeHtml(caption.slice(0, 1000))}</figcaption>`)
    put(sheet, bare ? '' : '</figure>\n')
    return true
  }

  const [frame] = nodes.filter(node => !isBlank(node))

  if (
    !frame ||
    !isElement(frame) ||
    frame.name !== 'iframe' ||
    nodes.some(node => node !== frame && !isBlank(node))
  )
    return false

  writeEmbed(sheet, frame, frame.attributes.src ?? '', [])

  return true
}

/** Writes a line between blocks: a paragraph, or an image. */
function writeLine(
  sheet: Sheet,
  nodes: readonly MarkupNode[],
  bare: boolean,
  attributes = '',
): void {
  if (nodes.every(isBlank) || writeAlone(sheet, nodes, bare, attributes)) return

  if (bare) {
    writeInlines(sheet, nodes)
    return
  }

  if (nodes.every(isHeadingMark)) {
    writeInlines(sheet, nodes)
    return
  }

  summarize(sheet, nodes)
  put(sheet, `<p${attributes}>`)
  writeInlines(sheet, nodes)
  put(sheet, '</p>\n')
}

/**
 * Writes a sequence of blocks and the lines between them, in steps. `bare`: lines are not
 * paragraphs.
 */
export function* writeBlocks(
  sheet: Sheet,
  nodes: readonly MarkupNode[],
  bare = false,
): Steps<void> {
  for (const part of blocksAndLines(nodes)) {
    if (isFull(sheet)) return
    if (Array.isArray(part)) {
      writeLine(sheet, part, bare)
      continue
    }
    yield* writeBlock(sheet, part)
    if (sheet.blocks++ % 32 === 31) yield
  }
}

function* writeParagraph(sheet: Sheet, node: MarkupElement): Steps<void> {
  if (node.blocks) yield* writeDivision(sheet, node)
  else writeLine(sheet, node.nodes, false, attributesOf(sheet, node, alignOf(node)))
}

/**
 * Writes a `<div>`: a hint of a table cell, a box for its alignment and its id, or its content
 * alone.
 */
function* writeDivision(sheet: Sheet, node: MarkupElement): Steps<void> {
  const { 'data-tag': tag, 'data-style': style = '' } = node.attributes
  if (tag === 'hint') {
    const { 'data-tag': _, ...attributes } = node.attributes
    yield* boxWriter('%hint')!(sheet, { ...node, attributes: { ...attributes, style } })
    return
  }

  const wide = node.attributes['data-full-width'] === 'true' ? 'wide' : ''
  const frame = node.attributes['data-with-frame'] === 'true' ? 'frame' : ''
  const attributes = attributesOf(sheet, node, alignOf(node), wide, frame)

  if (attributes === '') {
    yield* writeBlocks(sheet, node.nodes)
    return
  }

  put(sheet, `<div${attributes}>\n`)
  yield* deeper(sheet, writeBlocks(sheet, node.nodes))
  put(sheet, '</div>\n')
}

/** Returns nodes without the whitespace at their end. */
function trimmedEnd(nodes: readonly MarkupNode[]): readonly MarkupNode[] {
  const last = nodes.at(-1)
  return typeof last === 'string' ? [...nodes.slice(0, -1), last.trimEnd()] : nodes
}

function writeHeading(sheet: Sheet, heading: MarkupElement): void {
  const nodes = trimmedEnd(heading.nodes.filter(node => !isHeadingMark(node)))
  const headline = sheet.headlines.get(heading)
  const written = heading.name[1]
  const text = headingText(heading, false)

  if (!headline || headline.level === undefined) {
    const id = headline ? ` id="${escapeHtml(headline.id)}"` : ''
    if (!nodes.every(isBlank)) {
      put(sheet, `<p class="minor l${written}"${id}>`)
      writeInlines(sheet, nodes)
      put(sheet, '</p>\n')
    }
    return
  }

  const { id, level, alias } = headline

  sheet.headings.push({ id, level, text: withEmoji(text) })
  const align = alignOf(heading)
  const classes = [String(level) === written ? '' : `l${written}`, align]
    .filter(name => name !== '')
    .join(' ')

  put(sheet, `<h${level}${classes && ` class="${classes}"`} id="${escapeHtml(id)}">`)
  if (alias !== undefined) put(sheet, `<span id="${escapeHtml(alias)}"></span>`)
  for (const mark of heading.nodes) if (isHeadingMark(mark)) writeMark(sheet, mark as MarkupElement)
  writeInlines(sheet, nodes)
  const label = escapeHtml(sheet.options.words.linkToHeading)

  put(
    sheet,
    `<a class="anchor" href="#${escapeHtml(fragmentOf(id))}" aria-label="${label}"></a></h${level}>\n`,
  )
}

/** Writes the anchor of an empty `<a id>` in a heading, unless the heading has this id. */
function writeMark(sheet: Sheet, { attributes: { id, name } }: MarkupElement): void {
  const anchor = idAttribute(sheet, id ?? name)
  if (anchor !== '') put(sheet, `<span${anchor}></span>`)
}

/** Writes the image of a figure with its caption, or other content and the caption below it. */
function* writeFigure(sheet: Sheet, node: MarkupElement): Steps<void> {
  const [caption, rest] = takeNamed(node.nodes, 'figcaption')
  if (rest.every(isBlank) && !caption) return

  const image = onlyImage(rest)

  put(sheet, `<figure${attributesOf(sheet, node)}>`)
  sheet.depth++
  if (image) writeOnlyImage(sheet, image, 'block')
  else yield* writeBlocks(sheet, rest, true)
  sheet.depth--

  if (caption && hasWords(caption.nodes)) {
    put(sheet, '<figcaption>')
    writeInlines(sheet, caption.nodes)
    put(sheet, '</figcaption>')
  }

  put(sheet, '</figure>\n')
}

function* writeDetails(sheet: Sheet, node: MarkupElement): Steps<void> {
  const [summary, rest] = takeNamed(node.nodes, 'summary')
  const text = summary ? headingText(summary, false) : ''
  const attributes = attributesOf(sheet, node)
  const id =
    text === '' || attributes.includes(' id="') ? '' : idAttribute(sheet, slugOfTitle(text))

  put(
    sheet,
    `<details${attributes}${id}${node.attributes.open === undefined ? '' : ' open'}><summary>`,
  )
  if (text === '') put(sheet, '…')
  else writeInlines(sheet, summary!.nodes)
  put(sheet, '</summary><div>\n')
  yield* deeper(sheet, writeBlocks(sheet, rest))
  put(sheet, '</div></details>\n')
}

/** Writes a link around blocks. */
function* writeLinkedBlocks(sheet: Sheet, node: MarkupElement): Steps<void> {
  const link = sheet.linked ? undefined : linkTo(sheet, node.attributes.href)
  if (link) openLink(sheet, link, attributesOf(sheet, node))
  const { linked } = sheet
  sheet.linked ||= link !== undefined
  yield* writeBlocks(sheet, node.nodes)
  sheet.linked = linked
  if (link) put(sheet, '</a>\n')
}

/** Writes included content, with links relative to its own file. */
function* writeIncluded(sheet: Sheet, node: MarkupElement): Steps<void> {
  const content = sheet.included.get(node)
  if (!content) return
  const { origin } = sheet
  sheet.origin = content.origin
  yield* deeper(sheet, writeBlocks(sheet, content.nodes))
  sheet.origin = origin
}

function writeMath(sheet: Sheet, node: MarkupElement): void {
  const label = escapeHtml(sheet.options.words.formula)
  put(sheet, `<div class="scroll formula" tabindex="0" role="group" aria-label="${label}">`)
  writeFormula(sheet, wordsIn(node), true)
  put(sheet, '</div>\n')
}

type Writer = (sheet: Sheet, node: MarkupElement) => Steps<void> | undefined | void

const writers: Readonly<Record<string, Writer>> = {
  p: writeParagraph,
  div: writeDivision,
  center: (sheet, node) =>
    writeDivision(sheet, { ...node, attributes: { ...node.attributes, align: 'center' } }),
  a: writeLinkedBlocks,
  ul: writeList,
  ol: writeList,
  pre: writePre,
  table: writeTable,
  figure: writeFigure,
  details: writeDetails,
  dl: writeTerms,
  hr: sheet => put(sheet, '<hr>\n'),
  blockquote: function* (sheet, node) {
    put(sheet, `<blockquote${attributesOf(sheet, node)}>\n`)
    yield* deeper(sheet, writeBlocks(sheet, node.nodes))
    put(sheet, '</blockquote>\n')
  },
  math: writeMath,
  '%include': writeIncluded,
}

function stepsOf(sheet: Sheet, node: MarkupElement): Steps<void> | 'done' {
  const { name } = node
  if (/^h[1-6]$/.test(name)) {
    writeHeading(sheet, node)
    return 'done'
  }
  const writer = Object.hasOwn(writers, name) ? writers[name] : boxWriter(name)
  if (writer && hasRoom(sheet)) return writer(sheet, node) ?? 'done'
  return (hasRoom(sheet) && writeReference(sheet, node)) || writeBlocks(sheet, node.nodes)
}

/** Writes one block. */
function* writeBlock(sheet: Sheet, node: MarkupElement): Steps<void> {
  const opened = openChange(sheet, node, 'div')
  const steps = stepsOf(sheet, node)
  if (steps !== 'done') yield* steps
  closeChange(sheet, opened)
}
